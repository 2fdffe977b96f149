// Every statement about the keys of users and shops: those that prove who calls, and those that
// webhooks are signed with.

import type { App } from "../../platform/app.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import { addRows } from "../../platform/db-row.ts";
import type { Ways } from "../operators/noun.ts";
import type { KeyOwner, KeyRow } from "./nouns.ts";

export type NewKey = KeyOwner & { readonly id: string; readonly digest: Buffer };

export async function addKeys(tx: Tx, keys: readonly NewKey[], now: Date): Promise<void> {
  await addRows(
    tx,
    "insert into api_keys (id, shop_id, user_id, digest, created_at)",
    keys.map((key) => ({ ...key, created_at: now })),
    "on conflict do nothing",
  );
}

/** All keys of a merchant: their own, and those of their shops. */
export function waysToKeysOf(userId: string): Ways {
  const keys = `row.id in (select key.id from (select ?::uuid as id) merchant
    cross join lateral (
      select id from api_keys where user_id = merchant.id
      union all
      select key.id from shops shop join api_keys key on key.shop_id = shop.id
      where shop.user_id = merchant.id) key)`;
  return { by: { [keys]: userId } };
}

/**
 * Ends every key of an owner that would live longer; those that end sooner are left alone. The answer
 * is how they were before.
 */
export function endKeysOf(tx: Tx, owner: KeyOwner, endsAt: Date): Promise<KeyRow[]> {
  return tx.query<KeyRow>(
    `update api_keys set ends_at = $3
     from (select id, ends_at from api_keys
           where (shop_id = $1 or user_id = $2) and revoked_at is null
             and (ends_at is null or ends_at > $3)
           order by id for no key update) old
     where api_keys.id = old.id
     returning old.id, shop_id, user_id, created_at, old.ends_at`,
    [owner.shop_id, owner.user_id, endsAt],
  );
}

/** Dead at once and everywhere, whatever their moments are compared with. */
export async function revokeKeys(tx: Tx, ids: readonly string[], now: Date): Promise<void> {
  await tx.query(
    `update api_keys set revoked_at = $2, ends_at = least(ends_at, $2)
     where id = any($1::uuid[]) and revoked_at is null`,
    [ids, now],
  );
}

export interface WebhookKeys {
  /** The key of x-api-sha256-signature, as it is. */
  readonly key: string;
  /** The secret of Standard Webhooks: whsec_ and the key's bytes in base64. */
  readonly secret: string;
}

export interface OwnWebhookKeys extends WebhookKeys {
  /** The shop, or the user. */
  readonly ownerId: string;
  /** Those before the last rotation, and until when they sign, too. */
  readonly old?: (WebhookKeys & { readonly until: Date }) | undefined;
}

export interface SealedWebhookKeys {
  readonly owner_id: string;
  readonly key_sealed: Buffer;
  readonly secret_sealed: Buffer;
  /** These three are there or not there together. */
  readonly old_key_sealed: Buffer | null;
  readonly old_secret_sealed: Buffer | null;
  readonly old_until: Date | null;
}

/** A user's are there as a shop's are: `shop_id` says whose. */
const WEBHOOK_KEYS = `select shop_id as owner_id, key_sealed, secret_sealed, old_key_sealed, old_secret_sealed,
            old_until from webhook_keys`;

export async function findWebhookKeys(
  db: Queryable,
  ownerId: string,
): Promise<SealedWebhookKeys | undefined> {
  return (await db.query<SealedWebhookKeys>(`${WEBHOOK_KEYS} where shop_id = $1`, [ownerId]))[0];
}

export function webhookKeySeal(ownerId: string): string {
  return `${ownerId} webhook key`;
}

export function webhookSecretSeal(ownerId: string): string {
  return `${ownerId} webhook secret`;
}

export async function setWebhookKeys(
  tx: Tx,
  { secrets }: Pick<App, "secrets">,
  owners: readonly OwnWebhookKeys[],
): Promise<void> {
  await addRows(
    tx,
    `insert into webhook_keys (shop_id, key_sealed, secret_sealed, old_key_sealed, old_secret_sealed, old_until)`,
    owners.map(({ ownerId, key, secret, old }) => ({
      shop_id: ownerId,
      key_sealed: secrets.seal(webhookKeySeal(ownerId), key),
      secret_sealed: secrets.seal(webhookSecretSeal(ownerId), secret),
      old_key_sealed: old && secrets.seal(webhookKeySeal(ownerId), old.key),
      old_secret_sealed: old && secrets.seal(webhookSecretSeal(ownerId), old.secret),
      old_until: old?.until,
    })),
    `on conflict (shop_id) do update
       set key_sealed = excluded.key_sealed, secret_sealed = excluded.secret_sealed,
         old_key_sealed = excluded.old_key_sealed, old_secret_sealed = excluded.old_secret_sealed,
         old_until = excluded.old_until`,
  );
}
