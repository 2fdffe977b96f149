// A webhook's signature, where no delivery shows it: what counts as the key's bytes. That webhooks verify
// with the public package and by a plain HMAC is seen at src/features/merchants/manage-shops.endpoint.test.ts.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { it } from "node:test";
import { signed, signerOf } from "./signature.ts";

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
