// Every statement about users and shops, their keys, and a merchant's people.

import type { Dialect } from "../../domain/dialect.ts";
import type { App } from "../../platform/app.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import { addRows, changeRow } from "../../platform/db-row.ts";
import type { Ways } from "../operators/noun.ts";
import type { Member } from "./member.ts";
import type { KeyOwner, KeyRow, MemberTokenRow, ShopRow } from "./nouns.ts";

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

/** Whose tokens these are, where token, membership and person all live. */
export function livingMembers(
  db: Queryable,
  digests: readonly Buffer[],
  now: Date,
): Promise<(Member & { readonly digest: Buffer })[]> {
  return db.query(
    `select token.digest, token.person_id as "personId", person.name, token.user_id as "userId",
            member.role, token.ends_at as "tokenEndsAt"
     from member_tokens token
     join memberships member
       on member.person_id = token.person_id and member.user_id = token.user_id
     join people person on person.id = token.person_id
     where token.digest = any($1::bytea[]) and token.revoked_at is null
       and (token.ends_at is null or token.ends_at > $2)
       and member.ended_at is null and person.disabled_at is null`,
    [digests, now],
  );
}

export async function addMemberships(
  tx: Tx,
  memberships: readonly Pick<Member, "personId" | "userId" | "role">[],
  now: Date,
): Promise<void> {
  await addRows(
    tx,
    "insert into memberships (person_id, user_id, role, created_at)",
    memberships.map(({ personId, userId, role }) => ({
      person_id: personId,
      user_id: userId,
      role,
      created_at: now,
    })),
    "on conflict do nothing",
  );
}

/** They are this from now on; with an end, no more. */
export async function putMembership(
  tx: Tx,
  membership: Pick<Member, "personId" | "userId" | "role"> & { readonly endedAt?: Date | null },
  now: Date,
): Promise<void> {
  const { personId, userId, role, endedAt = null } = membership;
  await tx.query(
    `insert into memberships (person_id, user_id, role, created_at, ended_at)
     values ($1, $2, $3, $4, $5)
     on conflict (person_id, user_id) do update set role = excluded.role, ended_at = excluded.ended_at`,
    [personId, userId, role, now, endedAt],
  );
}

/** Locked: two who go at once must not leave nobody. */
export async function lockOwners(tx: Tx, userId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select row.person_id as id from memberships row join people person on person.id = row.person_id
     where row.user_id = $1 and row.role = 'owner' and row.ended_at is null and person.disabled_at is null
     order by row.person_id for no key update of row`,
    [userId],
  );
  return rows.map(({ id }) => id);
}

export async function belongsElsewhere(
  db: Queryable,
  personId: string,
  userId: string,
): Promise<boolean> {
  const rows = await db.query(
    `select user_id from memberships where person_id = $1 and user_id <> $2 and ended_at is null`,
    [personId, userId],
  );
  return rows.length > 0;
}

/** Whether this person has no way in and no place, and all their invitations are of this merchant. */
export async function isOnlyInvited(tx: Tx, personId: string, userId: string): Promise<boolean> {
  const rows = await tx.query(
    `select id from people person
     where id = $1 and desk_role is null and password is null
       and not exists (select from passkeys where person_id = person.id)
       and not exists (select from recovery_codes where person_id = person.id)
       and not exists (select from memberships where person_id = person.id)
       and not exists (select from invitations
                       where person_id = person.id and user_id is distinct from $2)`,
    [personId, userId],
  );
  return rows.length > 0;
}

/** What people who have signed in are, at which merchants. */
export function membershipsOf(
  db: Queryable,
  personIds: readonly string[],
): Promise<(Member & { readonly merchant: string })[]> {
  return db.query(
    `select row.person_id as "personId", person.name, row.user_id as "userId", row.role,
            merchant.name as merchant
     from memberships row join people person on person.id = row.person_id
     join users merchant on merchant.id = row.user_id
     where row.person_id = any($1::uuid[]) and row.ended_at is null and person.disabled_at is null
     order by row.created_at, row.user_id`,
    [personIds],
  );
}

type NewMemberToken = Omit<MemberTokenRow, "created_at" | "revoked_at"> & {
  readonly digest: Buffer;
};

export async function addMemberTokens(
  tx: Tx,
  tokens: readonly NewMemberToken[],
  now: Date,
): Promise<void> {
  await addRows(
    tx,
    "insert into member_tokens (id, person_id, user_id, name, digest, created_at, ends_at)",
    tokens.map((token) => ({ ...token, created_at: now })),
    "on conflict do nothing",
  );
}

/** All of a person's, of one merchant or of every one. */
export async function endMemberTokens(
  tx: Tx,
  personId: string,
  now: Date,
  userId: string | null = null,
): Promise<void> {
  await tx.query(
    `update member_tokens set revoked_at = $2 where person_id = $1 and revoked_at is null
     and ($3::uuid is null or user_id = $3)`,
    [personId, now, userId],
  );
}

export async function endMemberToken(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.query("update member_tokens set revoked_at = $2 where id = $1 and revoked_at is null", [
    id,
    now,
  ]);
}
