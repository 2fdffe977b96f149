// Every statement about attempts to send payouts, and about files of them.

import type { AttemptState } from "../../domain/payout.ts";
import type { FileFormat } from "../../domain/payout-file.ts";
import { type Queryable, rowsOf, SerializationFailure, type Tx } from "../../platform/db.ts";
import { fallsDue } from "../../platform/db-dues.ts";
import { addRows } from "../../platform/db-row.ts";
import { withdrawContradicted } from "../approvals/approval-queries.ts";

/** What an attempt falls due for whose holder says nothing. */
export const END_LEASES = "end-payout-leases";
/** What one falls due for that somebody can be asked about. */
export const LOOK = "look-at-payouts";

/** Those in line for these services, and of one currency for a file, locked in their order; locked ones are skipped. */
export async function lockInLine(
  tx: Tx,
  wish: {
    readonly services: readonly string[];
    readonly currency?: string;
    readonly now: Date;
    readonly limit: number;
  },
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select id from payouts
     where queued_at <= $1 and service = any($2::text[]) and ($4::text is null or currency = $4)
     order by queued_at limit $3 for no key update skip locked`,
    [wish.now, wish.services, wish.limit, wish.currency ?? null],
  );
  return rows.map(({ id }) => id);
}

interface NewAttempt {
  readonly payoutId: string;
  readonly number: number;
  readonly rail: string;
  readonly authorId: string | null;
  readonly batchId: string | null;
  readonly leaseUntil: Date;
  /** Whether the claim itself is the marker: from now on it may have left. */
  readonly isDispatched: boolean;
}

export async function addAttempts(
  tx: Tx,
  attempts: readonly NewAttempt[],
  now: Date,
): Promise<void> {
  await tx.query(
    `with fresh as materialized (
       select * from json_to_recordset($1) as fresh("payoutId" uuid, number integer, rail text,
         "authorId" uuid, "batchId" uuid, "leaseUntil" timestamptz, "isDispatched" boolean)
     ), added as (
       insert into payout_attempts (payout_id, number, rail, state, author_id, batch_id, claimed_at,
         lease_until, dispatched_at)
       select "payoutId", number, rail, case when "isDispatched" then 'dispatched' else 'claimed' end,
              "authorId", "batchId", $2, "leaseUntil", case when "isDispatched" then $2::timestamptz end
       from fresh
       returning payout_id as id, lease_until as due_at
     ), counted as (
       update payouts set attempts = attempts + 1 where id = any($3::uuid[])
     ) ${fallsDue("added", END_LEASES)}`,
    [rowsOf(attempts), now, attempts.map(({ payoutId }) => payoutId)],
  );
}

export interface AttemptKey {
  readonly payoutId: string;
  readonly number: number;
}

interface Elsewhere extends AttemptKey {
  /** Whether no other may have left, and nobody is to say anything more first. */
  readonly isAlone: boolean;
}

/** Sendings that nobody began here, as attempts at the desk in nobody's hands. The payouts are locked. */
export async function addElsewhere(
  tx: Tx,
  attempts: readonly Elsewhere[],
  now: Date,
): Promise<void> {
  if (attempts.length === 0) return;
  await tx.query(
    `with added as (
       insert into payout_attempts (payout_id, number, rail, state, claimed_at, lease_until,
         dispatched_at, reopened_at, detail)
       select "payoutId", number, 'desk', case when "isAlone" then 'unknown' else 'not_sent' end, $2, $2,
              case when "isAlone" then $2::timestamptz end, $2, 'Not sent through the gateway.'
       from json_to_recordset($1) as fresh("payoutId" uuid, number integer, "isAlone" boolean))
     update payouts set attempts = attempts + 1 where id = any($3::uuid[])`,
    [rowsOf(attempts), now, attempts.map(({ payoutId }) => payoutId)],
  );
}

/** What a line had shown is shown no longer; where it was taken for what became of the payout, that stays. */
export async function forgetElsewhere(tx: Tx, payoutId: string): Promise<void> {
  await tx.query(
    `update payout_attempts set reopened_at = null
     where payout_id = $1 and rail = 'desk' and author_id is null and state = 'not_sent'`,
    [payoutId],
  );
}

/** Nobody of the gateway's had it: at the desk somebody always has. */
export function isElsewhere({ rail, authorId }: Attempt): boolean {
  return rail === "desk" && authorId === null;
}

/**
 * The fence: only who still holds a claim may send, and nobody while an earlier attempt is said to have left after
 * all. The answer is those who may.
 */
export async function markAttempts(
  db: Queryable,
  keys: readonly AttemptKey[],
  now: Date,
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ payout_id: string }>(
    `update payout_attempts attempt set state = 'dispatched', dispatched_at = $3
     where payout_id = any($1::uuid[]) and state = 'claimed' and lease_until > $3
       and number = ($2::integer[])[array_position($1::uuid[], payout_id)]
       and (select true from payout_attempts earlier
            where earlier.payout_id = attempt.payout_id and earlier.state = 'not_sent'
              and earlier.reopened_at is not null limit 1) is null
     returning payout_id`,
    [keys.map(({ payoutId }) => payoutId), keys.map(({ number }) => number), now],
  );
  return new Set(rows.map(({ payout_id }) => payout_id));
}

export interface Attempt extends AttemptKey {
  readonly rail: string;
  readonly state: AttemptState;
  readonly authorId: string | null;
  readonly batchId: string | null;
  readonly claimedAt: Date;
  readonly leaseUntil: Date;
  readonly dispatchedAt: Date | null;
  readonly railId: string | null;
  readonly detail: string | null;
  readonly looks: number;
  readonly nextLookAt: Date | null;
  /** Of one that is said not to have left: since when somebody says that it has, while another one is out. */
  readonly reopenedAt: Date | null;
  readonly reopenedBy: "sent" | "accepted" | null;
}

const ATTEMPT = `payout_id as "payoutId", number, rail, state, author_id as "authorId", batch_id as "batchId",
       claimed_at as "claimedAt", lease_until as "leaseUntil", dispatched_at as "dispatchedAt",
       rail_id as "railId", detail, looks, next_look_at as "nextLookAt",
       reopened_at as "reopenedAt", reopened_by as "reopenedBy"`;

/** Every attempt of these payouts, the first one first. Whoever has locked the payouts sees them stand still. */
export function attemptsOf(db: Queryable, payoutIds: readonly string[]): Promise<Attempt[]> {
  return db.query<Attempt>(
    `select ${ATTEMPT} from payout_attempts where payout_id = any($1::uuid[])
     order by payout_id, number`,
    [[...new Set(payoutIds)]],
  );
}

/** The one that may have left, of which there is one at most; else the last. */
export function openAttempt(attempts: readonly Attempt[]): Attempt | undefined {
  return attempts.find(({ state }) => state !== "not_sent") ?? attempts.at(-1);
}

export interface SettledAttempt extends AttemptKey {
  readonly from: AttemptState;
  readonly to: AttemptState;
  readonly railId: string | null;
  readonly detail: string | null;
  /** What was said of one that was said not to have left; or that it has, by what proves another one. */
  readonly reopenedBy?: "sent" | "accepted";
  /** When somebody looks at it next; null where nobody has to. */
  readonly nextLookAt: Date | null;
}

/**
 * One that is no longer in the state it was read in begins the transaction anew: whoever marks an attempt does
 * so without the payout's lock, and what may have left meanwhile is not taken for unsent.
 */
export async function setAttempts(
  tx: Tx,
  attempts: readonly SettledAttempt[],
  now: Date,
): Promise<void> {
  if (attempts.length === 0) return;
  const rows = await tx.query(
    `with fresh as materialized (
       select * from json_to_recordset($1) as fresh("payoutId" uuid, number integer, "from" text,
         "to" text, "railId" text, detail text, "nextLookAt" timestamptz, "reopenedBy" text)
     ), changed as (
       update payout_attempts attempt
       set state = fresh."to", rail_id = coalesce(fresh."railId", attempt.rail_id),
           detail = coalesce(fresh.detail, attempt.detail), next_look_at = fresh."nextLookAt",
           -- Whoever died before the marker is said to have sent it all the same: from the claim on it may have left.
           dispatched_at = case when fresh."to" = 'not_sent' then attempt.dispatched_at
             else coalesce(attempt.dispatched_at, attempt.claimed_at) end,
           reopened_at = case
             when fresh."from" = 'not_sent' or fresh."reopenedBy" is not null then $3::timestamptz
             when fresh."to" <> 'not_sent' then attempt.reopened_at end,
           -- What is said to have left is not only on its way again.
           reopened_by = case
             when attempt.reopened_at is not null and coalesce(attempt.reopened_by, 'sent') = 'sent'
               then 'sent'
             else coalesce(fresh."reopenedBy", attempt.reopened_by) end
       from fresh
       where attempt.payout_id = any($2::uuid[]) and attempt.payout_id = fresh."payoutId"
         and attempt.number = fresh.number and attempt.state = fresh."from"
       returning attempt.payout_id as id, attempt.next_look_at as due_at
     ), looked as (select id, due_at from changed where due_at is not null
     ), due as (${fallsDue("looked", LOOK)} on conflict do nothing)
     select from changed`,
    [rowsOf(attempts), attempts.map(({ payoutId }) => payoutId), now],
  );
  if (rows.length < attempts.length)
    throw new SerializationFailure("An attempt was marked meanwhile.");
  const contradicted = attempts.filter(
    ({ from, reopenedBy }) => from === "not_sent" || reopenedBy !== undefined,
  );
  await withdrawContradicted(tx, contradicted, now);
}

interface NextLook extends AttemptKey {
  readonly nextLookAt: Date;
}

/** They are asked now, and again then. The payouts are locked. */
export async function countLooks(tx: Tx, looks: readonly NextLook[]): Promise<void> {
  if (looks.length === 0) return;
  await tx.query(
    `with fresh as materialized (
       select * from json_to_recordset($1) as fresh("payoutId" uuid, number integer,
         "nextLookAt" timestamptz)
     ), looked as (
       update payout_attempts attempt set looks = looks + 1, next_look_at = fresh."nextLookAt"
       from fresh
       where attempt.payout_id = any($2::uuid[]) and attempt.payout_id = fresh."payoutId"
         and attempt.number = fresh.number
       returning attempt.payout_id as id, attempt.next_look_at as due_at
     ) ${fallsDue("looked", LOOK)} on conflict do nothing`,
    [rowsOf(looks), looks.map(({ payoutId }) => payoutId)],
  );
}

interface OpenCounts {
  readonly held: bigint;
  readonly queued: bigint;
  readonly sending: bigint;
  readonly unknown: bigint;
  /** When the oldest of those that nobody knows of may have left. */
  readonly unknown_since: Date | null;
  readonly queued_since: Date | null;
  readonly held_since: Date | null;
}

/** Payouts that have not ended: an index has no others. */
export async function countOpen(db: Queryable): Promise<OpenCounts> {
  const [row] = await db.query<OpenCounts>(
    `select count(*) filter (where state = 'held') as held,
            count(*) filter (where state = 'queued') as queued,
            count(*) filter (where state = 'sending') as sending,
            count(*) filter (where state = 'unknown') as unknown,
            min(queued_at) as queued_since,
            min(created_at) filter (where state = 'held') as held_since,
            (select min(dispatched_at) from payout_attempts
             where state = 'unknown' and payout_id = any(array(
               select id from payouts where state = 'unknown'))) as unknown_since
     from payouts where state in ('held', 'queued', 'sending', 'unknown')`,
    [],
  );
  if (row === undefined) throw new Error("A count has no row.");
  return row;
}

interface NewBatch {
  readonly id: string;
  readonly rail: string;
  readonly format: FileFormat;
  readonly currency: string;
  readonly content_sealed: Buffer;
  readonly digest: Buffer;
  readonly payouts: number;
  readonly sum_minor: bigint;
  readonly created_by: string;
}

export async function addBatch(tx: Tx, batch: NewBatch, now: Date): Promise<void> {
  await addRows(
    tx,
    `insert into payout_batches (id, rail, format, currency, content_sealed, digest, payouts,
       sum_minor, created_by, created_at)`,
    [{ ...batch, created_at: now }],
  );
}

export type SealedBatch = Pick<NewBatch, "id" | "content_sealed" | "digest" | "format">;

export async function sealedBatch(db: Queryable, id: string): Promise<SealedBatch | undefined> {
  const [row] = await db.query<SealedBatch>(
    "select id, content_sealed, digest, format from payout_batches where id = $1",
    [id],
  );
  return row;
}

/** The attempts that a file is. */
export function attemptsOfBatch(db: Queryable, batchId: string): Promise<AttemptKey[]> {
  return db.query<AttemptKey>(
    `select payout_id as "payoutId", number from payout_attempts
     where batch_id = $1 order by payout_id`,
    [batchId],
  );
}
