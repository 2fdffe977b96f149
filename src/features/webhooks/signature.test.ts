// The two signatures, verified by the public package and by a plain HMAC.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, it } from "node:test";
import { Webhook } from "standardwebhooks";
import { signerOf } from "./signature.ts";

const KEYS = { key: "a key", secret: "whsec_c2FuZGJveF93ZWJob29rX2tleV8wMDAwMDA=" };

describe("a webhook's signature", () => {
  const body = '{"comment":"Спасибо 🙂","invoice_id":"1"}';
  const headers = signerOf(KEYS)({ id: "event 1", sentAt: new Date(), body });

  it("is what the public package of Standard Webhooks verifies", () => {
    assert.deepEqual(new Webhook(KEYS.secret).verify(body, headers), JSON.parse(body));
  });

  it("fails there for another body, id, moment or secret", () => {
    const verify = (text: string, changes: Record<string, string>, secret = KEYS.secret) =>
      new Webhook(secret).verify(text, { ...headers, ...changes });
    const later = String(Number(headers["webhook-timestamp"]) + 1);
    assert.throws(() => verify(`${body} `, {}));
    assert.throws(() => verify(body, { "webhook-id": "event 2" }));
    assert.throws(() => verify(body, { "webhook-timestamp": later }));
    assert.throws(() => verify(body, {}, "whsec_b3RoZXI="));
  });

  it("is the plain HMAC-SHA256 of the bytes, in hexadecimal", () => {
    const expected = createHmac("sha256", "a key").update(Buffer.from(body, "utf8")).digest("hex");
    assert.equal(headers["x-api-sha256-signature"], expected);
  });

  it("takes a secret without its prefix for the key's bytes, whatever stands inside", () => {
    const secret = "AAAAwhsec_AAAA";
    const sentAt = new Date("2026-03-01T09:00:00Z");
    const { "webhook-signature": given } = signerOf({ ...KEYS, secret })({
      ...{ id: "1", sentAt, body },
    });
    const bytes = Buffer.from(secret, "base64");
    const expected = createHmac("sha256", bytes).update(`1.1772355600.${body}`).digest("base64");
    assert.equal(given, `v1,${expected}`);
  });

  it("carries whole seconds", () => {
    const sentAt = new Date("2026-03-01T09:00:00.999Z");
    const { "webhook-timestamp": timestamp } = signerOf(KEYS)({ id: "1", sentAt, body });
    assert.equal(timestamp, "1772355600");
  });
});
