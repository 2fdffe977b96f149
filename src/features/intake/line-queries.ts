// Every statement about lines of statements. A line is found by its key; a set of them is looked up row by
// row, so that no plan reads the whole table.

import { type LineOutcome, OPEN_OUTCOMES, WAITING_OUTCOMES } from "../../domain/line-outcome.ts";
import { REDATED_DAYS } from "../../domain/statement.ts";
import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";
import { RETENTION_SET } from "../../platform/job.ts";

const listOf = (outcomes: readonly LineOutcome[]): string =>
  `(${outcomes.map((one) => `'${one}'`).join(", ")})`;

/** What needs a person; it has an index. */
export const IS_OPEN = `outcome in ${listOf(OPEN_OUTCOMES)}`;
export const IS_WAITING = `outcome in ${listOf(WAITING_OUTCOMES)}`;

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
       update statement_lines line set seen_in = $2, missing_in = null,
         outcome = case outcome when 'missing' then booked_as(line) else outcome end
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
              and ordinal = named.ordinal and outcome <> 'excluded')`,
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
 * What files have told of these days, but for what was last seen in this one; and what was lost around them. A line
 * that is missing by a person's decision is asked for no more.
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
       and (missing_in is null or ${IS_OPEN})
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
  readonly outcome: LineOutcome;
  readonly transferId: string | null;
  readonly movementId: string | null;
  readonly payoutId: string | null;
  readonly payoutAttempt: number | null;
}

export async function addLines(tx: Tx, lines: readonly NewLine[]): Promise<void> {
  await tx.query(
    `insert into statement_lines (id, requisite_id, format, key, ordinal, identity, import_id,
       row_number, seen_in, direction, day, made_at, amount_minor, number, party, purpose, outcome,
       transfer_id, movement_id, payout_id, payout_attempt)
     select id, "requisiteId", format, key, ordinal, identity, "importId", row, "importId",
            direction, day, "madeAt", "amountMinor", number, party, purpose, outcome, "transferId",
            "movementId", "payoutId", "payoutAttempt"
     from json_to_recordset($1) as fresh(id uuid, "requisiteId" uuid, format text, key text,
       ordinal integer, identity text, "importId" uuid, row integer, direction text, day date,
       "madeAt" text, "amountMinor" bigint, number text, party text, purpose text, outcome text,
       "transferId" uuid, "movementId" uuid, "payoutId" uuid, "payoutAttempt" integer)
     order by "requisiteId", format, key, ordinal`,
    [rowsOf(lines)],
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
       settled_reason = null, outcome = case when ${IS_OPEN} then outcome else 'missing' end
     where id = any($1::uuid[]) and missing_in is null returning id`,
    [ids, importId],
  );
  return rows.length;
}

/** By the books it has not left, or another attempt did; called `row`. */
export const UNEXPLAINED = `(row.payout_id is not null and row.direction = 'out' and row.outcome <> 'excluded' and (
      (select state from payouts where id = row.payout_id) in ('held', 'queued', 'failed', 'canceled')
      or exists (select from payout_attempts where payout_id = row.payout_id
                   and number = row.payout_attempt and state = 'not_sent')
        and exists (select from payout_attempts where payout_id = row.payout_id
                      and state <> 'not_sent')))`;

/** Nobody else decides about it meanwhile. */
export async function lockLineRow(tx: Tx, id: string): Promise<void> {
  await tx.query("select from statement_lines where id = $1 for no key update", [id]);
}

export interface Settled {
  readonly outcome: LineOutcome;
  readonly transferId?: string | null;
  readonly movementId?: string | null;
  readonly payoutId: string | null;
  readonly payoutAttempt?: number | null | undefined;
}

/** A person's decision about a line. */
export async function settleLine(
  tx: Tx,
  id: string,
  { outcome, transferId = null, movementId = null, payoutId, payoutAttempt }: Settled,
): Promise<void> {
  await tx.query(
    `update statement_lines set outcome = $2, transfer_id = $3, movement_id = $4, payout_id = $5,
       payout_attempt = case when $5::uuid is not null then coalesce($6, payout_attempt) end
     where id = $1`,
    [id, outcome, transferId, movementId, payoutId, payoutAttempt ?? null],
  );
}

/** A person has looked at a line that is missing: the ledger keeps what it has of it. */
export async function keepMissing(tx: Tx, id: string): Promise<void> {
  await tx.query("update statement_lines line set outcome = booked_as(line) where id = $1", [id]);
}

/** Who has decided about a line, when and why. */
export async function signLine(
  tx: Tx,
  id: string,
  { by, reason, at }: { readonly by: string; readonly reason: string; readonly at: Date },
): Promise<void> {
  await tx.query(
    `update statement_lines set settled_by = $2, settled_reason = $3, settled_at = $4
     where id = $1`,
    [id, by, reason, at],
  );
}

/** Of lines so old, who paid and what for; of those that wait it stays. */
export async function removeParties(tx: Tx, ids: readonly string[]): Promise<number> {
  const gone = await tx.query(
    `update statement_lines set party = null, purpose = null where id = any(array(
       select id from statement_lines
       where id = any($1::uuid[]) and not ${IS_OPEN} and num_nonnulls(party, purpose) > 0
       order by id limit ${RETENTION_SET} for no key update skip locked))
     returning id`,
    [ids],
  );
  return gone.length;
}
