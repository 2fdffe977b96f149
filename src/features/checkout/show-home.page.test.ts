// What a browser sees at the address of a gateway with real money: no more than what it is.

import assert from "node:assert/strict";
import { it } from "node:test";
import { ENGINES } from "../../../test/gateway.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";

const headers = { accept: "text/html" };

const skip = !ENGINES.includes("postgres") && "live mode needs PostgreSQL";
it("says what runs here and leads to the reference; nothing of a sandbox is there", {
  skip,
}, async () => {
  const secretKey = Buffer.alloc(32, "0123456789abcdef");
  const { gateway } = await openOneGateway({ mode: "live", secretKey });
  const page = await gateway.call("/", { headers });
  assert.equal(page.status, 200);
  assert.match(page.text, /A payment gateway for bank transfers runs here.*href="\/docs"/s);
  const russian = await gateway.call("/", { headers: { ...headers, "accept-language": "ru" } });
  assert.match(russian.text, /Здесь работает платёжный шлюз/);
  for (const { text } of [page, russian])
    assert.doesNotMatch(text, /demo|sandbox|metrics|ribbon">/i);
  assert.equal((await gateway.call("/")).status, 404);
  assert.equal((await gateway.call("/demo")).status, 404);
  assert.equal((await gateway.call("/pay/x/simulate", { body: {} })).status, 404);
});
