// Counting what happened into tallies. Guards that every row of a source is counted once: whoever counts holds
// the marks, and a mark moves in the transaction that has counted what is below it.

import { rowsOf, type Tx } from "../../platform/db.ts";
import { BEFORE_ALL_IDS } from "../../platform/id.ts";

export interface Mark {
  readonly source: string;
  readonly upTo: string;
}

const NEXT_OF = (table: string): string =>
  `select id from ${table} where id >= mark.up_to and id < $1 order by id limit $2 + 1`;
const NEXT_POSTINGS = `select posting.id from (select distinct currency from requisites) known
     cross join lateral (
       select id from ledger_postings where suspense_minor <> 0 and currency = known.currency
         and id >= mark.up_to and id < $1
       order by id limit $2 + 1) posting
     order by posting.id limit $2 + 1`;

/** Of each source its next ids, from the mark and before $1; $2 is how many. Credits are counted twice: once by bank. */
const NEXT_IDS = [
  ...["invoices", "payments", "transfers", "refunds", "events"].map((source) => ({
    ...{ source, ids: NEXT_OF(source) },
  })),
  { source: "ledger_postings", ids: NEXT_POSTINGS },
  { source: "bank_transfers", ids: NEXT_OF("transfers") },
  { source: "bank_postings", ids: NEXT_POSTINGS },
];

/**
 * The attempts that began next, whole milliseconds of them. What came of one is written when it ends, 15 s later at
 * most; where a process stood still meanwhile, it is counted when its hour is closed.
 */
const NEXT_DELIVERIES = `
  select source, up_to as "upTo", next.count > 0 as "isAny",
         (select first_id_at(date_trunc('milliseconds', min(started_at))) from deliveries
          where started_at >= date_trunc('milliseconds', next.last) + interval '1 millisecond'
            and started_at < safe.before) as beyond,
         first_id_at(safe.before) as before
  from tally_marks mark
  cross join lateral (
    select date_trunc('milliseconds', moment_of($1)) as before) safe
  cross join lateral (
    select count(*) as count, max(started_at) as last
    from (select started_at from deliveries
          where started_at >= moment_of(mark.up_to) and started_at < safe.before
          order by started_at limit $2) following) next
  where source = 'deliveries'`;

/** All of them, or none where somebody else is counting and one does not wait. */
export async function lockMarks(tx: Tx, patience: "wait" | "skip"): Promise<readonly Mark[]> {
  const marks = await tx.query<Mark>(
    `select source, up_to as "upTo" from tally_marks order by source
     for update ${patience === "wait" ? "" : "skip locked"}`,
    [],
  );
  return marks.length === NEXT_IDS.length + 1 ? marks : [];
}

export interface Piece extends Mark {
  /** Whether there is anything in it. */
  readonly isAny: boolean;
  /** The first id that is too much; null where it goes up to what is too young. */
  readonly beyond: string | null;
  /** The first that is too young. */
  readonly before: string;
}

/** What of each source is to be counted next: so many ids at most. The marks are locked. */
export function nextPieces(tx: Tx, before: string, setSize: number): Promise<Piece[]> {
  const pieces = NEXT_IDS.map(
    ({ source, ids }) =>
      `select source, up_to as "upTo", next.count > 0 as "isAny", next.beyond,
              $1::uuid as before
       from tally_marks mark
       cross join lateral (
         select count(*) as count, (array_agg(id order by id))[$2 + 1] as beyond
         from (${ids}) following) next
       where source = '${source}'`,
  );
  return tx.query<Piece>([...pieces, NEXT_DELIVERIES].join(" union all "), [before, setSize]);
}

/** What a fact adds to; the columns of tallies beside its key. */
const SUMS = [
  ...["created", "issued", "paid", "late", "cohort_paid"],
  ...["received_minor", "credited_minor", "fee_minor", "refunds", "refunded_minor"],
];

type Fold = (tx: Tx, values: readonly string[]) => Promise<unknown>;

const summed = (names: readonly string[]): string => names.map((name) => `sum(${name})`).join(", ");
const added = (names: readonly string[]): string =>
  names.map((name) => `${name} = old.${name} + excluded.${name}`).join(", ");

const HOOK_SUMS = ["told", "at_once", "later", "answered"];
const BANK_SUMS = ["paid", "received_minor"];

const foldHooks =
  (range: string): Fold =>
  (tx, values) =>
    tx.query(
      `insert into hook_tallies as old (hour, owner_id, speed, ${HOOK_SUMS.join(", ")})
       select hour, coalesce(owner_id, '${BEFORE_ALL_IDS}'), speed, ${summed(HOOK_SUMS)}
       from hook_facts where source = $1 and ${range}
       group by grouping sets ((hour, owner_id, speed), (hour, speed))
       on conflict (hour, owner_id, speed) do update set ${added(HOOK_SUMS)}`,
      values,
      "once",
    );

const foldBanks: Fold = (tx, values) =>
  tx.query(
    `insert into bank_tallies as old (hour, shop_id, currency, bank, ${BANK_SUMS.join(", ")})
     select hour, coalesce(shop_id, '${BEFORE_ALL_IDS}'), currency, bank, ${summed(BANK_SUMS)}
     from bank_facts where source = $1 and id >= $2 and id < $3
     group by grouping sets ((hour, shop_id, currency, bank), (hour, currency, bank))
     on conflict (hour, shop_id, currency, bank) do update set ${added(BANK_SUMS)}`,
    values,
    "once",
  );

/** Sources of what else is counted, and how each is read on. */
const OTHERS: Readonly<Record<string, Fold>> = {
  events: foldHooks("event_id >= $2 and event_id < $3"),
  deliveries: foldHooks("started_at >= moment_of($2) and started_at < moment_of($3)"),
  bank_transfers: foldBanks,
  bank_postings: foldBanks,
};

/** Counts the ids of a source from one and before another. */
export async function foldPiece(tx: Tx, { source, upTo }: Mark, before: string): Promise<void> {
  const other = OTHERS[source];
  if (other !== undefined) {
    await other(tx, [source, upTo, before]);
    return;
  }
  // Planned for these very ids: of a range that is not known the planner would believe that it is large.
  await tx.query(
    `with fact as materialized (
       select * from tally_facts where source = $1 and id >= $2 and id < $3
     ), speeds as (
       insert into pay_speeds as old (hour, shop_id, currency, speed, paid)
       select hour, coalesce(shop_id, '${BEFORE_ALL_IDS}'), currency, speed, sum(paid)
       from fact where speed is not null
       group by grouping sets ((hour, shop_id, currency, speed), (hour, currency, speed))
       on conflict (hour, shop_id, currency, speed) do update set paid = old.paid + excluded.paid
     )
     insert into tallies as old (hour, shop_id, currency, service, ${SUMS.join(", ")})
     select hour, coalesce(shop_id, '${BEFORE_ALL_IDS}'), currency, service,
            ${summed(SUMS)}
     from fact
     group by grouping sets ((hour, shop_id, currency, service), (hour, currency, service))
     on conflict (hour, shop_id, currency, service) do update set ${added(SUMS)}`,
    [source, upTo, before],
    "once",
  );
}

/** A mark, and before which moment its source has nothing more. */
export interface MovedMark extends Mark {
  readonly asOf: Date;
}

export async function moveMarks(tx: Tx, marks: readonly MovedMark[]): Promise<void> {
  await tx.query(
    `update tally_marks mark set up_to = moved."upTo", as_of = moved."asOf"
     from json_to_recordset($1) as moved(source text, "upTo" uuid, "asOf" timestamptz)
     where mark.source = moved.source
       and (mark.up_to, mark.as_of) <> (moved."upTo", moved."asOf")`,
    [rowsOf(marks)],
  );
}

/** The last hour before this one that was closed. */
export async function lastClosed(tx: Tx, before: Date): Promise<Date | undefined> {
  const [last] = await tx.query<{ hour: Date }>(
    "select hour from tally_hours where id < first_id_at($1) order by id desc limit 1",
    [before],
  );
  return last?.hour;
}

/** How much happened in each hour of a period; one that is not here had nothing. */
export function rowsByHour(tx: Tx, from: Date, to: Date): Promise<{ hour: Date; rows: bigint }[]> {
  return tx.query(
    `select hour, sum(created + issued + paid + refunds)::bigint as rows from tallies
     where shop_id = '${BEFORE_ALL_IDS}' and hour >= $1 and hour < $2
     group by hour order by hour`,
    [from, to],
  );
}

/** Counts these whole hours anew and puts right what is wrong; how many rows that were is the answer. */
export async function healHours(tx: Tx, from: Date, to: Date): Promise<number> {
  const [found] = await tx.query<{ wrong: bigint }>(
    `select (select count(*) from tally_differences(first_id_at($1), first_id_at($2), '-infinity'))
       + (select count(*) from hook_differences(first_id_at($1), first_id_at($2), '-infinity'))
       + (select count(*) from bank_differences(first_id_at($1), first_id_at($2)))
       as wrong`,
    [from, to],
  );
  const wrong = Number(found?.wrong);
  if (wrong > 0) await countAnew(tx, from, to);
  return wrong;
}

/** Null where they were not counted anew. */
export async function closeHours(
  tx: Tx,
  from: Date,
  to: Date,
  healed: number | null,
): Promise<void> {
  await tx.query(
    `insert into tally_hours (id, hour, healed)
     select first_id_at(hour), hour, $3
     from generate_series($1::timestamptz, $2::timestamptz - interval '1 hour',
       interval '1 hour') hour
     on conflict (id) do nothing`,
    [from, to, healed],
  );
}

async function countAnew(tx: Tx, from: Date, to: Date): Promise<void> {
  const hours = [from, to];
  await tx.query("delete from tallies where hour >= $1 and hour < $2", hours);
  await tx.query("delete from pay_speeds where hour >= $1 and hour < $2", hours);
  await tx.query("delete from hook_tallies where hour >= $1 and hour < $2", hours);
  await tx.query("delete from bank_tallies where hour >= $1 and hour < $2", hours);
  await tx.query(
    "insert into hook_tallies select * from count_hooks(first_id_at($1), first_id_at($2))",
    hours,
  );
  await tx.query(
    "insert into bank_tallies select * from count_banks(first_id_at($1), first_id_at($2))",
    hours,
  );
  await tx.query(
    "insert into tallies select * from count_tallies(first_id_at($1), first_id_at($2))",
    hours,
  );
  await tx.query(
    `insert into pay_speeds (hour, shop_id, currency, speed, paid)
     select hour, coalesce(shop_id, '${BEFORE_ALL_IDS}'), currency, speed, sum(paid)
     from tally_facts
     where id >= first_id_at($1) and id < first_id_at($2) and speed is not null
     group by grouping sets ((hour, shop_id, currency, speed), (hour, currency, speed))`,
    hours,
  );
}
