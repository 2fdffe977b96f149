// What the service's one secret key is good for: digests of secrets that are only ever compared, and
// sealed texts that must be read again. Guards that a database dump alone gives away neither.

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

export interface Secrets {
  /** A fresh secret that nobody guesses: 192 random bits, safe in a URL and in a shell. */
  fresh(prefix: string): string;
  /** The same as hexadecimal characters, two for a byte. */
  freshHex(bytes: number): string;
  /** The same in the form of the Standard Webhooks: base64 of 256 random bits. */
  freshBase64(prefix: string): string;
  /** A keyed digest; the purpose keeps equal texts of two kinds apart. */
  digest(purpose: string, text: string): Buffer;
  /** AES-256-GCM bound to the row that holds it: moved to another row it does not open. */
  seal(rowId: string, text: string): Buffer;
  open(rowId: string, sealed: Buffer): string;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_BYTES = 4;

export function openSecrets(secretKey: Buffer): Secrets {
  const digestKey = derive(secretKey, "digest");
  const sealKey = derive(secretKey, "seal");
  // Tells which key sealed a text, so that keys can be rotated row by row.
  const keyId = derive(secretKey, "key id").subarray(0, KEY_ID_BYTES);
  return {
    fresh: (prefix) => prefix + randomBytes(24).toString("base64url"),
    freshHex: (bytes) => randomBytes(bytes).toString("hex"),
    freshBase64: (prefix) => prefix + randomBytes(32).toString("base64"),
    digest: (purpose, text) =>
      createHmac("sha256", digestKey).update(purpose).update("\0").update(text).digest(),
    seal(rowId, text) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", sealKey, iv).setAAD(Buffer.from(rowId));
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([keyId, iv, cipher.getAuthTag(), body]);
    },
    open(rowId, sealed) {
      if (!sealed.subarray(0, KEY_ID_BYTES).equals(keyId)) {
        throw new Error("This text was sealed with another secret key.");
      }
      const iv = sealed.subarray(KEY_ID_BYTES, KEY_ID_BYTES + IV_BYTES);
      const tag = sealed.subarray(KEY_ID_BYTES + IV_BYTES, KEY_ID_BYTES + IV_BYTES + TAG_BYTES);
      const decipher = createDecipheriv("aes-256-gcm", sealKey, iv)
        .setAAD(Buffer.from(rowId))
        .setAuthTag(tag);
      const body = sealed.subarray(KEY_ID_BYTES + IV_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
    },
  };
}

/** Constant time for digests, which all have one length. */
export function sameDigest(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

function derive(secretKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secretKey, "", `kopeck ${purpose}`, 32));
}
