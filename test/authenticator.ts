// A passkey made of software, with the browser around it: it answers what a page puts into data-options with
// the JSON that credential.toJSON() would give, so that a test signs in over HTTP. What it says can be bent
// at every place, for whoever tests that bent answers are refused.

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

interface CreationOptions {
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
  readonly challenge: string;
}

interface RequestOptions {
  readonly rpId: string;
  readonly challenge: string;
  readonly allowCredentials?: readonly { readonly id: string }[];
}

/** What an answer says otherwise than it should. */
export interface Bend {
  /** Added to what the browser says, or instead of it. */
  readonly clientData?: Readonly<Record<string, unknown>>;
  readonly clientDataText?: string;
  readonly rpId?: string;
  readonly flags?: number;
  readonly signCount?: number;
  readonly attestedId?: Buffer;
  /** Bytes that follow the rest. */
  readonly tail?: Buffer;
  readonly answer?: Readonly<Record<string, unknown>>;
  readonly response?: Readonly<Record<string, unknown>>;
}

interface Kept {
  readonly id: string;
  readonly rpId: string;
  readonly userHandle: string;
  readonly privateKey: KeyObject;
}

export type Algorithm = -7 | -257 | -8;

const UP_UV = 0x05;
const NEW_KEY = 0x40;

function keyPair(algorithm: Algorithm) {
  if (algorithm === -7) return generateKeyPairSync("ec", { namedCurve: "P-256" });
  if (algorithm === -8) return generateKeyPairSync("ed25519");
  return generateKeyPairSync("rsa", { modulusLength: 2048 });
}

/** The key as devices have it, in COSE: nobody here reads it, but it stands where it stands. */
function coseKey(key: KeyObject): Buffer {
  const { kty, x = "", y = "", n = "" } = key.export({ format: "jwk" });
  const hex = (text: string) => Buffer.from(text, "base64url").toString("hex");
  if (kty === "EC") return Buffer.from(`a5010203262001215820${hex(x)}225820${hex(y)}`, "hex");
  if (kty === "OKP") return Buffer.from(`a4010103272006215820${hex(x)}`, "hex");
  return Buffer.from(`a401030339010020590100${hex(n)}2143010001`, "hex");
}

const sha256 = (bytes: Buffer | string) => createHash("sha256").update(bytes).digest();
const text = (bytes: Buffer) => bytes.toString("base64url");

export function softwareAuthenticator({
  origin,
  algorithm = -7,
  counts = true,
}: {
  origin: string;
  algorithm?: Algorithm;
  counts?: boolean;
}) {
  const kept: Kept[] = [];
  let signCount = 0;

  function clientData(type: string, challenge: string, bend: Bend): Buffer {
    const said = { type, challenge, origin, crossOrigin: false, ...bend.clientData };
    return Buffer.from(bend.clientDataText ?? JSON.stringify(said));
  }

  function deviceData(rpId: string, flags: number, bend: Bend, rest: readonly Buffer[]): Buffer {
    const counter = Buffer.alloc(4);
    if (counts) signCount += 1;
    counter.writeUInt32BE(bend.signCount ?? signCount);
    const head = [sha256(bend.rpId ?? rpId), Buffer.from([bend.flags ?? flags]), counter];
    return Buffer.concat([...head, ...rest, bend.tail ?? Buffer.alloc(0)]);
  }

  function answer(id: string, response: object, bend: Bend): string {
    return JSON.stringify({
      id,
      rawId: id,
      type: "public-key",
      authenticatorAttachment: "platform",
      clientExtensionResults: {},
      response: { ...response, ...bend.response },
      ...bend.answer,
    });
  }

  return {
    /** Makes a passkey and keeps it. */
    create(options: CreationOptions, bend: Bend = {}): string {
      const { publicKey, privateKey } = keyPair(algorithm);
      const id = randomBytes(32);
      kept.push({ id: text(id), rpId: options.rp.id, userHandle: options.user.id, privateKey });
      const idLength = Buffer.alloc(2);
      idLength.writeUInt16BE((bend.attestedId ?? id).length);
      const rest = [Buffer.alloc(16), idLength, bend.attestedId ?? id, coseKey(publicKey)];
      const data = deviceData(options.rp.id, UP_UV | NEW_KEY, bend, rest);
      const response = {
        clientDataJSON: text(clientData("webauthn.create", options.challenge, bend)),
        authenticatorData: text(data),
        transports: ["internal"],
        publicKey: text(publicKey.export({ type: "spki", format: "der" })),
        publicKeyAlgorithm: algorithm,
      };
      return answer(text(id), response, bend);
    },
    /** Signs with the passkey that was made last, of those that the options allow. */
    get(options: RequestOptions, bend: Bend = {}): string {
      const allowed = (options.allowCredentials ?? []).map(({ id }) => id);
      const own = kept.findLast(
        ({ id, rpId }) => rpId === options.rpId && (allowed.length === 0 || allowed.includes(id)),
      );
      if (own === undefined) throw new Error("There is no passkey for this here.");
      const said = clientData("webauthn.get", options.challenge, bend);
      const data = deviceData(options.rpId, UP_UV, bend, []);
      const signed = Buffer.concat([data, sha256(said)]);
      const response = {
        clientDataJSON: text(said),
        authenticatorData: text(data),
        signature: text(sign(algorithm === -8 ? null : "sha256", signed, own.privateKey)),
        userHandle: own.userHandle,
      };
      return answer(own.id, response, bend);
    },
  };
}
