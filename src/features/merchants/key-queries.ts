// Every statement about the keys of users and shops: those that prove who calls, and those that
// webhooks are signed with.

import type { App } from "../../platform/app.ts";
import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";
import { type Page, type PageWish, page } from "../../platform/db-page.ts";

export interface NewKey {
  readonly id: string;
  readonly shop_id: string | null;
  readonly user_id: string | null;
  readonly digest: Buffer;
}

export async function addKeys(tx: Tx, keys: readonly NewKey[], now: Date): Promise<void> {
  const rows = keys.map((key) => ({ ...key, digest: key.digest.toString("hex") }));
  await tx.query(
    `insert into api_keys (id, shop_id, user_id, digest, created_at)
     select fresh.id, fresh.shop_id, fresh.user_id, decode(fresh.digest, 'hex'), $2
     from json_to_recordset($1) as fresh(id uuid, shop_id uuid, user_id uuid, digest text)
     on conflict do nothing`,
    [rowsOf(rows), now],
  );
}

export interface KeyOwner {
  readonly shopId: string | null;
  readonly userId: string | null;
}

export interface KeyRow {
  readonly id: string;
  readonly shop_id: string | null;
  readonly user_id: string | null;
  readonly created_at: Date;
  readonly ends_at: Date | null;
}

const KEY = "id, shop_id, user_id, created_at, ends_at";

export function listKeys(
  db: Queryable,
  wish: PageWish,
  { shopId, userId }: { shopId: string | undefined; userId: string | undefined },
): Promise<Page<KeyRow>> {
  return page<KeyRow>(db, wish, {
    columns: KEY,
    from: "api_keys",
    by: { "shop_id = ?": shopId, "user_id = ?": userId },
  });
}

export async function lockKey(tx: Tx, id: string): Promise<KeyRow | undefined> {
  const [row] = await tx.query<KeyRow>(
    `select ${KEY} from api_keys where id = $1 for no key update`,
    [id],
  );
  return row;
}

/**
 * Ends every key of an owner that would live longer; those that end sooner are left alone. The answer
 * is how they were before.
 */
export function endKeysOf(tx: Tx, { shopId, userId }: KeyOwner, endsAt: Date): Promise<KeyRow[]> {
  return tx.query<KeyRow>(
    `update api_keys set ends_at = $3
     from (select id, ends_at from api_keys
           where (shop_id = $1 or user_id = $2) and revoked_at is null
             and (ends_at is null or ends_at > $3)
           order by id for no key update) old
     where api_keys.id = old.id
     returning old.id, shop_id, user_id, created_at, old.ends_at`,
    [shopId, userId, endsAt],
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
  const rows = shops.map(({ shopId, key, secret }) => ({
    shopId,
    keySealed: secrets.seal(`${shopId} webhook key`, key).toString("hex"),
    secretSealed: secrets.seal(`${shopId} webhook secret`, secret).toString("hex"),
  }));
  await tx.query(
    `insert into webhook_keys (shop_id, key_sealed, secret_sealed)
     select "shopId", decode("keySealed", 'hex'), decode("secretSealed", 'hex')
     from json_to_recordset($1) as fresh("shopId" uuid, "keySealed" text, "secretSealed" text)
     on conflict (shop_id) do update
       set key_sealed = excluded.key_sealed, secret_sealed = excluded.secret_sealed`,
    [rowsOf(rows)],
  );
}
