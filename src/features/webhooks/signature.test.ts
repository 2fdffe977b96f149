// A webhook's signature, where no delivery shows it: what counts as the key's bytes. That webhooks verify
// with the public package and by a plain HMAC is seen at src/features/merchants/manage-shops.endpoint.test.ts.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { it } from "node:test";
import { canonicalJson } from "./events.ts";
import { signed, signerOf } from "./signature.ts";

it("takes turns with the one header that clients know, while old keys sign, too", () => {
  const content = { id: "1", sentAt: new Date(0), body: "{}" };
  const [fresh, old] = ["bmV3", "b2xk"].map((secret) => signerOf({ key: secret, secret }));
  assert.ok(fresh && old);
  const [ours, theirs] = [fresh(content), old(content)];
  assert.notEqual(ours.family, theirs.family);
  for (const [turn, first, other] of [
    [1, theirs, ours],
    [2, ours, theirs],
    [3, theirs, ours],
  ] as const) {
    assert.deepEqual(signed(content, { fresh, old }, turn), {
      "webhook-id": "1",
      "webhook-timestamp": "0",
      "x-api-sha256-signature": first.family,
      "x-api-sha256-signature-other": other.family,
      "webhook-signature": `${ours.standard} ${theirs.standard}`,
    });
  }
  const alone = signed(content, { fresh, old: undefined }, 1);
  assert.deepEqual(Object.keys(alone).sort(), [
    "webhook-id",
    "webhook-signature",
    "webhook-timestamp",
    "x-api-sha256-signature",
  ]);
  assert.equal(alone["x-api-sha256-signature"], ours.family);
});

it("takes a secret without its prefix for the key's bytes, whatever stands inside", () => {
  const secret = "AAAAwhsec_AAAA";
  const sentAt = new Date("2026-03-01T09:00:00.999Z");
  const body = '{"comment":"Спасибо 🙂","invoice_id":"1"}';
  const fresh = signerOf({ key: "a key", secret });
  const headers = signed({ id: "1", sentAt, body }, { fresh, old: undefined }, 1);
  const bytes = Buffer.from(secret, "base64");
  const expected = createHmac("sha256", bytes).update(`1.1772355600.${body}`).digest("base64");
  assert.equal(headers["webhook-signature"], `v1,${expected}`);
  assert.equal(headers["webhook-timestamp"], "1772355600");
});

it("gives the vector that the family of this API publishes", () => {
  const body =
    '{"amount":"100.00","credited":"95.50","custom_fields":{"user":1},' +
    '"invoice_id":"a3e9ff6f-c5c1-3bcd-854e-4bc995b1ae7a",' +
    '"order_id":"c78d8fe9-ab44-3f21-a37a-ce4ca269cb47","pay_service":"card",' +
    '"pay_time":"2023-04-06 16:27:59","payer_details":"553691******1279","status":"success","type":1}';
  assert.equal(canonicalJson(JSON.parse(body)), body, "as it is written here");
  const fresh = signerOf({ key: "example", secret: "AAAA" });
  const headers = signed({ id: "1", sentAt: new Date(0), body }, { fresh, old: undefined }, 1);
  const published = "e582b14dd13f8111711e3cb66a982fd7bff28a0ddece8bde14a34a5bb4449136";
  assert.equal(headers["x-api-sha256-signature"], published);
});
