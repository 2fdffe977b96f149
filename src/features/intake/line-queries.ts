// Every statement about lines of statements. A line is found by its key; a set of them is looked up row by
// row, so that no plan reads the whole table.

import type { SeenFate } from "../../domain/posting.ts";
import { REDATED_DAYS } from "../../domain/statement-line.ts";
import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";
import { RETENTION_SET } from "../../platform/retention-job.ts";
import type { LineRow } from "./nouns.ts";

/** What tells a line from every other. */
export interface LineName {
  readonly requisiteId: string;
  readonly format: string;
  readonly key: string;
  readonly ordinal: number;
}

const NAMED = `json_to_recordset($1) as named(place integer, "requisiteId" uuid, format text,
       key text, ordinal integer)`;

const BY_NAME = `requisite_id = named."requisiteId" and format = named.format
         and key = named.key and ordinal = named.ordinal`;

/** The places of those that are known. */
export async function knownLines(
  db: Queryable,
  lines: readonly LineName[],
): Promise<ReadonlySet<number>> {
  const rows = await db.query<{ place: number }>(
    `select place from ${NAMED}
     where (select true from statement_lines where ${BY_NAME})`,
    [rowsOf(lines.map(placed))],
  );
  return new Set(rows.map(({ place }) => place));
}

/** The same, and this file is from now on the last that had them. */
export async function seeLines(
  db: Queryable,
  importId: string,
  lines: readonly LineName[],
): Promise<ReadonlySet<number>> {
  const rows = await db.query<{ place: number }>(
    `with known as materialized (
       select named.place, line.id, line.seen_in from ${NAMED}
       cross join lateral (select id, seen_in from statement_lines where ${BY_NAME} limit 1) line
     ), seen as (
       update statement_lines set seen_in = $2, missing_in = null, known_gone = false
       where id = any(array(select id from known where seen_in <> $2)))
     select place from known`,
    [rowsOf(lines.map(placed)), importId],
  );
  return new Set(rows.map(({ place }) => place));
}

/** The places of those that another requisite has, by a file that names no account, either. */
export async function linesOfOthers(
  db: Queryable,
  format: string,
  lines: readonly LineName[],
): Promise<ReadonlySet<number>> {
  const rows = await db.query<{ place: number }>(
    `with brought as materialized (
       select distinct requisite_id as id from imports
       where requisite_id is not null and format = $2)
     select distinct place from ${NAMED}
     join brought on brought.id <> named."requisiteId"
     where (select true from statement_lines
            where requisite_id = brought.id and format = named.format and key = named.key
              and ordinal = named.ordinal and fate <> 'ignored')`,
    [rowsOf(lines.map(placed)), format],
  );
  return new Set(rows.map(({ place }) => place));
}

/** How many lines came with this file first. */
export async function countOwn(db: Queryable, importId: string): Promise<number> {
  const [row] = await db.query<{ lines: number }>(
    "select count(*)::integer as lines from statement_lines where import_id = $1",
    [importId],
  );
  return row?.lines ?? 0;
}

function placed({ requisiteId, format, key, ordinal }: LineName, place: number) {
  return { place, requisiteId, format, key, ordinal };
}

/** A span of days of one account, as one format tells of it. */
export interface DaySpan {
  readonly requisiteId: string;
  readonly format: string;
  readonly from: string;
  readonly to: string;
}

export interface StoredName {
  readonly id: string;
  readonly day: string;
  readonly direction: "in" | "out";
  readonly amountMinor: bigint;
  readonly key: string;
  readonly ordinal: number;
}

/**
 * What files have told of these days, but for what was last seen in this one; and what was lost around them. Of what
 * somebody knows to be gone nothing more is asked.
 */
export function linesOfDays(
  db: Queryable,
  span: DaySpan,
  importId: string | undefined,
): Promise<StoredName[]> {
  return db.query<StoredName>(
    `select id, day::text as day, direction, amount_minor as "amountMinor", key, ordinal
     from statement_lines
     where requisite_id = $1 and format = $4 and ($5::uuid is null or seen_in <> $5)
       and not known_gone
       and day between $2::date - ${REDATED_DAYS} and $3::date + ${REDATED_DAYS}
       and (day between $2::date and $3::date or missing_in is not null)`,
    [span.requisiteId, span.from, span.to, span.format, importId ?? null],
  );
}

/** Of documents that are known, under which keys, by their places. */
export function linesOfDocuments(
  db: Queryable,
  documents: readonly (LineName & { readonly identity: string | null })[],
): Promise<{ place: number; key: string; ordinal: number }[]> {
  const rows = documents.flatMap((one, place) =>
    one.identity === null ? [] : [{ ...placed(one, place), identity: one.identity }],
  );
  if (rows.length === 0) return Promise.resolve([]);
  return db.query(
    `select named.place, line.key, line.ordinal
     from json_to_recordset($1) as named(place integer, "requisiteId" uuid, format text,
       identity text)
     cross join lateral (
       select key, ordinal from statement_lines
       where requisite_id = named."requisiteId" and format = named.format
         and identity = named.identity
       limit 10) line`,
    [rowsOf(rows)],
  );
}

/** What a file says of a line. */
export interface LineContent extends LineName {
  /** Of the file. */
  readonly row: number;
  /** Which document it is, where the file tells. */
  readonly identity: string | null;
  readonly direction: "in" | "out";
  readonly day: string;
  readonly madeAt: string;
  readonly amountMinor: bigint;
  readonly number: string | null;
  readonly party: string | null;
  readonly purpose: string | null;
}

export interface NewLine extends LineContent {
  readonly id: string;
  readonly importId: string;
  readonly fate: LineRow["fate"];
  readonly waitsFor: LineRow["waits_for"];
  readonly transferId: string | null;
  readonly payoutId: string | null;
  readonly payoutAttempt: number | null;
}

export async function addLines(tx: Tx, lines: readonly NewLine[]): Promise<void> {
  await tx.query(
    `insert into statement_lines (id, requisite_id, format, key, ordinal, identity, import_id,
       row_number, seen_in, direction, day, made_at, amount_minor, number, party, purpose, fate, waits_for,
       transfer_id, payout_id, payout_attempt)
     select id, "requisiteId", format, key, ordinal, identity, "importId", row, "importId",
            direction, day, "madeAt", "amountMinor", number, party, purpose, fate, "waitsFor", "transferId",
            "payoutId", "payoutAttempt"
     from json_to_recordset($1) as fresh(id uuid, "requisiteId" uuid, format text, key text,
       ordinal integer, identity text, "importId" uuid, row integer, direction text, day date,
       "madeAt" text, "amountMinor" bigint, number text, party text, purpose text, fate text, "waitsFor" text,
       "transferId" uuid, "payoutId" uuid, "payoutAttempt" integer)
     order by "requisiteId", format, key, ordinal
     on conflict (requisite_id, format, key, ordinal) do nothing`,
    [rowsOf(lines)],
  );
}

/** A line that is no payer's money, as the ledger books it. */
export interface SeenLine {
  readonly sourceId: string;
  readonly requisiteId: string;
  readonly currency: string;
  readonly direction: "in" | "out";
  readonly amountMinor: bigint;
  readonly fate: SeenFate;
  /** False where another format's line of the same movement is in the books. */
  readonly posted: boolean;
}

const SEEN = "('outflow', 'charge', 'internal', 'own')";

/** Of a day's equal lines, so many are in the books already; each of a format is counted from there. */
export function judgePosted(tx: Tx, ids: readonly string[]): Promise<SeenLine[]> {
  const equal = `statement_lines known where known.posted is not null
           and known.requisite_id = fresh.requisite_id and known.day = fresh.day
           and known.amount_minor = fresh.amount_minor and known.direction = fresh.direction`;
  return tx.query<SeenLine>(
    `with judged as materialized (
       select id, (select count(*) from ${equal} and known.posted) as booked,
              (select count(*) from ${equal} and known.format = fresh.format)
                + row_number() over (partition by requisite_id, format, day, amount_minor, direction
                    order by id) as place
       from statement_lines fresh
       where id = any($1::uuid[]) and posted is null and fate in ${SEEN})
     update statement_lines line set posted = judged.place > judged.booked
     from judged, requisites requisite
     where line.id = judged.id and line.posted is null and requisite.id = line.requisite_id
     returning line.id as "sourceId", line.requisite_id as "requisiteId", requisite.currency,
               line.direction, line.amount_minor as "amountMinor", line.fate, line.posted`,
    [ids],
  );
}

/** A file that should have them does not. */
export async function markMissing(
  tx: Tx,
  importId: string,
  ids: readonly string[],
): Promise<number> {
  const rows = await tx.query(
    `update statement_lines set missing_in = $2, settled_at = null, settled_by = null,
       settled_reason = null
     where id = any($1::uuid[]) and missing_in is null returning id`,
    [ids, importId],
  );
  return rows.length;
}

/** By the books it has not left, or another attempt did; called `row`. */
export const UNEXPLAINED = `(row.payout_id is not null and row.direction = 'out' and (
      (select state from payouts where id = row.payout_id) in ('held', 'queued', 'failed', 'canceled')
      or exists (select from payout_attempts where payout_id = row.payout_id
                   and number = row.payout_attempt and state = 'not_sent')
        and exists (select from payout_attempts where payout_id = row.payout_id
                      and state <> 'not_sent')))`;

/** Nobody else decides about it meanwhile. */
export async function lockLineRow(tx: Tx, id: string): Promise<void> {
  await tx.query("select from statement_lines where id = $1 for no key update", [id]);
}

/** A person's word on a line that waits, or that a file no longer has. */
export async function settleLine(
  tx: Tx,
  line: Omit<LineRow, "waits_for" | "missing_in">,
  payoutAttempt?: number,
): Promise<void> {
  const { id, fate, transfer_id, posted, settled_at, settled_by, settled_reason } = line;
  await tx.query(
    `update statement_lines set fate = $2, waits_for = null, transfer_id = $3, posted = $4,
       missing_in = null, known_gone = known_gone or missing_in is not null, settled_at = $5,
       settled_by = $6, settled_reason = $7, payout_id = $8,
       payout_attempt = case when $8::uuid is not null then coalesce($9, payout_attempt) end
     where id = $1`,
    [
      id,
      fate,
      transfer_id,
      posted,
      settled_at,
      settled_by,
      settled_reason,
      line.payout_id,
      payoutAttempt ?? null,
    ],
  );
}

/** Of lines so old, who paid and what for; of those that wait it stays. */
export async function removeParties(tx: Tx, ids: readonly string[]): Promise<number> {
  const gone = await tx.query(
    `update statement_lines set party = null, purpose = null where id = any(array(
       select id from statement_lines
       where id = any($1::uuid[]) and fate <> 'waiting' and num_nonnulls(party, purpose) > 0
       order by id limit ${RETENTION_SET} for no key update skip locked))
     returning id`,
    [ids],
  );
  return gone.length;
}
