// Every statement about people: their credentials, links, sessions, browsers and sent forms.

import type { Queryable, Tx } from "../../platform/db.ts";
import { addRows, changeRow } from "../../platform/db-row.ts";
import type { PasskeyRow, PersonRow, SessionRow } from "./nouns.ts";

export async function findByEmail(
  db: Queryable,
  email: string,
  how: "seen" | "locked" = "seen",
): Promise<PersonRow | undefined> {
  const lock = how === "locked" ? "for no key update" : "";
  const [row] = await db.query<PersonRow>(`select * from people where email = $1 ${lock}`, [email]);
  return row;
}

type NewPerson = Pick<PersonRow, "id" | "email" | "name" | "language" | "created_at">;

/** False where somebody has that e-mail address already. */
export async function addPerson(tx: Tx, person: NewPerson): Promise<boolean> {
  const added = await addRows(
    tx,
    "insert into people (id, email, name, language, has_keys, totp_last_step, failures, created_at)",
    [{ ...person, has_keys: true, totp_last_step: 0, failures: 0 }],
    "on conflict do nothing returning id",
  );
  return added.length > 0;
}

/** Before the operators are: whoever is given another role is locked first. Of a program's token there is none. */
export async function lockPerson(tx: Tx, id: string): Promise<void> {
  await tx.query("select from people where id = $1 for no key update", [id]);
}

type Changes = Partial<Omit<PersonRow, "id" | "email" | "created_at">>;

export function changePerson(tx: Tx, id: string, changes: Changes): Promise<void> {
  return changeRow(tx, "update people set", id, changes);
}

/** One wrong try more; from the fifth on the next ones wait, twice as long each time. */
export async function countFailure(db: Queryable, id: string, now: Date): Promise<void> {
  await db.query(
    `update people set failures = failures + 1, blocked_until = case when failures >= 4
       then $2::timestamptz + least(900, 2 ^ least(failures - 3, 10)) * interval '1 second' end
     where id = $1`,
    [id, now],
  );
}

/** Whether this code was not used before, nor one after it. */
export async function useStep(tx: Tx, id: string, step: number): Promise<boolean> {
  const used = await tx.query(
    "update people set totp_last_step = $2 where id = $1 and totp_last_step < $2 returning id",
    [id, step],
  );
  return used.length > 0;
}

export async function useRecoveryCode(
  tx: Tx,
  personId: string,
  digest: Buffer,
  now: Date,
): Promise<boolean> {
  const used = await tx.query(
    `update recovery_codes set used_at = $3 where digest = $2 and person_id = $1 and used_at is null
     returning digest`,
    [personId, digest, now],
  );
  return used.length > 0;
}

export async function putRecoveryCodes(
  tx: Tx,
  personId: string,
  digests: readonly Buffer[],
): Promise<void> {
  await tx.query("delete from recovery_codes where person_id = $1", [personId]);
  const rows = digests.map((digest) => ({ digest, person_id: personId }));
  await addRows(tx, "insert into recovery_codes (digest, person_id)", rows);
}

export async function countRecoveryCodes(db: Queryable, personId: string): Promise<number> {
  const [row] = await db.query<{ left: number }>(
    `select count(*)::integer as left from recovery_codes where person_id = $1 and used_at is null`,
    [personId],
  );
  return row?.left ?? 0;
}

export function passkeysOf(db: Queryable, personId: string): Promise<PasskeyRow[]> {
  return db.query<PasskeyRow>("select * from passkeys where person_id = $1 order by id", [
    personId,
  ]);
}

export async function findPasskey(
  db: Queryable,
  credentialId: Buffer,
): Promise<PasskeyRow | undefined> {
  const [row] = await db.query<PasskeyRow>("select * from passkeys where credential_id = $1", [
    credentialId,
  ]);
  return row;
}

export async function addPasskey(tx: Tx, passkey: PasskeyRow): Promise<boolean> {
  const added = await addRows(
    tx,
    "insert into passkeys (id, person_id, credential_id, public_key, algorithm, sign_count, name, created_at, used_at)",
    [passkey],
    "on conflict do nothing returning id",
  );
  return added.length > 0;
}

export async function usePasskey(tx: Tx, id: string, signCount: bigint, now: Date): Promise<void> {
  await tx.query("update passkeys set sign_count = $2, used_at = $3 where id = $1", [
    id,
    signCount,
    now,
  ]);
}

export async function removePasskey(tx: Tx, personId: string, id: string): Promise<void> {
  await tx.query("delete from passkeys where person_id = $1 and id = $2", [personId, id]);
}

/** Whoever had ways in before has none of them any more. */
export async function removeWaysIn(tx: Tx, personId: string): Promise<void> {
  await tx.query("delete from passkeys where person_id = $1", [personId]);
  await tx.query("delete from recovery_codes where person_id = $1", [personId]);
  await tx.query("delete from devices where person_id = $1", [personId]);
  await tx.query("update people set password = null, totp_sealed = null where id = $1", [personId]);
}

export interface LinkRow {
  readonly id: string;
  readonly person_id: string;
  readonly digest: Buffer;
  readonly made_by: string;
  readonly resets: boolean;
  readonly created_at: Date;
  readonly ends_at: Date;
}

export async function addLink(tx: Tx, link: LinkRow): Promise<void> {
  await addRows(
    tx,
    "insert into links (id, person_id, digest, made_by, resets, created_at, ends_at)",
    [link],
  );
}

export async function livingLink(
  db: Queryable,
  digest: Buffer,
  now: Date,
): Promise<LinkRow | undefined> {
  const [row] = await db.query<LinkRow>(
    "select * from links where digest = $1 and used_at is null and ends_at > $2",
    [digest, now],
  );
  return row;
}

/** Whether it was still good; two who open it at once do not both get in. */
export async function useLink(tx: Tx, id: string, now: Date): Promise<boolean> {
  const used = await tx.query(
    "update links set used_at = $2 where id = $1 and used_at is null and ends_at > $2 returning id",
    [id, now],
  );
  return used.length > 0;
}

/** What a person may do has changed: a link that was made before opens nothing. */
export async function endLinks(tx: Tx, personId: string, now: Date): Promise<void> {
  await tx.query("update links set used_at = $2 where person_id = $1 and used_at is null", [
    personId,
    now,
  ]);
}

export interface InvitationRow {
  readonly id: string;
  readonly person_id: string;
  readonly digest: Buffer;
  /** Of a merchant; else of the desk. */
  readonly user_id: string | null;
  readonly role: string;
  readonly made_by: string;
  readonly created_at: Date;
  readonly ends_at: Date;
}

export async function addInvitation(tx: Tx, invitation: InvitationRow): Promise<void> {
  await addRows(
    tx,
    "insert into invitations (id, person_id, digest, user_id, role, made_by, created_at, ends_at)",
    [invitation],
  );
}

export async function livingInvitation(
  db: Queryable,
  digest: Buffer,
  now: Date,
): Promise<InvitationRow | undefined> {
  const [row] = await db.query<InvitationRow>(
    "select * from invitations where digest = $1 and used_at is null and ends_at > $2",
    [digest, now],
  );
  return row;
}

/** Whether it was still good. */
export async function useInvitation(tx: Tx, id: string, now: Date): Promise<boolean> {
  const used = await tx.query(
    `update invitations set used_at = $2 where id = $1 and used_at is null and ends_at > $2
     returning id`,
    [id, now],
  );
  return used.length > 0;
}

/** Those of one merchant, or of the desk: who asks again has lost the one before. */
export async function endInvitations(
  tx: Tx,
  personId: string,
  userId: string | null,
  now: Date,
): Promise<void> {
  await tx.query(
    `update invitations set used_at = $3
     where person_id = $1 and user_id is not distinct from $2 and used_at is null`,
    [personId, userId, now],
  );
}

/** As what somebody is invited to the desk who has not accepted yet. */
export async function invitedToDesk(tx: Tx, personId: string, now: Date): Promise<object> {
  const [open] = await tx.query<{ invited_as: string }>(
    `select role as invited_as from invitations
     where person_id = $1 and user_id is null and used_at is null and ends_at > $2`,
    [personId, now],
  );
  return open ?? {};
}

/** False for one that was used before. Those that have ended are forgotten on the way. */
export async function useChallenge(
  tx: Tx,
  digest: Buffer,
  endsAt: Date,
  now: Date,
): Promise<boolean> {
  await tx.query("delete from used_challenges where ends_at < $1", [now]);
  const used = await addRows(
    tx,
    "insert into used_challenges (digest, ends_at)",
    [{ digest, ends_at: endsAt }],
    "on conflict do nothing returning digest",
  );
  return used.length > 0;
}

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

type NewSession = Omit<SessionRow, "looks_at" | "looks_until">;

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
