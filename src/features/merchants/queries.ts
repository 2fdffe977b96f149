// Every statement about users and shops.

import type { LatePolicy } from "../../domain/transfer.ts";
import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";
import { type Page, type PageWish, page } from "../../platform/db-page.ts";

/** Another one after every change of a key, shop, tariff or service; see migrations/0001_settings.sql. */
export async function settingsVersion(db: Queryable): Promise<bigint> {
  const [row] = await db.query<{ version: bigint }>("select version from settings_version", []);
  return row?.version ?? 0n;
}

export interface KeyRow {
  readonly digest: Buffer;
  /** Until when it lives beside the one that has replaced it. */
  readonly ends_at: Date | null;
  readonly revoked_at: Date | null;
}

/** Whoever has keys, with all of them, also those that have run out or were revoked. */
export interface Holder {
  readonly id: string;
  readonly keys: readonly KeyRow[];
}

export interface ShopRow extends Holder {
  readonly user_id: string;
  readonly h2h_enabled: boolean;
  readonly success_url: string | null;
  readonly fail_url: string | null;
  readonly hook_url: string | null;
  readonly nudge_max_minor: bigint;
}

export async function findShops(
  db: Queryable,
  ids: readonly string[],
): Promise<Map<string, ShopRow>> {
  const rows = await db.query<Omit<ShopRow, "keys"> & KeyRow>(
    `select shop.id, shop.user_id, shop.h2h_enabled, shop.success_url, shop.fail_url,
            shop.hook_url, shop.nudge_max_minor, key.digest, key.ends_at, key.revoked_at
     from shops shop join api_keys key on key.shop_id = shop.id
     where shop.id = any($1::uuid[])`,
    [ids],
  );
  return withKeys(rows);
}

export async function findUsers(
  db: Queryable,
  ids: readonly string[],
): Promise<Map<string, Holder>> {
  const rows = await db.query<{ id: string } & KeyRow>(
    `select user_id as id, digest, ends_at, revoked_at from api_keys
     where user_id = any($1::uuid[])`,
    [ids],
  );
  return withKeys(rows);
}

function withKeys<Row extends { readonly id: string } & KeyRow>(rows: readonly Row[]) {
  const holders = new Map<string, Row & { keys: KeyRow[] }>();
  for (const row of rows) {
    const holder = holders.get(row.id) ?? { ...row, keys: [] };
    const { digest, ends_at, revoked_at } = row;
    holder.keys.push({ digest, ends_at, revoked_at });
    holders.set(row.id, holder);
  }
  return holders;
}

export interface NewUser {
  readonly id: string;
  readonly name: string;
}

export async function addUsers(tx: Tx, users: readonly NewUser[], now: Date): Promise<void> {
  await tx.query(
    `insert into users (id, home, name, created_at)
     select fresh.id, home_of(fresh.id), fresh.name, $2
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
  readonly nudge_max_minor?: bigint;
  readonly late_policy?: LatePolicy;
  readonly title?: string | null;
  readonly logo_url?: string | null;
  readonly color?: string | null;
}

export async function addShops(tx: Tx, shops: readonly NewShop[], now: Date): Promise<void> {
  await tx.query(
    `insert into shops (id, user_id, name, h2h_enabled, success_url, fail_url, hook_url,
       nudge_max_minor, late_policy, title, logo_url, color, created_at)
     select fresh.id, fresh.user_id, fresh.name, fresh.h2h_enabled, fresh.success_url,
            fresh.fail_url, fresh.hook_url, coalesce(fresh.nudge_max_minor, 99),
            coalesce(fresh.late_policy, 'credit'), fresh.title, fresh.logo_url, fresh.color, $2
     from json_to_recordset($1) as fresh(id uuid, user_id uuid, name text, h2h_enabled boolean,
       success_url text, fail_url text, hook_url text, nudge_max_minor bigint, late_policy text,
       title text, logo_url text, color text)
     on conflict do nothing`,
    [rowsOf(shops), now],
  );
}

export interface UserView {
  readonly id: string;
  readonly home: number;
  readonly name: string;
  readonly created_at: Date;
}

export function listUsers(db: Queryable, wish: PageWish): Promise<Page<UserView>> {
  return page<UserView>(db, wish, {
    columns: "row.id, row.home, row.name, row.created_at",
    from: "users",
  });
}

export async function lockUser(tx: Tx, id: string): Promise<UserView | undefined> {
  const [row] = await tx.query<UserView>(
    "select id, home, name, created_at from users where id = $1 for no key update",
    [id],
  );
  return row;
}

export async function renameUser(tx: Tx, id: string, name: string): Promise<void> {
  await tx.query("update users set name = $2 where id = $1", [id, name]);
}

export interface ShopView extends Omit<ShopRow, "keys"> {
  readonly name: string;
  readonly late_policy: LatePolicy;
  readonly title: string | null;
  readonly logo_url: string | null;
  readonly color: string | null;
  readonly created_at: Date;
}

const SHOP = `id, user_id, name, h2h_enabled, success_url, fail_url, hook_url, nudge_max_minor,
            late_policy, title, logo_url, color, created_at`;

export function listShops(
  db: Queryable,
  wish: PageWish,
  userId: string | undefined,
): Promise<Page<ShopView>> {
  return page<ShopView>(db, wish, {
    columns: SHOP,
    from: "shops",
    leads: { user_id: userId },
  });
}

export async function findShop(db: Queryable, id: string): Promise<ShopView | undefined> {
  const [row] = await db.query<ShopView>(`select ${SHOP} from shops where id = $1`, [id]);
  return row;
}

export async function lockShop(tx: Tx, id: string): Promise<ShopView | undefined> {
  const [row] = await tx.query<ShopView>(
    `select ${SHOP} from shops where id = $1 for no key update`,
    [id],
  );
  return row;
}

export async function updateShop(tx: Tx, shop: ShopView): Promise<void> {
  await tx.query(
    `update shops set name = $2, h2h_enabled = $3, success_url = $4, fail_url = $5, hook_url = $6,
       nudge_max_minor = $7, late_policy = $8, title = $9, logo_url = $10, color = $11
     where id = $1`,
    [
      shop.id,
      shop.name,
      shop.h2h_enabled,
      shop.success_url,
      shop.fail_url,
      shop.hook_url,
      shop.nudge_max_minor,
      shop.late_policy,
      shop.title,
      shop.logo_url,
      shop.color,
    ],
  );
}
