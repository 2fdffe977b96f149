// Every statement about statistics: the recount of whole hours from their sources, and sums of them.

import { momentFormat } from "../../domain/moment.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import { ANY_CLOCK, clockAt, offsetValues } from "../../platform/db-zone.ts";
import { BEFORE_ALL_IDS, firstIdAt } from "../../platform/id.ts";

interface Progress {
  readonly countedTo: Date;
  readonly recountHour: Date;
  readonly recountedTo: Date;
}

/** Undefined where another gateway counts and "skip" is asked for. */
export async function lockProgress(
  tx: Tx,
  patience: "wait" | "skip",
): Promise<Progress | undefined> {
  const [progress] = await tx.query<Progress>(
    `select counted_to as "countedTo", recount_hour as "recountHour",
            recounted_to as "recountedTo"
     from statistics_progress for update ${patience === "wait" ? "" : "skip locked"}`,
    [],
  );
  return progress;
}

export async function saveProgress(tx: Tx, progress: Progress): Promise<void> {
  await tx.query(
    "update statistics_progress set counted_to = $1, recount_hour = $2, recounted_to = $3",
    [progress.countedTo, progress.recountHour, progress.recountedTo],
  );
}

export async function firstInvoiceId(tx: Tx): Promise<string | undefined> {
  const [first] = await tx.query<{ id: string }>("select id from invoices order by id limit 1", []);
  return first?.id;
}

/** The invoice that comes so many after a moment. */
export async function invoiceAfter(
  tx: Tx,
  moment: Date,
  count: number,
): Promise<string | undefined> {
  const [found] = await tx.query<{ id: string }>(
    "select id from invoices where id >= $1 order by id offset $2 limit 1",
    [firstIdAt(moment), count],
  );
  return found?.id;
}

const KEY = ["hour", "shop_id", "currency", "method"];
const SUMS = [
  "created",
  "converted",
  "expired",
  "paid",
  "paid_in_time",
  "received_minor",
  "credited_minor",
  "fee_minor",
  "refunds",
  "refunded_minor",
];

/**
 * What counts as what. A credit is a transfer that was matched at once or, for one that waited, the posting that
 * assigned it. Rows of other tables are looked up by their keys: the planner would read the whole table for a join.
 */
const FACTS = `
  select hour_of(id) as hour, shop_id, currency,
         case when cardinality(services) = 1 then services[1] else '' end as method,
         1 as created, (state in ('paid', 'refunded'))::integer as converted,
         (state in ('expired', 'failed'))::integer as expired, 0 as paid, 0 as paid_in_time,
         0::bigint as received_minor, 0::bigint as credited_minor, 0::bigint as fee_minor,
         0 as refunds, 0::bigint as refunded_minor
  from invoices where id >= $3 and id < $4
  union all
  select hour_of(credit.id), shop_id, currency, service, 0, 0, 0, 1, (not late)::integer,
         received_minor, credited_minor, fee_minor, 0, 0
  from (select id, payment_id from transfers
        where id >= $3 and id < $4 and state = 'matched' and suspense_reason is null
        union all
        -- The index begins with the currency.
        select id, (select payment_id from transfers where id = posting.source_id)
        from ledger_postings posting
        where id >= $3 and id < $4 and kind = 'suspense_assigned' and suspense_minor <> 0
          and currency = any(array(select distinct currency from requisites))) credit
  cross join lateral (select * from payments where id = credit.payment_id limit 1) payment
  union all
  select hour_of(refund.id), refund.shop_id, currency, service, 0, 0, 0, 0, 0, 0, 0, 0,
         1, refund.amount_minor
  from refunds refund
  cross join lateral (select currency, service from payments where id = refund.payment_id limit 1)
    payment
  where refund.id >= $3 and refund.id < $4`;

/** Counts these whole hours anew. Rows that are right already are not written. */
export async function recountHours(tx: Tx, from: Date, to: Date): Promise<void> {
  const columns = (of: string): string => SUMS.map((name) => `${of}.${name}`).join(", ");
  // Planned for these very ids: for an unknown range the planner expects a large one.
  await tx.query(
    `with counted as materialized (
       select hour, coalesce(shop_id, '${BEFORE_ALL_IDS}') as shop_id, currency, method,
              ${SUMS.map((name) => `sum(${name})::bigint as ${name}`).join(", ")}
       from (${FACTS}) fact
       group by grouping sets ((hour, shop_id, currency, method), (hour, currency, method))
     ), gone as (
       delete from statistics old where hour >= $1 and hour < $2
         and (${KEY.join(", ")}) not in (select ${KEY.join(", ")} from counted)
     )
     insert into statistics as old (${KEY.join(", ")}, ${SUMS.join(", ")})
     select * from counted
     on conflict (${KEY.join(", ")}) do update
     set ${SUMS.map((name) => `${name} = excluded.${name}`).join(", ")}
     where (${columns("old")}) <> (${columns("excluded")})`,
    [from, to, firstIdAt(from), firstIdAt(to)],
    "once",
  );
}

export interface Period {
  /** Hours from this one and before that one. */
  readonly from: Date;
  readonly to: Date;
  readonly currency: string;
  readonly timeZone: string;
  /** Of these shops together; undefined for all. */
  readonly shopIds: readonly string[] | undefined;
}

/** What sums are by, as text; days are those of the service's clock. */
const KEYS = {
  day: `to_char(${clockAt("hour")}, 'YYYY-MM-DD')`,
  hour: `to_char(hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')`,
  method: "method",
  shop: "shop_id",
} as const;

export type StatisticsKey = keyof typeof KEYS;

export interface Sums {
  readonly created: bigint;
  readonly converted: bigint;
  readonly expired: bigint;
  readonly paid: bigint;
  readonly paid_in_time: bigint;
  readonly received_minor: bigint;
  readonly credited_minor: bigint;
  readonly fee_minor: bigint;
  readonly refunds: bigint;
  readonly refunded_minor: bigint;
}

const COLUMNS = SUMS.map((name) => `sum(${name})::bigint as ${name}`);

/** The keys with most money first. */
export function sumStatistics(
  db: Queryable,
  by: StatisticsKey,
  { timeZone, from, to, currency, shopIds = [BEFORE_ALL_IDS] }: Period,
): Promise<(Sums & { readonly key: string })[]> {
  const isOfEach = by === "shop" && shopIds.includes(BEFORE_ALL_IDS);
  return db.query(
    `select ${KEYS[by]} as key, ${COLUMNS.join(", ")} from statistics
     where ${ANY_CLOCK} and currency = $3 and hour >= $4 and hour < $5
       and shop_id ${isOfEach ? "<> all" : "= any"}($6::uuid[])
     group by 1 order by sum(received_minor) desc, 1`,
    [...offsetValues(momentFormat(timeZone).offsets(from, to)), currency, from, to, shopIds],
  );
}

export async function countedTo(db: Queryable): Promise<Date> {
  const [progress] = await db.query<{ counted_to: Date }>(
    "select counted_to from statistics_progress",
    [],
  );
  if (progress === undefined) throw new Error("The progress of statistics is missing.");
  return progress.counted_to;
}

/** Roubles first. */
export async function currenciesTaken(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ currency: string }>(
    "select currency from requisites group by currency order by currency <> 'RUB', currency",
    [],
  );
  return rows.map(({ currency }) => currency);
}
