// The picture that leads from a desktop to the phone: the page's own address, for whoever has it.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { createInvoice, LINK_SHOP, SHOP } from "../../../test/cast.ts";
import { onOneEngine, openTestGateway, type TestGateway } from "../../../test/gateway.ts";
import { qrCode } from "./show-code.page.ts";

onOneEngine("GET /pay/{invoice}/code.svg", (engine) => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway(engine);
  });
  after(() => gateway.stop());

  it("is the page's address as an image that may be kept", async () => {
    const changes = { include_service: ["p2p_card"], type: "link" };
    const { id } = (await createInvoice(gateway, changes, LINK_SHOP)).body.data;
    const code = await gateway.call(`/pay/${id}/code.svg`);
    assert.equal(code.status, 200);
    assert.equal(code.headers.get("content-type"), "image/svg+xml");
    assert.equal(code.headers.get("cache-control"), "public, max-age=31536000, immutable");
    assert.equal(code.headers.get("x-content-type-options"), "nosniff");
    assert.equal(code.text, qrCode(`http://kopeck.test/pay/${id}`));
    assert.equal((await gateway.call(`/pay/${id.toUpperCase()}/code.svg`)).text, code.text);
  });

  it("404 for an invoice that has no page: nothing is drawn for whoever guesses", async () => {
    const direct = (await createInvoice(gateway, {}, SHOP)).body.data.id;
    for (const id of [direct, "019a3f00-0000-7000-8000-000000000009", "nonsense"]) {
      assert.equal((await gateway.call(`/pay/${id}/code.svg`)).status, 404, id);
    }
  });
});
