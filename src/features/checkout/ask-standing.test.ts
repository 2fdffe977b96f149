// The word that an open page asks for: of this moment, of this invoice, a few bytes.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { createInvoice, LINK_SHOP, SHOP } from "../../../test/cast.ts";
import { onEachEngine, openTestGateway, type TestGateway } from "../../../test/gateway.ts";

onEachEngine("GET /pay/{invoice}/standing", (engine) => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway(engine);
  });
  after(() => gateway.stop());

  const link = async (): Promise<string> => {
    const changes = { include_service: ["p2p_card"], type: "link" };
    return (await createInvoice(gateway, changes, LINK_SHOP)).body.data.id;
  };
  const post = (path: string, form: Record<string, string> = {}): Promise<Response> =>
    fetch(`${gateway.url}${path}`, {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams(form),
    });

  it("is what the page says that it was made from, and another word after each change", async () => {
    const id = await link();
    const words: string[] = [];
    const look = async (): Promise<void> => {
      const { text: page } = await gateway.call(`/pay/${id}`);
      const from = /data-watch="[^"]+\?from=([^"]+)"/.exec(page)?.[1];
      const { text, status } = await gateway.call(`/pay/${id}/standing`);
      assert.equal(status, 200);
      // A receipt is not watched any more.
      if (from !== undefined) assert.equal(text, decodeURIComponent(from));
      words.push(text);
    };
    await look();
    await post(`/pay/${id}`, { service: "p2p_card", bank: "sber" });
    await look();
    await post(`/pay/${id}`, { service: "p2p_card", bank: "tinkoff" });
    await look();
    await post(`/pay/${id}/simulate`);
    await look();
    assert.equal(new Set(words).size, 4, words.join());
    assert.deepEqual([words[0], words[3]], ["created", "paid"]);
  });

  it("is a text of at most 50 bytes that nobody keeps", async () => {
    const id = await link();
    await post(`/pay/${id}`, { service: "p2p_card", bank: "sber" });
    const { text, headers } = await gateway.call(`/pay/${id.toUpperCase()}/standing`);
    assert.match(text, /^pending [0-9a-f-]{36}$/);
    assert.ok(Buffer.byteLength(text) <= 50, text);
    assert.equal(headers.get("content-type"), "text/plain; charset=utf-8");
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
  });

  it("404 for an invoice that has no page", async () => {
    const direct = (await createInvoice(gateway, {}, SHOP)).body.data.id;
    for (const id of [direct, "019a3f00-0000-7000-8000-000000000009", "nonsense"]) {
      const { status, text } = await gateway.call(`/pay/${id}/standing`);
      assert.equal(status, 404, id);
      assert.doesNotMatch(text, /created/);
    }
  });
});
