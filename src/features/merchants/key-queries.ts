// Every statement about the keys of users and shops: those that prove who calls, and those that
// webhooks are signed with.

import type { App } from "../../platform/app.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import { addRows } from "../../platform/db-row.ts";
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

export interface ShopWebhookKeys {
  readonly shopId: string;
  /** The key of x-api-sha256-signature, as it is. */
  readonly key: string;
  /** The secret of Standard Webhooks: whsec_ and the key's bytes in base64. */
  readonly secret: string;
}

export interface SealedWebhookKeys {
  readonly shop_id: string;
  readonly key_sealed: Buffer;
  readonly secret_sealed: Buffer;
}

export function everyWebhookKey(db: Queryable): Promise<SealedWebhookKeys[]> {
  return db.query<SealedWebhookKeys>(
    "select shop_id, key_sealed, secret_sealed from webhook_keys order by shop_id",
    [],
  );
}

export async function setWebhookKeys(
  tx: Tx,
  { secrets }: Pick<App, "secrets">,
  shops: readonly ShopWebhookKeys[],
): Promise<void> {
  await addRows(
    tx,
    "insert into webhook_keys (shop_id, key_sealed, secret_sealed)",
    shops.map(({ shopId, key, secret }) => ({
      shop_id: shopId,
      key_sealed: secrets.seal(`${shopId} webhook key`, key),
      secret_sealed: secrets.seal(`${shopId} webhook secret`, secret),
    })),
    `on conflict (shop_id) do update
       set key_sealed = excluded.key_sealed, secret_sealed = excluded.secret_sealed`,
  );
}
