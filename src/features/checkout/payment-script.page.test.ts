// The page's script: served as one, kept for ever, and part of a page that stays light.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { pages } from "../../../test/pages.ts";
import { SCRIPT_PATH } from "./payment-script.page.ts";

const { gateway } = await openOneGateway();

it("has a type, may be kept, and is no other name's", async () => {
  const { headers, text } = await gateway.call(SCRIPT_PATH);
  assert.equal(headers.get("content-type"), "text/javascript; charset=utf-8");
  assert.equal(headers.get("cache-control"), "public, max-age=31536000, immutable");
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  new Function(text);
  assert.equal((await gateway.call("/pay/script-000000000000.js")).status, 404);
});

it("and the page with details weigh at most 20 kB together, in two requests on a phone", async (t) => {
  const { link, choose, show } = pages(gateway);
  const id = await link();
  await choose(id);
  const page = (await show(id)).text;
  assert.match(page, /Transfer exactly/);
  const bytes = Buffer.byteLength(page + (await gateway.call(SCRIPT_PATH)).text);
  t.diagnostic(`${bytes} bytes`);
  assert.ok(bytes <= 20_000, `${bytes} bytes`);
  const loaded = [...page.matchAll(/\b(?:src|href)="([^"#?]+)"/g)].map(([, path]) => path);
  assert.deepEqual(
    loaded.filter((path) => path?.startsWith("/") && !path.startsWith("/pay/0")),
    ["/icon.svg", SCRIPT_PATH],
  );
});
