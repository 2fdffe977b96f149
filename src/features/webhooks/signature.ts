// How a webhook is signed: twice, over exactly the bytes that are sent. One signature is the one that
// clients of this family of API know, the other is that of the Standard Webhooks specification.

import { createHmac, createSecretKey } from "node:crypto";

export interface WebhookKeys {
  /** The key of x-api-sha256-signature, as it is. */
  readonly key: string;
  /** The secret of Standard Webhooks: whsec_ and the key's bytes in base64. */
  readonly secret: string;
}

interface SignedContent {
  readonly id: string;
  readonly sentAt: Date;
  readonly body: string;
}

export type Signer = (content: SignedContent) => Record<string, string>;

/** Made once for a shop: a key as bytes is read anew for every signature, which takes five times as long. */
export function signerOf({ key, secret }: WebhookKeys): Signer {
  const familyKey = createSecretKey(Buffer.from(key));
  const standardKey = createSecretKey(Buffer.from(secret.replace(/^whsec_/, ""), "base64"));
  return ({ id, sentAt, body }) => {
    const timestamp = String(Math.floor(sentAt.getTime() / 1000));
    const signature = createHmac("sha256", standardKey)
      .update(`${id}.${timestamp}.${body}`)
      .digest("base64");
    return {
      "x-api-sha256-signature": createHmac("sha256", familyKey).update(body).digest("hex"),
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signature}`,
    };
  };
}
