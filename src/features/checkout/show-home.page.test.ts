// What a browser sees at the gateway's own address, in both modes.

import assert from "node:assert/strict";
import { it } from "node:test";
import { onOneEngine, onPostgres, openTestGateway } from "../../../test/gateway.ts";

const BROWSER = { headers: { accept: "text/html" } };

onOneEngine("GET /", (engine) => {
  it("says what runs here and leads to the reference; in the sandbox to the demo", async () => {
    const gateway = await openTestGateway(engine);
    const page = await gateway.call("/", BROWSER);
    const russian = await gateway.call("/", {
      headers: { ...BROWSER.headers, "accept-language": "ru" },
    });
    await gateway.stop();
    assert.equal(page.status, 200);
    assert.match(page.text, /A payment gateway for bank transfers runs here/);
    assert.match(page.text, /href="\/docs"/);
    assert.match(page.text, /href="\/demo"/);
    assert.match(russian.text, /Здесь работает платёжный шлюз/);
  });
});

onPostgres("pages in live mode", () => {
  it("have no demo, no ribbon and nobody who plays the bank", async () => {
    const secretKey = Buffer.alloc(32, "0123456789abcdef");
    const gateway = await openTestGateway("postgres", { mode: "live", secretKey });
    const page = await gateway.call("/", BROWSER);
    const demo = await gateway.call("/demo");
    const simulate = await gateway.call("/pay/x/simulate", { body: {} });
    await gateway.stop();
    assert.equal(page.status, 200);
    assert.doesNotMatch(page.text, /demo|Sandbox/);
    assert.deepEqual([demo.status, simulate.status], [404, 404]);
  });
});
