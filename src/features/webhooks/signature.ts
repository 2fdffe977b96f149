// How a webhook is signed: twice, over exactly the bytes that are sent. One signature is the one that
// clients of this family of API know, the other is that of the Standard Webhooks specification. Guards that
// while a shop changes its keys, a receiver that knows the old ones or the new ones believes what it is sent.

import { createHmac, createSecretKey } from "node:crypto";
import type { WebhookKeys } from "../merchants/queries.ts";

interface SignedContent {
  readonly id: string;
  readonly sentAt: Date;
  readonly body: string;
}

/** The family's signature and that of the standard, by one pair of keys. */
export type Signer = (content: SignedContent) => { family: string; standard: string };

/** Made once for a shop: a key as bytes is read anew for every signature, which takes five times as long. */
export function signerOf({ key, secret }: WebhookKeys): Signer {
  const familyKey = createSecretKey(Buffer.from(key));
  const standardKey = createSecretKey(Buffer.from(secret.replace(/^whsec_/, ""), "base64"));
  return ({ id, sentAt, body }) => {
    const signature = createHmac("sha256", standardKey)
      .update(`${id}.${timestampOf(sentAt)}.${body}`)
      .digest("base64");
    return {
      family: createHmac("sha256", familyKey).update(body).digest("hex"),
      standard: `v1,${signature}`,
    };
  };
}

/**
 * The headers of an attempt. The standard's header holds as many signatures as there are keys, the newest
 * first. The family's holds one, and its clients know one key: with old keys beside the new ones it is by
 * the old on the first attempt, by the new on the next, and so on in turns, so that whoever refuses one of
 * them gets the other after the first pause of the schedule.
 */
export function signed(
  content: SignedContent,
  signers: { readonly fresh: Signer; readonly old: Signer | undefined },
  turn: number,
): Record<string, string> {
  const fresh = signers.fresh(content);
  const old = signers.old?.(content);
  const headers = { "webhook-id": content.id, "webhook-timestamp": timestampOf(content.sentAt) };
  if (old === undefined) {
    return {
      ...headers,
      "x-api-sha256-signature": fresh.family,
      "webhook-signature": fresh.standard,
    };
  }
  const [first, other] = turn % 2 === 1 ? [old, fresh] : [fresh, old];
  return {
    ...headers,
    "x-api-sha256-signature": first.family,
    "x-api-sha256-signature-other": other.family,
    "webhook-signature": `${fresh.standard} ${old.standard}`,
  };
}

function timestampOf(at: Date): string {
  return String(Math.floor(at.getTime() / 1000));
}
