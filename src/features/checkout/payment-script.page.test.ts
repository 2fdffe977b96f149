// The page's script: served as one, kept for ever, and part of a page that stays light.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { gzipSync } from "node:zlib";
import { createInvoice, LINK_SHOP } from "../../../test/cast.ts";
import { onOneEngine, openTestGateway, type TestGateway } from "../../../test/gateway.ts";
import { SCRIPT_PATH } from "./payment-script.page.ts";

onOneEngine("the page's script", (engine) => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway(engine);
  });
  after(() => gateway.stop());

  it("has a type, may be kept, and is no other name's", async () => {
    const answer = await gateway.call(SCRIPT_PATH);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("content-type"), "text/javascript; charset=utf-8");
    assert.equal(answer.headers.get("cache-control"), "public, max-age=31536000, immutable");
    assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
    new Function(answer.text);
    assert.equal((await gateway.call("/pay/script-000000000000.js")).status, 404);
  });

  it("and the page with details weigh less than 30 kB together, in two requests on a phone", async () => {
    const changes = { include_service: ["p2p_card"], type: "link" };
    const { body } = await createInvoice(gateway, changes, LINK_SHOP);
    await fetch(`${gateway.url}/pay/${body.data.id}`, {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams({ service: "p2p_card", bank: "sber" }),
    });
    const page = (await gateway.call(`/pay/${body.data.id}`)).text;
    const script = (await gateway.call(SCRIPT_PATH)).text;
    assert.match(page, /Transfer exactly/);
    const bytes = Buffer.byteLength(page) + Buffer.byteLength(script);
    assert.ok(bytes < 30_000, `${bytes} bytes, ${gzipSync(page + script).length} compressed`);
    const loaded = [...page.matchAll(/\b(?:src|href)="([^"#?]+)"/g)].map(([, path]) => path);
    assert.deepEqual(
      loaded.filter((path) => path?.startsWith("/") && !path.startsWith("/pay/0")),
      ["/icon.svg", SCRIPT_PATH],
    );
  });
});
