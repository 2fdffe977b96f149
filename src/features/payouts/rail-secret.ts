// The secret that the gateway and an http rail sign with, each to the other, by the Standard Webhooks: over the
// message's id, the seconds and exactly the bytes that are sent.

import { createHmac } from "node:crypto";
import type { Secrets } from "../../platform/secret.ts";

export const SECRET_PREFIX = "whsec_";

export function railSecretSeal(code: string): string {
  return `${code} rail secret`;
}

export function sealRailSecret(secrets: Secrets, code: string, secret: string): Buffer {
  return secrets.seal(railSecretSeal(code), secret);
}

export function openRailSecret(secrets: Secrets, code: string, sealed: Buffer): string {
  return secrets.open(railSecretSeal(code), sealed);
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

/** Such an answer says nothing: one of its states could give back money that has left. */
export function namesTwoStates(written: string): boolean {
  return (written.match(/"state"\s*:/g)?.length ?? 0) > 1;
}
