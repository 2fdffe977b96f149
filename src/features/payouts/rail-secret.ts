// The secret that the gateway and an http rail sign with, each to the other, by the Standard Webhooks: over the
// message's id, the seconds and exactly the bytes that are sent.

import { createHmac } from "node:crypto";
import type { Queryable, Tx } from "../../platform/db.ts";
import type { Secrets } from "../../platform/secret.ts";
import { allRails, replaceRailSecret } from "./rail-queries.ts";

export const SECRET_PREFIX = "whsec_";

export function sealRailSecret(secrets: Secrets, code: string, secret: string): Buffer {
  return secrets.seal(`${code} rail secret`, secret);
}

export function openRailSecret(secrets: Secrets, code: string, sealed: Buffer): string {
  return secrets.open(`${code} rail secret`, sealed);
}

export interface SignedMessage {
  readonly id: string;
  readonly seconds: string;
  readonly body: string;
}

export function railSignature(secret: string, { id, seconds, body }: SignedMessage): Buffer {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
  return createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest();
}

/** How many were sealed anew; whoever has locked the installation knows that these are all. */
export async function resealRails(tx: Tx, present: Secrets, next: Secrets): Promise<number> {
  const sealed = await sealedIn(tx);
  for (const [code, secret] of sealed) {
    await replaceRailSecret(
      tx,
      code,
      sealRailSecret(next, code, openRailSecret(present, code, secret)),
    );
  }
  return sealed.length;
}

/** Those that do not open with this secret key, in words. */
export async function railFaults(db: Queryable, secrets: Secrets): Promise<string[]> {
  return (await sealedIn(db)).flatMap(([code, secret]) => {
    try {
      openRailSecret(secrets, code, secret);
      return [];
    } catch {
      return [`the secret of rail ${code} does not open`];
    }
  });
}

async function sealedIn(db: Queryable): Promise<[code: string, sealed: Buffer][]> {
  const rows = await allRails(db);
  return rows.flatMap(({ code, secret_sealed: sealed }) =>
    sealed === null ? [] : [[code, sealed]],
  );
}
