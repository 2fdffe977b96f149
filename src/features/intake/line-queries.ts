// Every statement about lines of statements, the movements they show and the payouts they name. A
// set of lines is looked up row by row, so that no plan reads the whole table.

import { type LineOutcome, OPEN_OUTCOMES, WAITING_OUTCOMES } from "../../domain/line-outcome.ts";
import type { PayoutState } from "../../domain/payout.ts";
import type { MovementKind } from "../../domain/posting.ts";
import { REDATED_DAYS } from "../../domain/statement.ts";
import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";
import { RETENTION_SET } from "../../platform/job.ts";
import type { AttemptKey } from "../payouts/attempt-queries.ts";

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
interface DaySpan {
  readonly requisiteId: string;
  readonly format: string;
  readonly from: string;
  readonly to: string;
}

interface StoredName {
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

/** What equal movements have in common. */
interface Bucket {
  readonly requisiteId: string;
  readonly day: string;
  readonly direction: "in" | "out";
  readonly amountMinor: bigint;
}

interface AskedBucket extends Bucket {
  readonly bucket: string;
  readonly format: string;
}

interface FreeMovement {
  readonly id: string;
  readonly bucket: string;
  readonly kind: MovementKind;
}

/** Those that no line of the format tells of yet, in the order of their places. */
export function freeMovements(tx: Tx, buckets: readonly AskedBucket[]): Promise<FreeMovement[]> {
  return tx.query<FreeMovement>(
    `select movement.id, asked.bucket, movement.kind
     from json_to_recordset($1) as asked(bucket text, "requisiteId" uuid, day date, direction text,
       "amountMinor" bigint, format text)
     cross join lateral (
       select id, kind, place from movements
       where requisite_id = asked."requisiteId" and day = asked.day and direction = asked.direction
         and amount_minor = asked."amountMinor" and place is not null
         and not exists (select from statement_lines
                         where movement_id = movements.id and format = asked.format)
       offset 0) movement
     order by movement.place`,
    [rowsOf(buckets)],
  );
}

interface NewMovement extends Bucket {
  readonly id: string;
  readonly kind: MovementKind;
}

/** The ids of those that were added: a place that somebody else takes at the same moment is theirs. */
export async function addMovements(
  tx: Tx,
  movements: readonly NewMovement[],
): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ id: string }>(
    `insert into movements (id, requisite_id, day, direction, amount_minor, place, kind)
     select id, "requisiteId", day, direction, "amountMinor",
            coalesce((select max(place) from movements known
                      where known.requisite_id = fresh."requisiteId" and known.day = fresh.day
                        and known.direction = fresh.direction
                        and known.amount_minor = fresh."amountMinor"), 0)
              + row_number() over (partition by "requisiteId", day, direction, "amountMinor"
                  order by id), kind
     from json_to_recordset($1) as fresh(id uuid, "requisiteId" uuid, day date, direction text,
       "amountMinor" bigint, kind text)
     on conflict (requisite_id, day, direction, amount_minor, place) do nothing
     returning id`,
    [rowsOf(movements)],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Whether it is out of the ledger now: no line tells of it. */
export async function freeUntold(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query(
    `update movements set place = null
     where id = $1 and not exists (select from statement_lines where movement_id = $1) returning id`,
    [id],
  );
  return rows.length > 0;
}

/** Another movement takes its place, and all lines that tell of it. */
export async function replaceMovement(
  tx: Tx,
  id: string,
  next: { readonly id: string; readonly kind: MovementKind },
): Promise<void> {
  const [{ place } = { place: null }] = await tx.query<{ place: number | null }>(
    "select place from movements where id = $1 for update",
    [id],
  );
  await tx.query("update movements set place = null where id = $1", [id]);
  await tx.query(
    `insert into movements (id, requisite_id, day, direction, amount_minor, place, kind)
     select $2, requisite_id, day, direction, amount_minor, $3, $4 from movements where id = $1`,
    [id, next.id, place, next.kind],
  );
  await tx.query(
    `update statement_lines set movement_id = $2,
       outcome = case outcome when 'missing' then outcome else $3 end,
       payout_id = case $3 when 'outflow' then payout_id end,
       payout_attempt = case $3 when 'outflow' then payout_attempt end
     where movement_id = $1`,
    [id, next.id, next.kind],
  );
}

/** A word of a line, by the line's place. */
interface AskedWord {
  readonly place: number;
  readonly word: string;
  /** Where it may be a payout's own id. */
  readonly id: string | null;
  /** Where it may be what a payout is called in a file: the digits of that. */
  readonly document: string | null;
  readonly currency: string;
  readonly format: string;
  readonly requisiteId: string;
}

export interface NamedPayout {
  readonly place: number;
  readonly id: string;
  readonly state: PayoutState;
  readonly receiveMinor: bigint;
  /** Where the rail's own name of an attempt stands there: which. */
  readonly attempt: number | null;
  /** Whether that one is said not to have left, and another has or may have. */
  readonly isOther: boolean;
  /** Whether the bank's own reference stands there, by which it is known to have left. */
  readonly isProof: boolean;
  /** Whether a line of this format, or of another account, has shown already that it left. */
  readonly isSeen: boolean;
}

/** By the bank's reference, by the rail's name of an attempt, by its own id, or by its name in files. */
export function payoutsNamed(db: Queryable, words: readonly AskedWord[]): Promise<NamedPayout[]> {
  return db.query<NamedPayout>(
    `select distinct asked.place, payout.id, payout.state, payout.receive_minor as "receiveMinor",
            named.attempt, named.is_other as "isOther", named.is_proof as "isProof",
            exists (select from statement_lines line where line.payout_id = payout.id
                      and line.direction = 'out' and line.outcome <> 'excluded' and (line.format = asked.format
                        or line.requisite_id <> asked."requisiteId")) as "isSeen"
     from json_to_recordset($1) as asked(place integer, word text, id uuid, document text,
       currency text, format text, "requisiteId" uuid)
     cross join lateral (
       select id, null::integer as attempt, false as is_other, true as is_proof from payouts
       where currency = asked.currency and bank_reference = asked.word
       union all
       select id, null, false, false from payouts where id = asked.id
       union all
       select id, null, false, false from payouts where upper(right(id::text, 12)) = asked.document
       union all
       select payout_id, number, state = 'not_sent' and exists (
         select from payout_attempts other
         where other.payout_id = attempt.payout_id and other.state <> 'not_sent'), false
       from rails cross join lateral (
         select payout_id, number, state from payout_attempts
         where rail = rails.code and rail_id = asked.word offset 0) attempt) named
     join payouts payout on payout.id = named.id and payout.currency = asked.currency`,
    [rowsOf(words)],
  );
}

/**
 * Payouts that may have left, and that a line shows to have, each with the attempt that it was; also those that
 * were tried, and stand in line again. A line of before it was asked which attempt each is of is of the one that may
 * have left, or of the last that was marked: what is only claimed has sent nothing. One of an attempt that is said not to have left
 * contradicts that, once.
 */
export function payoutsShown(tx: Tx, limit: number): Promise<AttemptKey[]> {
  return tx.query<AttemptKey>(
    `select payout.id as "payoutId", attempt.number
     from (select id, state from payouts where state in ('sending', 'unknown')
           union all
           select id, state from payouts where queued_at is not null and attempts > 0) payout
     cross join lateral (
       select number from payout_attempts where payout_id = payout.id and state <> 'claimed'
       order by state <> 'not_sent' desc, dispatched_at is not null desc, number desc
       limit 1) unnamed
     cross join lateral (
       select coalesce(payout_attempt, unnamed.number) as number
       from statement_lines shown join movements on movements.id = shown.movement_id
       where payout_id = payout.id and kind = 'outflow' offset 0) line
     cross join lateral (
       select number from payout_attempts where payout_id = payout.id and number = line.number
         and state <> 'claimed' and (state <> 'not_sent' or reopened_at is null) limit 1) attempt
     group by payout.state, payout.id, attempt.number
     order by payout.state, payout.id, attempt.number limit $1`,
    [limit],
  );
}

/** By its payout, a line that shows it to have left. */
export async function linesShowing(
  tx: Tx,
  payoutIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.query<{ payout_id: string; id: string }>(
    `select asked.id as payout_id, line.id from unnest($1::uuid[]) as asked(id)
     cross join lateral (
       select shown.id from statement_lines shown join movements on movements.id = shown.movement_id
       where payout_id = asked.id and kind = 'outflow' limit 1) line`,
    [payoutIds],
  );
  return new Map(rows.map(({ payout_id, id }) => [payout_id, id]));
}

/** Whether another line shows it as well, of another movement where one is named. */
export async function isShownOtherwise(
  tx: Tx,
  payoutId: string,
  lineId: string,
  movementId: string | null,
): Promise<boolean> {
  const rows = await tx.query(
    `select from statement_lines line join movements on movements.id = line.movement_id
     where payout_id = $1 and kind = 'outflow' and line.id <> $2
       and line.movement_id is distinct from $3 limit 1`,
    [payoutId, lineId, movementId],
  );
  return rows.length > 0;
}

/** By the rail's own name of it. */
export async function attemptNamed(tx: Tx, lineId: string): Promise<number | null> {
  const [row] = await tx.query<{ number: number | null }>(
    "select payout_attempt as number from statement_lines where id = $1",
    [lineId],
  );
  return row?.number ?? null;
}
