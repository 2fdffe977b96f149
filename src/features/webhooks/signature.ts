// How a webhook is signed: twice, over exactly the bytes that are sent. One signature is the one that
// clients of this family of API know, the other is that of the Standard Webhooks specification.

import { createHmac } from "node:crypto";

export interface WebhookKeys {
  /** The key of x-api-sha256-signature, as it is. */
  readonly key: string;
  /** The secret of Standard Webhooks: whsec_ and the key's bytes in base64. */
  readonly secret: string;
}

export interface SignedContent {
  readonly id: string;
  readonly sentAt: Date;
  readonly body: string;
}

export function signatureHeaders(
  { key, secret }: WebhookKeys,
  { id, sentAt, body }: SignedContent,
): Record<string, string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const secretBytes = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signature = createHmac("sha256", secretBytes)
    .update(`${id}.${timestamp}.${body}`)
    .digest("base64");
  return {
    "x-api-sha256-signature": createHmac("sha256", key).update(body).digest("hex"),
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  };
}
