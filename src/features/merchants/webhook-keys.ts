// What webhooks are signed with, opened and sealed. Guards that a key is bound to its owner, a shop
// or a user, and to its use.

import type { Queryable, Tx } from "../../platform/db.ts";
import type { Secrets } from "../../platform/secret.ts";
import {
  everyWebhookKey,
  type OwnWebhookKeys,
  type SealedWebhookKeys,
  setWebhookKeys,
  type WebhookKeys,
} from "./key-queries.ts";

export function openWebhookKeys(secrets: Secrets, row: SealedWebhookKeys): OwnWebhookKeys {
  const { owner_id: ownerId, old_key_sealed: key, old_secret_sealed: secret, old_until } = row;
  const hasOld = key !== null && secret !== null && old_until !== null;
  return {
    ownerId,
    ...openPair(secrets, ownerId, row.key_sealed, row.secret_sealed),
    old: hasOld ? { ...openPair(secrets, ownerId, key, secret), until: old_until } : undefined,
  };
}

export function openPair(
  secrets: Secrets,
  ownerId: string,
  key: Buffer,
  secret: Buffer,
): WebhookKeys {
  return {
    key: secrets.open(`${ownerId} webhook key`, key),
    secret: secrets.open(`${ownerId} webhook secret`, secret),
  };
}

/** Those that do not open with this secret key, in words. */
export async function webhookKeyFaults(db: Queryable, secrets: Secrets): Promise<string[]> {
  const rows = await everyWebhookKey(db);
  return rows.flatMap((row) => {
    try {
      openWebhookKeys(secrets, row);
      return [];
    } catch {
      return [`the webhook keys of shop or user ${row.owner_id} do not open`];
    }
  });
}

/** How many shops' and users' keys were sealed anew; whoever has locked the installation knows that these are all. */
export async function resealWebhookKeys(tx: Tx, present: Secrets, next: Secrets): Promise<number> {
  const rows = await everyWebhookKey(tx);
  await setWebhookKeys(
    tx,
    { secrets: next },
    rows.map((row) => openWebhookKeys(present, row)),
  );
  return rows.length;
}
