// A proof opens only what it proves: an authenticator never takes the text of a header for a signature that it
// has put together itself.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, it } from "node:test";
import { endpointsOf } from "../src/features/index.ts";
import { type Gate, secretIn } from "../src/platform/endpoint.ts";
import { SHOP, USER } from "./cast.ts";
import { openOneGateway } from "./one-gateway.ts";
import { openPhone } from "./phone.ts";
import { notice, openRail } from "./rails.ts";

const { gateway, own } = await openOneGateway();
const phone = await openPhone(gateway, { adapter: "sms-gateway" });
const rail = await openRail(gateway, "forged");
after(() => rail.close());
const now = gateway.app.clock.now();
const seconds = String(Math.floor(now.getTime() / 1000));

// Rightly signed and harmless: what an attacker may have read in a log.
const ping = '{"event":"system:ping","id":"p1","deviceId":"d"}';
const signature = createHmac("sha256", phone.token)
  .update(ping + seconds)
  .digest("hex");
const signed = { "x-timestamp": seconds, "x-signature": signature };
const noticed = notice(rail.secret, now, JSON.parse(ping)).headers as Record<string, string>;

const forged = JSON.stringify({
  id: "x",
  event: "sms:received",
  deviceId: "d",
  shop_id: SHOP.id,
  user_id: USER.id,
  payload: { messageId: "m", phoneNumber: "900", message: "VISA0007 12:00 Перевод 777р от И." },
});

const gates = new Map<Gate<unknown>, string>();
for (const { gate, method, path } of endpointsOf("sandbox")) {
  const address = path.replace(":source_id", phone.id).replace(":code", rail.code);
  if (!gates.has(gate) || method === "POST") gates.set(gate, `${method} ${address}`);
}

/** What was read, in each form in which some authenticator puts a proof together, and once in words. */
const texts = new Set([
  `signed ${seconds} ${signature} ${ping}`,
  ...[...gates.keys()].map((gate) =>
    secretIn(gate, { headers: { ...signed, ...noticed }, written: ping }),
  ),
]);
texts.delete("");

for (const [gate, address] of gates) {
  it(`${gate.name} at ${address}: the text of a signature is no signature`, async () => {
    const [, path = ""] = address.split(" ");
    for (const text of texts) {
      const ways = [gate.header, "access-token", "x-signature", "webhook-signature"].map(
        (name) => ({ [name]: text }),
      );
      for (const headers of [...ways, { authorization: `Bearer ${text}` }]) {
        const method = address.startsWith("POST") ? "POST" : "GET";
        const answer = await gateway.call(
          path,
          method === "POST" ? { headers, body: forged } : { headers },
        );
        assert.equal(answer.status, 401, `${JSON.stringify(headers)}: ${answer.text}`);
      }
    }
    assert.deepEqual((await own.get("messages")).items, []);
  });
}
