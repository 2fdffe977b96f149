// Passkeys (WebAuthn): options for a browser, and the check of its answer.
// A signature must be of this challenge, this site and the stored key, by a verified person.

import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import { sameDigest } from "./secret.ts";

/** COSE's numbers, by how many devices can do them: ES256, RS256, EdDSA with Ed25519. */
const ALGORITHMS = [-7, -257, -8] as const;
type PasskeyAlgorithm = (typeof ALGORITHMS)[number];

const TIMEOUT_MS = 300_000;
const MIN_CHALLENGE_BYTES = 16;

const MAX_CREDENTIAL_CHARACTERS = 65_536;
const MAX_CLIENT_DATA_BYTES = 4_096;
const MAX_AUTHENTICATOR_DATA_BYTES = 8_192;
const MAX_CREDENTIAL_ID_BYTES = 1_023;
const MAX_USER_HANDLE_BYTES = 64;
const MAX_KEY_BYTES = 1_200;
const MAX_SIGNATURE_BYTES = 1_200;
const RSA_BITS = { min: 2_048, max: 8_192 };
/** A larger one makes every check slow, and nobody has it. */
const RSA_EXPONENT = 65_537n;

/** Bits of the flags: present, verified, may be backed up, is backed up, has a new key, has extensions. */
const [UP, UV, BE, BS, AT, ED] = [0x01, 0x04, 0x08, 0x10, 0x40, 0x80] as const;
const HEAD_BYTES = 37;
const AAGUID_BYTES = 16;

export type PasskeyProblem =
  | "malformed"
  | "wrong_type"
  | "wrong_challenge"
  | "wrong_origin"
  | "cross_origin"
  | "wrong_site"
  | "not_present"
  | "not_verified"
  | "wrong_id"
  | "wrong_person"
  | "key_missing"
  | "key_unfit"
  | "counter_behind"
  | "wrong_signature";

/** The answer of a browser is not good; the code says why, for the log, and for words elsewhere. */
export class PasskeyRefusal extends Error {
  readonly code: PasskeyProblem;

  constructor(code: PasskeyProblem) {
    super(`The passkey is refused: ${code}.`);
    this.code = code;
  }
}

/** For PublicKeyCredential.parseCreationOptionsFromJSON. The challenge is text in base64url: `secrets.fresh("")`. */
export function creationOptions(of: {
  readonly rpId: string;
  readonly siteName: string;
  readonly challenge: string;
  readonly person: { readonly id: string; readonly name: string; readonly displayName: string };
  /** Ids of the passkeys that the person has: a device makes no second one. */
  readonly known: readonly string[];
}) {
  const { id, name, displayName } = of.person;
  return {
    rp: { id: of.rpId, name: of.siteName },
    user: { id: Buffer.from(id).toString("base64url"), name, displayName },
    challenge: of.challenge,
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
    timeout: TIMEOUT_MS,
    excludeCredentials: of.known.map((known) => ({ type: "public-key", id: known })),
    authenticatorSelection: {
      residentKey: "required",
      requireResidentKey: true,
      userVerification: "required",
    },
    attestation: "none",
  };
}

/** For PublicKeyCredential.parseRequestOptionsFromJSON. Without ids, anybody's passkey of this site will do. */
export function requestOptions(of: {
  readonly rpId: string;
  readonly challenge: string;
  readonly allowed?: readonly string[];
}) {
  return {
    challenge: of.challenge,
    rpId: of.rpId,
    timeout: TIMEOUT_MS,
    userVerification: "required",
    allowCredentials: (of.allowed ?? []).map((id) => ({ type: "public-key", id })),
  };
}

export interface PasskeyQuestion {
  /** JSON of credential.toJSON(), as the form's field has it. */
  readonly credential: string;
  readonly challenge: string;
  /** Of the pages, with scheme and port. */
  readonly origin: string;
  readonly rpId: string;
}

export interface NewPasskey {
  /** In base64url; so it stands in the options, too. */
  readonly credentialId: string;
  /** SPKI in DER. */
  readonly publicKey: Buffer;
  readonly algorithm: PasskeyAlgorithm;
  readonly signCount: number;
  readonly isBackedUp: boolean;
}

/** A new passkey, to be stored; its id must be nobody else's, which a unique index sees to. */
export function checkRegistration(question: PasskeyQuestion): NewPasskey {
  const { credentialId, response } = answerOf(question.credential);
  checkClientData(response, "webauthn.create", question);
  const data = authenticatorDataOf(response, question.rpId);
  if ((data.flags & AT) === 0) throw new PasskeyRefusal("malformed");
  const idStart = AAGUID_BYTES + 2;
  if (data.rest.length < idStart) throw new PasskeyRefusal("malformed");
  const idEnd = idStart + data.rest.readUInt16BE(AAGUID_BYTES);
  // Behind the id stands the key once more, in CBOR.
  if (data.rest.length <= idEnd) throw new PasskeyRefusal("malformed");
  const attestedId = data.rest.subarray(idStart, idEnd).toString("base64url");
  if (attestedId !== credentialId) throw new PasskeyRefusal("wrong_id");
  const algorithm = ALGORITHMS.find((known) => known === response["publicKeyAlgorithm"]);
  if (algorithm === undefined) throw new PasskeyRefusal("key_unfit");
  if (response["publicKey"] === undefined) throw new PasskeyRefusal("key_missing");
  const key = keyOf(bytesOf(response["publicKey"], MAX_KEY_BYTES), algorithm);
  const publicKey = key.export({ type: "spki", format: "der" });
  const { signCount, isBackedUp } = data;
  return { credentialId, publicKey, algorithm, signCount, isBackedUp };
}

/** Whose passkey an answer says it is: to find what is stored, before anything is proven. */
export function claimedCredentialId(credential: string): string {
  return answerOf(credential).credentialId;
}

export interface StoredPasskey {
  readonly credentialId: string;
  readonly publicKey: Buffer;
  readonly algorithm: number;
  readonly signCount: number;
  /** What the options of the creation had as the person's id. */
  readonly personId: string;
}

/** The person of the stored passkey is here, now. Both values are to be stored. */
export function checkAssertion(
  question: PasskeyQuestion & { readonly stored: StoredPasskey },
): Pick<NewPasskey, "signCount" | "isBackedUp"> {
  const { stored } = question;
  const { credentialId, response } = answerOf(question.credential);
  if (credentialId !== stored.credentialId) throw new PasskeyRefusal("wrong_id");
  const handle = response["userHandle"] ?? "";
  const person = handle === "" ? undefined : bytesOf(handle, MAX_USER_HANDLE_BYTES);
  if (person !== undefined && !person.equals(Buffer.from(stored.personId)))
    throw new PasskeyRefusal("wrong_person");
  const clientData = checkClientData(response, "webauthn.get", question);
  const data = authenticatorDataOf(response, question.rpId);
  const algorithm = ALGORITHMS.find((known) => known === stored.algorithm);
  if (algorithm === undefined) throw new PasskeyRefusal("key_unfit");
  const key = keyOf(stored.publicKey, algorithm);
  const signed = Buffer.concat([data.bytes, sha256(clientData)]);
  const signature = bytesOf(response["signature"], MAX_SIGNATURE_BYTES);
  if (!isSigned(signed, key, algorithm, signature)) throw new PasskeyRefusal("wrong_signature");
  // One that does not count says 0 for ever. One that does and does not get on has been copied.
  const counts = data.signCount !== 0 || stored.signCount !== 0;
  if (counts && data.signCount <= stored.signCount) throw new PasskeyRefusal("counter_behind");
  return { signCount: data.signCount, isBackedUp: data.isBackedUp };
}

type Json = Readonly<Record<string, unknown>>;

function answerOf(credential: string): { credentialId: string; response: Json } {
  if (credential.length > MAX_CREDENTIAL_CHARACTERS) throw new PasskeyRefusal("malformed");
  const answer = objectOf(parsed(credential));
  const response = objectOf(answer["response"]);
  const id = bytesOf(answer["id"], MAX_CREDENTIAL_ID_BYTES);
  const isWhole = answer["type"] === "public-key" && answer["rawId"] === answer["id"];
  if (!isWhole || id.length === 0) throw new PasskeyRefusal("malformed");
  return { credentialId: id.toString("base64url"), response };
}

/** What the browser says of where it was asked and for what; the bytes of it are what is signed. */
function checkClientData(response: Json, type: string, question: PasskeyQuestion): Buffer {
  const expected = Buffer.from(question.challenge, "base64url");
  if (expected.length < MIN_CHALLENGE_BYTES) throw new PasskeyRefusal("wrong_challenge");
  const bytes = bytesOf(response["clientDataJSON"], MAX_CLIENT_DATA_BYTES);
  const said = objectOf(parsed(bytes.toString("utf8")));
  if (said["type"] !== type) throw new PasskeyRefusal("wrong_type");
  const challenge = bytesOf(said["challenge"], MAX_CLIENT_DATA_BYTES);
  if (!sameDigest(challenge, expected)) throw new PasskeyRefusal("wrong_challenge");
  if (said["origin"] !== question.origin) throw new PasskeyRefusal("wrong_origin");
  const isFramed = (said["crossOrigin"] ?? false) !== false || said["topOrigin"] !== undefined;
  if (isFramed) throw new PasskeyRefusal("cross_origin");
  return bytes;
}

/** What the device says; what a new key or extensions add to it is the rest. */
function authenticatorDataOf(response: Json, rpId: string) {
  const bytes = bytesOf(response["authenticatorData"], MAX_AUTHENTICATOR_DATA_BYTES);
  if (bytes.length < HEAD_BYTES) throw new PasskeyRefusal("malformed");
  if (!sameDigest(bytes.subarray(0, 32), sha256(Buffer.from(rpId))))
    throw new PasskeyRefusal("wrong_site");
  const flags = bytes.readUInt8(32);
  if ((flags & UP) === 0) throw new PasskeyRefusal("not_present");
  if ((flags & UV) === 0) throw new PasskeyRefusal("not_verified");
  const rest = bytes.subarray(HEAD_BYTES);
  const isBackedUp = (flags & BS) !== 0;
  const isConsistent =
    (!isBackedUp || (flags & BE) !== 0) && rest.length > 0 === ((flags & (AT | ED)) !== 0);
  if (!isConsistent) throw new PasskeyRefusal("malformed");
  return { bytes, flags, signCount: bytes.readUInt32BE(33), rest, isBackedUp };
}

function keyOf(spki: Buffer, algorithm: PasskeyAlgorithm): KeyObject {
  const key = read(() => createPublicKey({ key: spki, format: "der", type: "spki" }), "key_unfit");
  const { namedCurve, modulusLength = 0, publicExponent } = key.asymmetricKeyDetails ?? {};
  const isFit = {
    [-7]: key.asymmetricKeyType === "ec" && namedCurve === "prime256v1",
    [-257]:
      key.asymmetricKeyType === "rsa" &&
      modulusLength >= RSA_BITS.min &&
      modulusLength <= RSA_BITS.max &&
      publicExponent === RSA_EXPONENT,
    [-8]: key.asymmetricKeyType === "ed25519",
  }[algorithm];
  if (!isFit) throw new PasskeyRefusal("key_unfit");
  return key;
}

function isSigned(
  signed: Buffer,
  key: KeyObject,
  algorithm: PasskeyAlgorithm,
  signature: Buffer,
): boolean {
  const digest = algorithm === -8 ? null : "sha256";
  return read(() => verify(digest, signed, key, signature), "wrong_signature");
}

/** What Node throws at bytes that are not what they should be says nothing to anybody. */
function read<Value>(work: () => Value, problem: PasskeyProblem): Value {
  try {
    return work();
  } catch {
    throw new PasskeyRefusal(problem);
  }
}

function parsed(text: string): unknown {
  return read((): unknown => JSON.parse(text), "malformed");
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function objectOf(value: unknown): Json {
  if (!isObject(value)) throw new PasskeyRefusal("malformed");
  return value;
}

/** Of base64url in its one right writing, so that no two texts are the same bytes. */
function bytesOf(value: unknown, maxBytes: number): Buffer {
  if (typeof value !== "string" || value.length > Math.ceil((maxBytes * 4) / 3))
    throw new PasskeyRefusal("malformed");
  const bytes = Buffer.from(value, "base64url");
  if (bytes.toString("base64url") !== value) throw new PasskeyRefusal("malformed");
  return bytes;
}

function sha256(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest();
}
