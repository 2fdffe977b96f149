// What a browser sees at the gateway's own address, in both modes.

import assert from "node:assert/strict";
import { it } from "node:test";
import { ENGINES } from "../../../test/gateway.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";

const headers = { accept: "text/html" };

it("says what runs here and leads to the reference; in the sandbox to the demo", async () => {
  const { gateway } = await openOneGateway();
  const page = await gateway.call("/", { headers });
  assert.equal(page.status, 200);
  assert.match(page.text, /A payment gateway for bank transfers runs here.*href="\/docs"/s);
  assert.match(page.text, /href="\/demo"/);
  const russian = await gateway.call("/", { headers: { ...headers, "accept-language": "ru" } });
  assert.match(russian.text, /Здесь работает платёжный шлюз/);
});

const skip = !ENGINES.includes("postgres") && "live mode needs PostgreSQL";
it("in live mode there is no demo, no ribbon and nobody who plays the bank", { skip }, async () => {
  const secretKey = Buffer.alloc(32, "0123456789abcdef");
  const { gateway } = await openOneGateway({ mode: "live", secretKey });
  const page = await gateway.call("/", { headers });
  assert.equal(page.status, 200);
  assert.doesNotMatch(page.text, /demo|Sandbox/);
  assert.equal((await gateway.call("/demo")).status, 404);
  assert.equal((await gateway.call("/pay/x/simulate", { body: {} })).status, 404);
});
