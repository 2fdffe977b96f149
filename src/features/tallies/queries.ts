// Reading tallies: sums of hours by a key. Guards that a period costs as many rows as it has hours, and nothing of
// what was counted.

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
  /** Of these shops together; undefined for all that there are. */
  readonly shopIds: readonly string[] | undefined;
}

/** What sums are by, as text; days and hours of the week are those of the service's clock. */
const KEYS = {
  day: `to_char(${clockAt("hour")}, 'YYYY-MM-DD')`,
  hour: `to_char(hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')`,
  weekday_hour: `to_char(${clockAt("hour")}, 'ID-HH24')`,
  service: "service",
  shop: "shop_id::text",
} as const;

export type TallyKey = keyof typeof KEYS;

export interface TallyRow {
  readonly key: string;
  readonly created: bigint;
  readonly issued: bigint;
  readonly paid: bigint;
  readonly cohort_paid: bigint;
  readonly late: bigint;
  readonly received_minor: bigint;
  readonly credited_minor: bigint;
  readonly fee_minor: bigint;
  readonly refunds: bigint;
  readonly refunded_minor: bigint;
}

const SUMS = [
  ...["created", "issued", "paid", "cohort_paid", "late"],
  ...["received_minor", "credited_minor", "fee_minor", "refunds", "refunded_minor"],
].map((name) => `sum(${name})::bigint as ${name}`);

const IN_PERIOD = `${ANY_CLOCK} and currency = $3 and hour >= $4 and hour < $5`;

/** Those of most money first; there may be more shops than anybody looks at. */
export function sumTallies(
  db: Queryable,
  by: TallyKey,
  period: Period,
  limit: number,
): Promise<TallyRow[]> {
  const { shopIds = [BEFORE_ALL_IDS] } = period;
  const ofAll = by === "shop" && period.shopIds === undefined;
  const owners = ofAll ? "shop_id <> all($6::uuid[])" : "shop_id = any($6::uuid[])";
  return db.query<TallyRow>(
    `select ${KEYS[by]} as key, ${SUMS.join(", ")} from tallies
     where ${IN_PERIOD} and ${owners}
     group by 1 order by sum(received_minor) desc, 1 limit $7`,
    [...valuesOf(period), shopIds, limit],
  );
}

/** By the bank that the money came to. */
export function sumBanks(
  db: Queryable,
  period: Period,
): Promise<Pick<TallyRow, "key" | "paid" | "received_minor">[]> {
  const { shopIds = [BEFORE_ALL_IDS] } = period;
  return db.query(
    `select bank as key, sum(paid)::bigint as paid, sum(received_minor)::bigint as received_minor
     from bank_tallies where ${IN_PERIOD} and shop_id = any($6::uuid[])
     group by 1 order by sum(received_minor) desc, 1`,
    [...valuesOf(period), shopIds],
  );
}

export interface SpeedRow {
  readonly day: string;
  readonly speed: number;
  readonly paid: bigint;
}

export function sumSpeeds(db: Queryable, period: Period): Promise<SpeedRow[]> {
  const { shopIds = [BEFORE_ALL_IDS] } = period;
  return db.query<SpeedRow>(
    `select ${KEYS.day} as day, speed, sum(paid)::bigint as paid from pay_speeds
     where ${IN_PERIOD} and shop_id = any($6::uuid[])
     group by 1, 2`,
    [...valuesOf(period), shopIds],
  );
}

export interface HookRow {
  readonly day: string;
  readonly speed: number;
  readonly told: bigint;
  readonly at_once: bigint;
  readonly later: bigint;
  readonly answered: bigint;
}

/** Of shops, or of users where webhooks are about payouts; undefined for all that there are. */
export function sumHooks(
  db: Queryable,
  period: Period,
  ownerIds: readonly string[] = [BEFORE_ALL_IDS],
): Promise<HookRow[]> {
  return db.query<HookRow>(
    // Days are told apart as dates and written out once each, not row by row.
    `select to_char(date, 'YYYY-MM-DD') as day, speed, told, at_once, later, answered
     from (select ${clockAt("hour")}::date as date, speed, sum(told)::bigint as told,
                  sum(at_once)::bigint as at_once, sum(later)::bigint as later,
                  sum(answered)::bigint as answered
           from hook_tallies where owner_id = any($5::uuid[]) and hour >= $3 and hour < $4
           group by 1, 2) summed`,
    [...clockOf(period), period.from, period.to, ownerIds],
  );
}

export interface DetailsRow {
  readonly key: string;
  readonly outcome: string;
  readonly times: bigint;
}

/** What came of asking for details, of these shops together. */
export function sumDetails(
  db: Queryable,
  by: "day" | "hour",
  period: Period,
): Promise<DetailsRow[]> {
  const { from, to, shopIds = [BEFORE_ALL_IDS] } = period;
  return db.query<DetailsRow>(
    `select ${KEYS[by]} as key, outcome, sum(times)::bigint as times from details_tallies
     where ${ANY_CLOCK} and shop_id = any($5::uuid[]) and hour >= $3 and hour < $4
     group by 1, 2`,
    [...clockOf(period), from, to, shopIds],
  );
}

export interface SuspenseRow {
  readonly day: string;
  readonly came: bigint;
  readonly came_minor: bigint;
  readonly assigned_minor: bigint;
  readonly left_minor: bigint;
}

/** By the index of the account: as many rows as came to wait or ceased to. */
export function sumSuspense(db: Queryable, period: Period): Promise<SuspenseRow[]> {
  const sum = (of: string): string => `coalesce(sum(abs(minor)) filter (where ${of}), 0)::bigint`;
  return db.query<SuspenseRow>(
    `select ${KEYS.day} as day, count(*) filter (where minor > 0) as came,
            ${sum("minor > 0")} as came_minor,
            ${sum("minor < 0 and kind = 'suspense_assigned'")} as assigned_minor,
            ${sum("minor < 0 and kind <> 'suspense_assigned'")} as left_minor
     from (select moment_of(id) as hour, kind, suspense_minor as minor from ledger_postings
           where suspense_minor <> 0 and currency = $3
             and id >= first_id_at($4) and id < first_id_at($5)) posting
     group by 1`,
    valuesOf(period),
  );
}

function clockOf({ timeZone, from, to }: Period): unknown[] {
  return offsetValues(momentFormat(timeZone).offsets(from, to));
}

function valuesOf(period: Period): unknown[] {
  return [...clockOf(period), period.currency, period.from, period.to];
}

/** Sources of figures about webhooks; all others are of invoices and money. */
const HOOKS = "source in ('events', 'deliveries')";

/** Before this moment everything is counted, of whatever source is furthest behind. */
export async function countedUpTo(db: Queryable, of: "money" | "hooks"): Promise<Date> {
  const [mark] = await db.query<{ as_of: Date }>(
    `select as_of from tally_marks where ${of === "hooks" ? HOOKS : `not ${HOOKS}`}
     order by as_of limit 1`,
    [],
  );
  if (mark === undefined) throw new Error("There are no marks of tallies.");
  return mark.as_of;
}

/** Roubles first. */
export async function currenciesTaken(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ currency: string }>(
    "select currency from requisites group by currency order by currency <> 'RUB', currency",
    [],
  );
  return rows.map(({ currency }) => currency);
}
