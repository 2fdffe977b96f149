// Secrets: digests that compare, seals that open only where they belong.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openSecrets, sameDigest } from "./secret.ts";

const secrets = openSecrets(Buffer.alloc(32, 1));
const others = openSecrets(Buffer.alloc(32, 2));

it("secrets are digested by key, purpose and text", () => {
  const digest = secrets.digest("api key", "text");
  assert.equal(digest.length, 32);
  assert.ok(sameDigest(digest, secrets.digest("api key", "text")));
  assert.ok(!sameDigest(digest, secrets.digest("api key", "texts")));
  assert.ok(!sameDigest(digest, secrets.digest("wallet", "text")));
  assert.ok(!sameDigest(digest, others.digest("api key", "text")));
  assert.ok(!sameDigest(digest, Buffer.alloc(0)));
});

it("secrets have digests that outlive a rotation, and fingerprints that do not", () => {
  const next = openSecrets(Buffer.alloc(32, 3));
  next.carryDigestKey(secrets.digestKey());
  assert.deepEqual(next.digest("api key", "text"), secrets.digest("api key", "text"));
  assert.notDeepEqual(next.fingerprint("wallet", "text"), secrets.fingerprint("wallet", "text"));
  assert.notDeepEqual(secrets.fingerprint("wallet", "text"), secrets.digest("wallet", "text"));
  const again = openSecrets(Buffer.alloc(32, 3));
  assert.deepEqual(again.fingerprint("wallet", "text"), next.fingerprint("wallet", "text"));
});

it("secrets open in their own row with their own key, and nowhere else", () => {
  const sealed = secrets.seal("row 1", "2202200000000007");
  assert.equal(secrets.open("row 1", sealed), "2202200000000007");
  assert.throws(() => secrets.open("row 2", sealed));
  assert.throws(() => others.open("row 1", sealed), /another secret key/);
  const last = sealed.length - 1;
  sealed[last] = (sealed[last] ?? 0) ^ 1;
  assert.throws(() => secrets.open("row 1", sealed));
});

it("secrets never look the same twice when sealed, and do not show the text", () => {
  const one = secrets.seal("row", "2202200000000007");
  assert.ok(!one.equals(secrets.seal("row", "2202200000000007")));
  assert.ok(!one.includes("2202200000000007"));
});
