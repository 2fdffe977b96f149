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
            member.role
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

/** Until there is a door that invites them. */
export async function addPeople(
  tx: Tx,
  people: readonly { readonly id: string; readonly email: string; readonly name: string }[],
  now: Date,
): Promise<void> {
  await addRows(
    tx,
    "insert into people (id, email, name, language, created_at)",
    people.map((person) => ({ language: "en", ...person, created_at: now })),
    "on conflict do nothing",
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
      ...{ person_id: personId, user_id: userId, role, created_at: now },
    })),
    "on conflict do nothing",
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

export async function endMemberToken(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.query("update member_tokens set revoked_at = $2 where id = $1 and revoked_at is null", [
    id,
    now,
  ]);
}
