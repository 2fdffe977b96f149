// Sums of statistics over a period, by day, hour, method or shop.

import { momentFormat } from "../../domain/moment.ts";
import type { Queryable } from "../../platform/db.ts";
import { ANY_CLOCK, clockAt, offsetValues } from "../../platform/db-zone.ts";
import { BEFORE_ALL_IDS } from "../../platform/id.ts";

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
].map((name) => `sum(${name})::bigint as ${name}`);

/** The keys with most money first. */
export function sumStatistics(
  db: Queryable,
  by: StatisticsKey,
  { timeZone, from, to, currency, shopIds = [BEFORE_ALL_IDS] }: Period,
): Promise<(Sums & { readonly key: string })[]> {
  const isOfEach = by === "shop" && shopIds.includes(BEFORE_ALL_IDS);
  return db.query(
    `select ${KEYS[by]} as key, ${SUMS.join(", ")} from statistics
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
