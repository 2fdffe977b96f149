// What the gateway signs a webhook with, for whoever plays the gateway: a test of a receiver, or what hands
// events on that were read from the feed.

import { bytesOf, bytesOfBase64 } from "./bytes.ts";

export interface WebhookContent {
  /** The event's id, which is the webhook's. */
  readonly id: string;
  readonly body: string;
  /** The shop's webhook key. */
  readonly key: string;
  /** The shop's whsec_… secret. */
  readonly secret: string;
  /** When it is sent; now when left out. */
  readonly sentAt?: Date | undefined;
}

/** The headers of both signatures, over exactly this body. */
export async function signWebhook({
  id,
  body,
  key,
  secret,
  sentAt = new Date(),
}: WebhookContent): Promise<Record<string, string>> {
  const keyBytes = bytesOf(key);
  const secretBytes = bytesOfBase64(secret.replace(/^whsec_/, ""));
  if (keyBytes.length === 0 || !secretBytes?.length) {
    throw new TypeError("Give the webhook key and the whsec_ secret.");
  }
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const [family, standard] = await Promise.all([
    hmac(keyBytes, body),
    hmac(secretBytes, `${id}.${timestamp}.${body}`),
  ]);
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "x-api-sha256-signature": Array.from(family, (byte) => byte.toString(16).padStart(2, "0")).join(
      "",
    ),
    "webhook-signature": `v1,${btoa(String.fromCharCode(...standard))}`,
  };
}

async function hmac(keyBytes: Uint8Array<ArrayBuffer>, content: string): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", keyBytes, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, bytesOf(content)));
}
