// Every statement about sessions, known browsers, and forms that were sent.

import type { Queryable, Tx } from "../../platform/db.ts";
import { addRows } from "../../platform/db-row.ts";
import type { PersonRow, SessionRow } from "./nouns.ts";

export interface SessionWithPerson {
  readonly session: SessionRow;
  readonly person: PersonRow;
}

/** Neither ended nor left alone for so long, of somebody who may still sign in. */
export async function livingSession(
  db: Queryable,
  digest: Buffer,
  now: Date,
): Promise<SessionWithPerson | undefined> {
  const [session] = await db.query<SessionRow>(
    "select * from sessions where digest = $1 and ended_at is null and ends_at > $2",
    [digest, now],
  );
  if (session === undefined) return undefined;
  const [person] = await db.query<PersonRow>(
    "select * from people where id = $1 and disabled_at is null",
    [session.person_id],
  );
  return person && { session, person };
}

/** Of these sessions those that have not ended, each with when it was used and what its person is at the desk. */
export function livingSessions(
  db: Queryable,
  ids: readonly string[],
  now: Date,
): Promise<(Pick<SessionRow, "id" | "created_at" | "seen_at"> & Pick<PersonRow, "desk_role">)[]> {
  return db.query(
    `select session.id, session.created_at, session.seen_at, person.desk_role
     from sessions session join people person on person.id = session.person_id
     where session.id = any($1::uuid[]) and session.ended_at is null and session.ends_at > $2
       and person.disabled_at is null`,
    [ids, now],
  );
}

export type NewSession = Omit<SessionRow, "looks_at" | "looks_until">;

export async function addSession(tx: Tx, session: NewSession): Promise<void> {
  await addRows(
    tx,
    `insert into sessions (id, person_id, digest, user_id, address, agent, created_at, seen_at, proven_at, ends_at)`,
    [session],
  );
}

export async function seeSession(db: Queryable, id: string, now: Date): Promise<void> {
  await db.query("update sessions set seen_at = $2 where id = $1", [id, now]);
}

/** Who they are was proven again: from now on the session has another token. */
export async function renewSession(tx: Tx, id: string, digest: Buffer, now: Date): Promise<void> {
  await tx.query("update sessions set digest = $2, proven_at = $3, seen_at = $3 where id = $1", [
    id,
    digest,
    now,
  ]);
}

export async function turnSession(db: Queryable, id: string, userId: string): Promise<void> {
  await db.query("update sessions set user_id = $2 where id = $1", [id, userId]);
}

export async function lookFrom(tx: Tx, id: string, userId: string, until: Date): Promise<void> {
  await tx.query("update sessions set looks_at = $2, looks_until = $3 where id = $1", [
    id,
    userId,
    until,
  ]);
}

/** Whatever a person's sessions look at, or one of them. */
export async function endLooks(db: Queryable, personId: string, id?: string): Promise<void> {
  await db.query(
    `update sessions set looks_at = null, looks_until = null
     where person_id = $1 and looks_at is not null and ($2::uuid is null or id = $2)`,
    [personId, id ?? null],
  );
}

export function sessionsOf(db: Queryable, personId: string, now: Date): Promise<SessionRow[]> {
  return db.query<SessionRow>(
    `select * from sessions where person_id = $1 and ended_at is null and ends_at > $2
     order by id desc limit 50`,
    [personId, now],
  );
}

/** All of a person's, but for the one that is kept; the answer is how many. */
export async function endSessions(
  tx: Tx,
  personId: string,
  now: Date,
  kept: string | null = null,
): Promise<number> {
  const ended = await tx.query(
    `update sessions set ended_at = $2 where person_id = $1 and ended_at is null
     and ($3::uuid is null or id <> $3) returning id`,
    [personId, now, kept],
  );
  return ended.length;
}

export async function endSession(
  db: Queryable,
  personId: string,
  id: string,
  now: Date,
): Promise<void> {
  await db.query(
    "update sessions set ended_at = $3 where id = $2 and person_id = $1 and ended_at is null",
    [personId, id, now],
  );
}

export async function endSessionOf(tx: Tx, digest: Buffer, now: Date): Promise<void> {
  await tx.query("update sessions set ended_at = $2 where digest = $1 and ended_at is null", [
    digest,
    now,
  ]);
}

export async function knowsDevice(
  db: Queryable,
  digest: Buffer,
  personId: string,
): Promise<boolean> {
  const rows = await db.query("select digest from devices where digest = $1 and person_id = $2", [
    digest,
    personId,
  ]);
  return rows.length > 0;
}

export async function keepDevice(
  tx: Tx,
  digest: Buffer,
  personId: string,
  now: Date,
): Promise<void> {
  await addRows(
    tx,
    "insert into devices (digest, person_id, seen_at)",
    [{ digest, person_id: personId, seen_at: now }],
    "on conflict (digest) do update set person_id = excluded.person_id, seen_at = excluded.seen_at",
  );
}

/** False where the same form was sent before. */
export async function takeForm(
  db: Queryable,
  id: string,
  personId: string,
  now: Date,
): Promise<boolean> {
  const taken = await db.query(
    `insert into sent_forms (id, person_id, sent_at) values ($1, $2, $3)
     on conflict do nothing returning id`,
    [id, personId, now],
  );
  return taken.length > 0;
}

/** It made nothing, and may be sent again. */
export async function giveFormBack(db: Queryable, id: string): Promise<void> {
  await db.query("delete from sent_forms where id = $1", [id]);
}

/** Of each kind so many at a time; the answer is the most that went of one kind. */
export async function removeOldVisits(
  tx: Tx,
  before: Date,
  devicesBefore: Date,
  limit: number,
): Promise<number> {
  const sessions = await tx.query(
    `delete from sessions where id in (select id from sessions where ends_at < $1 limit $2)
     returning id`,
    [before, limit],
  );
  const links = await tx.query(
    "delete from links where id in (select id from links where ends_at < $1 limit $2) returning id",
    [before, limit],
  );
  const forms = await tx.query(
    `delete from sent_forms where id in (select id from sent_forms where sent_at < $1 limit $2)
     returning id`,
    [before, limit],
  );
  const devices = await tx.query(
    `delete from devices where digest in (select digest from devices where seen_at < $1 limit $2)
     returning digest`,
    [devicesBefore, limit],
  );
  return Math.max(...[sessions, links, forms, devices].map(({ length }) => length));
}
