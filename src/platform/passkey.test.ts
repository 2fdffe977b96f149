// Passkeys: an answer is good if every part of it is, and whatever else is sent is refused by name.

import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { it } from "node:test";
import fc from "fast-check";
import { type Algorithm, type Bend, softwareAuthenticator } from "../../test/authenticator.ts";
import { checkProperty } from "../../test/property.ts";
import {
  checkAssertion,
  checkRegistration,
  claimedCredentialId,
  creationOptions,
  type PasskeyProblem,
  PasskeyRefusal,
  requestOptions,
} from "./passkey.ts";

const ORIGIN = "https://desk.example.com:8443";
const RP_ID = "example.com";
const CHALLENGE = Buffer.alloc(24, 5).toString("base64url");
const OTHER_CHALLENGE = Buffer.alloc(24, 6).toString("base64url");
const PERSON = { id: "019a3f00-0000-7000-8000-000000000001", name: "a@b.c", displayName: "Анна" };
const PLACE = { origin: ORIGIN, rpId: RP_ID };

const CREATION = creationOptions({
  rpId: RP_ID,
  siteName: "Desk",
  challenge: CHALLENGE,
  person: PERSON,
  known: ["AAAA"],
});
const REQUEST = requestOptions({ rpId: RP_ID, challenge: OTHER_CHALLENGE });

const device = (of: { algorithm?: Algorithm; counts?: boolean } = {}) =>
  softwareAuthenticator({ origin: ORIGIN, ...of });

function register(credential: string, place = {}) {
  return checkRegistration({ credential, challenge: CHALLENGE, ...PLACE, ...place });
}

function isRefusal(code: PasskeyProblem) {
  return (error: unknown) => error instanceof PasskeyRefusal && error.code === code;
}

it("passkeys are asked for with a verified person, kept on the device, from nobody in particular", () => {
  assert.deepEqual(CREATION.authenticatorSelection, {
    residentKey: "required",
    requireResidentKey: true,
    userVerification: "required",
  });
  assert.equal(CREATION.attestation, "none");
  assert.deepEqual(
    CREATION.pubKeyCredParams.map(({ alg }) => alg),
    [-7, -257, -8],
  );
  assert.equal(Buffer.from(CREATION.user.id, "base64url").toString(), PERSON.id);
  assert.deepEqual(CREATION.excludeCredentials, [{ type: "public-key", id: "AAAA" }]);
  assert.equal(REQUEST.userVerification, "required");
  assert.deepEqual(REQUEST.allowCredentials, []);
});

for (const algorithm of [-7, -257, -8] as const)
  it(`a passkey of algorithm ${algorithm} is made, and signs in again and again`, () => {
    const phone = device({ algorithm });
    const credential = phone.create(CREATION);
    const made = register(credential);
    assert.equal(made.algorithm, algorithm);
    assert.equal(made.credentialId, claimedCredentialId(credential));
    assert.equal(made.isBackedUp, false);
    let signCount = made.signCount;
    for (const counted of [2, 3]) {
      const allowed = [made.credentialId];
      const answer = phone.get(requestOptions({ ...REQUEST, allowed }));
      const stored = { ...made, signCount, personId: PERSON.id };
      const seen = { credential: answer, challenge: OTHER_CHALLENGE, ...PLACE, stored };
      assert.deepEqual(checkAssertion(seen), { signCount: counted, isBackedUp: false });
      signCount = counted;
      assert.throws(
        () => checkAssertion({ ...seen, stored: { ...stored, signCount } }),
        isRefusal("counter_behind"),
      );
    }
  });

it("a passkey that is backed up and does not count says so, and 0 stays 0", () => {
  const cloud = device({ counts: false });
  const made = register(cloud.create(CREATION, { flags: 0x5d }));
  assert.deepEqual([made.signCount, made.isBackedUp], [0, true]);
  const credential = cloud.get(REQUEST, { flags: 0x1d });
  const stored = { ...made, personId: PERSON.id };
  const question = { credential, challenge: OTHER_CHALLENGE, ...PLACE };
  assert.deepEqual(checkAssertion({ ...question, stored }), { signCount: 0, isBackedUp: true });
  assert.throws(
    () => checkAssertion({ ...question, stored: { ...stored, signCount: 1 } }),
    isRefusal("counter_behind"),
  );
});

/** What is wrong with either kind of answer, bent in the same way. */
const BENT: readonly (readonly [string, PasskeyProblem, Bend])[] = [
  ["another challenge", "wrong_challenge", { clientData: { challenge: "AAAA" } }],
  ["a challenge that is no text", "malformed", { clientData: { challenge: [CHALLENGE] } }],
  ["another origin", "wrong_origin", { clientData: { origin: "https://evil.example" } }],
  ["no origin", "wrong_origin", { clientData: { origin: undefined } }],
  ["a frame", "cross_origin", { clientData: { crossOrigin: true } }],
  ["a page above", "cross_origin", { clientData: { topOrigin: "https://evil.example" } }],
  ["another type", "wrong_type", { clientData: { type: "payment.get" } }],
  ["no JSON", "malformed", { clientDataText: "{" }],
  ["a list", "malformed", { clientDataText: "[]" }],
  ["too much of it", "malformed", { clientData: { extra: "x".repeat(5_000) } }],
  ["another site", "wrong_site", { rpId: "evil.example" }],
  ["nobody there", "not_present", { flags: 0x44 }],
  ["nobody verified", "not_verified", { flags: 0x41 }],
  ["backed up, which it cannot be", "malformed", { flags: 0x55 }],
  ["no device's data", "malformed", { response: { authenticatorData: "AAAA" } }],
  ["base64 of another kind", "malformed", { response: { clientDataJSON: "e30=" } }],
  ["another type of credential", "malformed", { answer: { type: "password" } }],
  ["two ids", "malformed", { answer: { rawId: "AAAA" } }],
  ["a long id", "malformed", { answer: { id: "A".repeat(1_400), rawId: "A".repeat(1_400) } }],
  ["another id", "wrong_id", { answer: { id: "AAAA", rawId: "AAAA" } }],
  ["no response", "malformed", { answer: { response: null } }],
  ["a very large answer", "malformed", { answer: { extra: "x".repeat(70_000) } }],
];

const phone = device();
const made = register(phone.create(CREATION));
const stored = { ...made, personId: PERSON.id };

function signIn(credential: string, other = {}) {
  const question = { credential, challenge: OTHER_CHALLENGE, ...PLACE, stored };
  return checkAssertion({ ...question, ...other });
}

for (const [name, code, bend] of BENT) {
  it(`a new passkey is refused: ${name}`, () => {
    assert.throws(() => register(device().create(CREATION, bend)), isRefusal(code));
  });
  it(`a sign-in is refused: ${name}`, () => {
    // An assertion has no new key, so its flags are those without that bit.
    const flags = bend.flags === undefined ? {} : { flags: bend.flags & ~0x40 };
    assert.throws(() => signIn(phone.get(REQUEST, { ...bend, ...flags })), isRefusal(code));
  });
}

const spki = (key: KeyObject) => key.export({ type: "spki", format: "der" }).toString("base64url");
const ed25519 = spki(generateKeyPairSync("ed25519").publicKey);
const p384 = spki(generateKeyPairSync("ec", { namedCurve: "P-384" }).publicKey);
const rsa1024 = spki(generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey);
const rsaOf3 = spki(
  generateKeyPairSync("rsa", { modulusLength: 2048, publicExponent: 3 }).publicKey,
);

for (const [name, code, bend] of [
  ["no key", "key_missing", { response: { publicKey: undefined } }],
  ["a key that is none", "key_unfit", { response: { publicKey: "AAAA" } }],
  ["a key that is no text", "malformed", { response: { publicKey: {} } }],
  ["a huge key", "malformed", { response: { publicKey: "A".repeat(4_000) } }],
  ["a key of another kind", "key_unfit", { response: { publicKey: ed25519 } }],
  ["a key on another curve", "key_unfit", { response: { publicKey: p384 } }],
  ["a short key", "key_unfit", { response: { publicKey: rsa1024, publicKeyAlgorithm: -257 } }],
  [
    "a strange exponent",
    "key_unfit",
    { response: { publicKey: rsaOf3, publicKeyAlgorithm: -257 } },
  ],
  ["another algorithm than the key's", "key_unfit", { response: { publicKeyAlgorithm: -257 } }],
  ["an unknown algorithm", "key_unfit", { response: { publicKeyAlgorithm: -65_535 } }],
  ["an algorithm as text", "key_unfit", { response: { publicKeyAlgorithm: "-7" } }],
  ["an algorithm of every object", "key_unfit", { response: { publicKeyAlgorithm: "toString" } }],
  ["another id on the device", "wrong_id", { attestedId: Buffer.alloc(32, 9) }],
  ["no new key", "malformed", { flags: 0x05 }],
  ["a type of signing in", "wrong_type", { clientData: { type: "webauthn.get" } }],
] as const)
  it(`a new passkey is refused: ${name}`, () => {
    assert.throws(() => register(device().create(CREATION, bend)), isRefusal(code));
  });

it("a new passkey is refused wherever the device's data is cut off", () => {
  const credential = JSON.parse(device().create(CREATION));
  const whole = Buffer.from(credential.response.authenticatorData, "base64url");
  // Up to the end of the id; behind it stands the key in CBOR, which nobody reads.
  for (let length = 0; length <= 37 + 16 + 2 + 32; length += 1) {
    credential.response.authenticatorData = whole.subarray(0, length).toString("base64url");
    assert.throws(() => register(JSON.stringify(credential)), isRefusal("malformed"));
  }
});

for (const [name, code, bend] of [
  ["another's handle", "wrong_person", { response: { userHandle: "AAAA" } }],
  ["a handle that is no text", "malformed", { response: { userHandle: 1 } }],
  ["a huge handle", "malformed", { response: { userHandle: "A".repeat(100) } }],
  ["no signature", "malformed", { response: { signature: undefined } }],
  ["an empty signature", "wrong_signature", { response: { signature: "" } }],
  ["a signature that is none", "wrong_signature", { response: { signature: "AAAA" } }],
  ["a huge signature", "malformed", { response: { signature: "A".repeat(4_000) } }],
  ["bytes behind the device's data", "malformed", { tail: Buffer.from([0]) }],
  ["extensions that are not there", "malformed", { flags: 0x85 }],
  ["a type of making one", "wrong_type", { clientData: { type: "webauthn.create" } }],
] as const)
  it(`a sign-in is refused: ${name}`, () => {
    assert.throws(() => signIn(phone.get(REQUEST, bend)), isRefusal(code));
  });

it("a sign-in is good without a handle, and with extensions", () => {
  const bare = { response: { userHandle: undefined } };
  assert.equal(signIn(phone.get(REQUEST, bare)).isBackedUp, false);
  const extended = { flags: 0x85, tail: Buffer.from("a0", "hex") };
  assert.equal(signIn(phone.get(REQUEST, extended)).isBackedUp, false);
});

it("a sign-in is refused if anything of what was signed, or of the signature, is another", () => {
  const honest = JSON.parse(phone.get(REQUEST));
  const bytesOf = (part: string) => Buffer.from(honest.response[part], "base64url");
  const lastBitOf = (bytes: Buffer) =>
    Buffer.concat([bytes.subarray(0, -1), Buffer.from([(bytes.at(-1) ?? 0) ^ 1])]);
  for (const [part, bytes] of [
    ["signature", lastBitOf(bytesOf("signature"))],
    ["authenticatorData", lastBitOf(bytesOf("authenticatorData"))],
    ["clientDataJSON", Buffer.concat([Buffer.from(" "), bytesOf("clientDataJSON")])],
  ] as const) {
    const response = { ...honest.response, [part]: bytes.toString("base64url") };
    const bent = JSON.stringify({ ...honest, response });
    assert.throws(() => signIn(bent), isRefusal("wrong_signature"));
  }
  assert.equal(signIn(JSON.stringify(honest)).isBackedUp, false);
});

it("a sign-in is refused with another's key, and with a key of another kind", () => {
  const other = register(device().create(CREATION));
  const answer = phone.get(REQUEST);
  const withKey = (publicKey: Buffer, algorithm: number) => () =>
    signIn(answer, { stored: { ...stored, publicKey, algorithm } });
  assert.throws(withKey(other.publicKey, -7), isRefusal("wrong_signature"));
  assert.throws(withKey(other.publicKey, -8), isRefusal("key_unfit"));
  assert.throws(withKey(other.publicKey, -37), isRefusal("key_unfit"));
  assert.throws(withKey(Buffer.alloc(0), -7), isRefusal("key_unfit"));
});

it("a challenge that is none, as a form may bring one, is refused", () => {
  const answer = phone.get({ ...REQUEST, challenge: "" });
  assert.throws(() => signIn(answer, { challenge: "" }), { code: "wrong_challenge" });
});

it("whatever JSON is sent, it is refused and nothing else is thrown", () => {
  const honest = JSON.parse(phone.get(REQUEST));
  const anything = fc.oneof(
    fc.string(),
    fc.json(),
    fc.jsonValue().map((v) => JSON.stringify(v)),
  );
  const bent = fc
    .record({ response: fc.dictionary(fc.constantFrom(...RESPONSE_NAMES), fc.jsonValue()) })
    .map(({ response }) => ({ ...honest, response: { ...honest.response, ...response } }))
    .filter(({ response }) => JSON.stringify(response) !== JSON.stringify(honest.response))
    .map((answer) => JSON.stringify(answer));
  checkProperty(
    fc.property(fc.oneof(anything, bent), (credential) => {
      for (const check of [register, signIn]) {
        try {
          check(credential);
        } catch (error) {
          assert.ok(error instanceof PasskeyRefusal, String(error));
          continue;
        }
        // Only the handle may be left out: everything else that is other is refused.
        assert.equal(JSON.parse(credential).response.signature, honest.response.signature);
      }
    }),
  );
  for (const deep of ["[".repeat(60_000), '{"response":'.repeat(5_000)])
    assert.throws(() => signIn(deep), isRefusal("malformed"));
});

const RESPONSE_NAMES = [
  "clientDataJSON",
  "authenticatorData",
  "signature",
  "userHandle",
  "publicKey",
  "publicKeyAlgorithm",
];
