// Every statement about users, shops and their keys.

import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";

export interface ShopRow {
  readonly id: string;
  readonly user_id: string;
  readonly h2h_enabled: boolean;
  readonly success_url: string | null;
  readonly fail_url: string | null;
  readonly hook_url: string | null;
  readonly nudge_max_minor: bigint;
  readonly digests: readonly Buffer[];
}

export function findShops(db: Queryable, ids: readonly string[], now: Date): Promise<ShopRow[]> {
  return db.query<ShopRow>(
    `select shop.id, shop.user_id, shop.h2h_enabled, shop.success_url, shop.fail_url,
            shop.hook_url, shop.nudge_max_minor,
            array(select key.digest from api_keys key
                  where key.shop_id = shop.id and (key.ends_at is null or key.ends_at > $2)
            ) as digests
     from shops shop
     where shop.id = any($1::uuid[])`,
    [ids, now],
  );
}

export interface UserRow {
  readonly id: string;
  readonly digests: readonly Buffer[];
}

export function findUsers(db: Queryable, ids: readonly string[], now: Date): Promise<UserRow[]> {
  return db.query<UserRow>(
    `select holder.id,
            array(select key.digest from api_keys key
                  where key.user_id = holder.id and (key.ends_at is null or key.ends_at > $2)
            ) as digests
     from users holder
     where holder.id = any($1::uuid[])`,
    [ids, now],
  );
}

export interface NewUser {
  readonly id: string;
  readonly name: string;
}

export async function addUsers(tx: Tx, users: readonly NewUser[], now: Date): Promise<void> {
  await tx.query(
    `insert into users (id, name, created_at)
     select fresh.id, fresh.name, $2
     from json_to_recordset($1) as fresh(id uuid, name text)
     on conflict do nothing`,
    [rowsOf(users), now],
  );
}

export interface NewShop {
  readonly id: string;
  readonly user_id: string;
  readonly name: string;
  readonly h2h_enabled: boolean;
  readonly success_url: string | null;
  readonly fail_url: string | null;
  readonly hook_url: string | null;
}

export async function addShops(tx: Tx, shops: readonly NewShop[], now: Date): Promise<void> {
  await tx.query(
    `insert into shops (id, user_id, name, h2h_enabled, success_url, fail_url, hook_url, created_at)
     select fresh.id, fresh.user_id, fresh.name, fresh.h2h_enabled, fresh.success_url,
            fresh.fail_url, fresh.hook_url, $2
     from json_to_recordset($1) as fresh(id uuid, user_id uuid, name text, h2h_enabled boolean,
       success_url text, fail_url text, hook_url text)
     on conflict do nothing`,
    [rowsOf(shops), now],
  );
}

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

export interface InstallationRow {
  readonly mode: string;
  readonly secret_check: Buffer;
  readonly clock_offset_seconds: bigint;
}

/** Writes the row on the first start; afterwards the first start's row is what counts. */
export async function installation(
  tx: Tx,
  fresh: Pick<InstallationRow, "mode" | "secret_check">,
  now: Date,
): Promise<InstallationRow> {
  await tx.query(
    `insert into installation (mode, secret_check, created_at) values ($1, $2, $3)
     on conflict do nothing`,
    [fresh.mode, fresh.secret_check, now],
  );
  const [row] = await tx.query<InstallationRow>(
    "select mode, secret_check, clock_offset_seconds from installation",
  );
  return row ?? { ...fresh, clock_offset_seconds: 0n };
}

/** Moves the sandbox's time on for all later starts as well. */
export async function moveClock(db: Queryable, seconds: number): Promise<void> {
  await db.query(
    `update installation set clock_offset_seconds = clock_offset_seconds + $1
     where mode = 'sandbox'`,
    [seconds],
  );
}
