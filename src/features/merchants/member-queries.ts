// Every statement about who works for a merchant: memberships, and the tokens of each.

import type { Queryable, Tx } from "../../platform/db.ts";
import { addRows } from "../../platform/db-row.ts";
import type { Member } from "./member.ts";
import type { MemberTokenRow } from "./nouns.ts";

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

export type NewMemberToken = Omit<MemberTokenRow, "created_at" | "revoked_at"> & {
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
