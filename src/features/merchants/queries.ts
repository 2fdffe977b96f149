// Every statement about users and shops.

import type { Dialect } from "../../domain/dialect.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import { addRows, changeRow } from "../../platform/db-row.ts";
import type { ShopRow } from "./nouns.ts";

/** What proves a key, and until when. */
export interface KeyProof {
  readonly digest: Buffer;
  /** Until when it lives beside the one that has replaced it. */
  readonly ends_at: Date | null;
  readonly revoked_at: Date | null;
}

/** Whoever has keys, with all of them, also those that have run out or were revoked. */
export interface KeyHolder {
  readonly id: string;
  readonly keys: readonly KeyProof[];
}

export interface ShopHolder extends KeyHolder {
  readonly userId: string;
  readonly h2hEnabled: boolean;
  readonly successUrl: string | null;
  readonly failUrl: string | null;
  readonly hookUrl: string | null;
  readonly nudgeMaxMinor: bigint;
  readonly dialect: Dialect;
}

export async function findShops(
  db: Queryable,
  ids: readonly string[],
): Promise<Map<string, ShopHolder>> {
  const rows = await db.query<Omit<ShopHolder, "keys"> & KeyProof>(
    `select shop.id, shop.user_id as "userId", shop.h2h_enabled as "h2hEnabled",
            shop.success_url as "successUrl", shop.fail_url as "failUrl",
            shop.hook_url as "hookUrl", shop.nudge_max_minor as "nudgeMaxMinor", shop.dialect,
            key.digest, key.ends_at, key.revoked_at
     from shops shop join api_keys key on key.shop_id = shop.id
     where shop.id = any($1::uuid[])`,
    [ids],
  );
  return withKeys(rows);
}

export async function findUsers(
  db: Queryable,
  ids: readonly string[],
): Promise<Map<string, KeyHolder>> {
  const rows = await db.query<{ id: string } & KeyProof>(
    `select user_id as id, digest, ends_at, revoked_at from api_keys
     where user_id = any($1::uuid[])`,
    [ids],
  );
  return withKeys(rows);
}

function withKeys<Row extends { readonly id: string } & KeyProof>(rows: readonly Row[]) {
  const holders = new Map<string, Omit<Row, keyof KeyProof> & { keys: KeyProof[] }>();
  for (const { digest, ends_at, revoked_at, ...row } of rows) {
    const holder = holders.get(row.id) ?? { ...row, keys: [] };
    holder.keys.push({ digest, ends_at, revoked_at });
    holders.set(row.id, holder);
  }
  return holders;
}

export async function addUsers(
  tx: Tx,
  users: readonly { readonly id: string; readonly name: string }[],
  now: Date,
): Promise<void> {
  await addRows(
    tx,
    "insert into users (id, name, created_at)",
    users.map((user) => ({ ...user, created_at: now })),
    "on conflict do nothing",
  );
}

export type NewShop = Pick<ShopRow, "id" | "user_id" | "name"> & Partial<ShopRow>;

/** What a shop begins with. */
export const FRESH_SHOP: Omit<ShopRow, "id" | "user_id" | "name" | "created_at"> = {
  h2h_enabled: false,
  late_policy: "credit",
  nudge_max_minor: 99n,
  success_url: null,
  fail_url: null,
  hook_url: null,
  title: null,
  logo_url: null,
  color: null,
  support: null,
  dialect: "strict",
};

export async function addShops(tx: Tx, shops: readonly NewShop[], now: Date): Promise<void> {
  await addRows(
    tx,
    `insert into shops (id, user_id, name, h2h_enabled, success_url, fail_url, hook_url,
       nudge_max_minor, late_policy, title, logo_url, color, support, dialect, created_at)`,
    shops.map((shop) => ({ ...FRESH_SHOP, ...shop, created_at: now })),
    "on conflict do nothing",
  );
}

export async function renameUser(tx: Tx, id: string, name: string): Promise<void> {
  await changeRow(tx, "update users set", id, { name });
}

export async function updateShop(tx: Tx, shop: ShopRow): Promise<void> {
  const { id, user_id: _user, created_at: _at, ...settings } = shop;
  await changeRow(tx, "update shops set", id, settings);
}
