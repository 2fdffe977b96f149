// Every statement that payments need of requisites: what they took today, and their slots, who holds a
// (requisite, amount) and until when.

import type { Slot, WalletKind } from "../../domain/requisite.ts";
import { type HeldSlot, MAX_NUDGE_MINOR } from "../../domain/share.ts";
import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";
import type { RequisiteRow } from "./nouns.ts";

/** What an operator has set, and when it was last used at the moment of reading. */
export type PoolRow = Pick<
  RequisiteRow,
  | ("id" | "bank" | "currency" | "receiver_name")
  | ("enabled" | "min_minor" | "max_minor" | "last_used_at")
> & {
  /** A number is read with its payment, under the lock; here it is only which there are. */
  readonly wallets: readonly WalletKind[];
};

export function readPool(db: Queryable): Promise<PoolRow[]> {
  return db.query<PoolRow>(
    `select requisite.id, requisite.bank, requisite.currency, requisite.receiver_name,
            usage.enabled and usage.resting_since is null as enabled,
            requisite.min_minor, requisite.max_minor, usage.last_used_at,
            array(select kind from requisite_numbers
                  where requisite_id = requisite.id and kind <> 'account' and until is null) as wallets
     from requisites requisite join requisite_usage usage on usage.requisite_id = requisite.id`,
    [],
  );
}

/** What it has room for, as of its lock. */
export interface UsageRow {
  readonly id: string;
  readonly enabled: boolean;
  readonly last_used_at: Date | null;
  /**
   * The day it counts for: today, or tomorrow where another clock is there already. Here a day never
   * goes back, so that midnight comes once; one that is further ahead is put back by a job.
   */
  readonly day: string;
  readonly max_live_payments: number;
  readonly max_day_payments: number;
  readonly max_day_sum_minor: bigint;
  readonly live_payments_left: number;
  readonly day_payments_left: number;
  readonly day_sum_left_minor: bigint;
}

const USAGE = `requisite_id as id, enabled and resting_since is null as enabled, last_used_at, max_live_payments, max_day_payments,
            max_day_sum_minor, max_live_payments - live_payments as live_payments_left,
            greatest(day, $2::date) as day,
            max_day_payments - case when day >= $2::date then day_payments else 0 end
              as day_payments_left,
            max_day_sum_minor - case when day >= $2::date then day_sum_minor else 0 end
              as day_sum_left_minor`;

/** So many of these that have room and that nobody else is choosing from now, the longest unused first. */
export async function lockWithRoom(
  tx: Tx,
  ids: readonly string[],
  day: string,
  limit: number,
): Promise<UsageRow[]> {
  if (ids.length === 0) return [];
  return tx.query<UsageRow>(
    `select ${USAGE} from requisite_usage
     where requisite_id = any($1::uuid[]) and enabled and resting_since is null
       and live_payments < max_live_payments
       and (day is null or day < $2::date
         or day_payments < max_day_payments and day_sum_minor < max_day_sum_minor)
     order by last_used_at nulls first, requisite_id
     limit $3
     for no key update skip locked`,
    [ids, day, limit],
  );
}

/** What is left of each of these now, as far as it is committed. */
export function readUsage(tx: Tx, ids: readonly string[], day: string): Promise<UsageRow[]> {
  return tx.query<UsageRow>(
    `select ${USAGE} from requisite_usage where requisite_id = any($1::uuid[])`,
    [ids, day],
  );
}

/** All of these, in the order of their ids, waiting for whoever holds one. */
export function lockUsage(tx: Tx, ids: readonly string[], day: string): Promise<UsageRow[]> {
  return tx.query<UsageRow>(
    `select ${USAGE} from requisite_usage where requisite_id = any($1::uuid[])
     order by requisite_id for no key update`,
    [ids, day],
  );
}

export interface Usage {
  readonly requisiteId: string;
  readonly amountMinor: bigint;
  /** The day it counts for; null where only the live payment is over and its money came. */
  readonly day: string | null;
  /** Of details that had lapsed and whose money had come in time: it takes its place of the day again. */
  readonly countsAgain?: boolean;
}

/** What a day has come to, with what is used of it now. */
const ofDay = (total: string, more: string): string =>
  `case when usage.day = used.day then usage.${total} else 0 end + used.${more}`;

/**
 * A part of a statement: the payments of the named part are counted where they do not pass a limit, for the
 * requisites whose ids are the parameter. Those rows are locked by whoever chose them, who has looked at their
 * limits.
 */
export function countsUsage(part: string, { ids, now }: { ids: string; now: string }): string {
  return `update requisite_usage usage
    set live_payments = live_payments + used.payments, day = used.day, last_used_at = ${now},
        day_payments = ${ofDay("day_payments", "payments")},
        day_sum_minor = ${ofDay("day_sum_minor", "sum_minor")}
    from (
      select "requisiteId" as id, max("createdOn") as day, count(*)::integer as payments,
             sum("toPayMinor")::bigint as sum_minor
      from ${part} group by 1) used
    where usage.requisite_id = any(${ids}::uuid[]) and usage.requisite_id = used.id
      and live_payments + used.payments <= max_live_payments
      and ${ofDay("day_payments", "payments")} <= max_day_payments
      and ${ofDay("day_sum_minor", "sum_minor")} <= max_day_sum_minor
    returning requisite_id`;
}

function requisitesOf(usages: readonly Usage[]): string[] {
  return [...new Set(usages.map(({ requisiteId }) => requisiteId))];
}

/** Gives back the room that payments had taken, as far as it was taken on the same day. */
export async function giveBackUsage(tx: Tx, usages: readonly Usage[]): Promise<void> {
  await tx.query(
    `with own as materialized (
       select requisite_id as id, day from requisite_usage where requisite_id = any($2::uuid[])
       order by requisite_id for no key update
     ), freed as (
       select own.id, (count(*) filter (where "countsAgain" is not true))::integer as payments,
              coalesce(sum(sign) filter (where usage.day = own.day), 0)::integer as day_payments,
              coalesce(sum(sign * "amountMinor") filter (where usage.day = own.day), 0)::bigint
                as day_sum_minor
       from own join json_to_recordset($1)
         as usage("requisiteId" uuid, "amountMinor" bigint, day date, "countsAgain" boolean)
         on usage."requisiteId" = own.id
       cross join lateral (select case when "countsAgain" then -1 else 1 end as sign) counted
       group by own.id)
     update requisite_usage usage
     set live_payments = live_payments - freed.payments,
         day_payments = usage.day_payments - freed.day_payments,
         day_sum_minor = usage.day_sum_minor - freed.day_sum_minor
     from freed where usage.requisite_id = freed.id`,
    [rowsOf(usages), requisitesOf(usages)],
  );
}

/** The slots within a nudge of these ranges of amounts that are held, quarantine included, and by whom. */
export async function heldSlots(
  tx: Tx,
  requisiteIds: readonly string[],
  ranges: readonly AmountRange[],
  now: Date,
): Promise<HeldSlot[]> {
  if (ranges.length === 0) return [];
  const wide = ranges.map(({ fromMinor, toMinor }) => ({
    fromMinor: fromMinor - MAX_NUDGE_MINOR,
    toMinor: toMinor + MAX_NUDGE_MINOR,
  }));
  return tx.query<HeldSlot>(
    `select held.* from json_to_recordset($2) as range("fromMinor" bigint, "toMinor" bigint)
     cross join lateral (
       select requisite_id as "requisiteId", amount_minor as "amountMinor", shop_id as "shopId",
              user_id as "userId", payer
       from slots
       where requisite_id = any($1::uuid[])
         and amount_minor between range."fromMinor" and range."toMinor" and held_until > $3
       -- Else it could be planned as a join, and read all slots of the requisites for each range.
       offset 0) held`,
    [requisiteIds, rowsOf(apart(wide)), now],
  );
}

interface AmountRange {
  readonly fromMinor: bigint;
  readonly toMinor: bigint;
}

/** Those that meet become one, so that nothing is read twice. */
function apart(ranges: readonly AmountRange[]): AmountRange[] {
  const joined: AmountRange[] = [];
  for (const range of ranges.toSorted((a, b) => (a.fromMinor < b.fromMinor ? -1 : 1))) {
    const last = joined.at(-1);
    if (last === undefined || range.fromMinor > last.toMinor) joined.push(range);
    else if (range.toMinor > last.toMinor) {
      joined[joined.length - 1] = { fromMinor: last.fromMinor, toMinor: range.toMinor };
    }
  }
  return joined;
}

/**
 * A part of a statement: each payment of the named part gets its slot, if that is free; what it returns are those
 * that got one. The primary key decides; a slot that ran out is taken over. Where who holds what is not known, a
 * slot is given only if fewer than so many around it are held at all: those of the same statement that stand
 * before it on its requisite, which nobody sees yet, are its turn.
 */
export function claimsSlots(part: string, { now, crowd }: { now: string; crowd: string }): string {
  return `insert into slots (requisite_id, amount_minor, payment_id, held_until, shop_id, user_id, payer)
    select "requisiteId", "toPayMinor", id, "slotUntil", "shopId", "userId", payer from ${part} claim
    where ${crowd}::integer is null or turn + (
      select count(*) from slots near
      where near.requisite_id = claim."requisiteId"
        and near.amount_minor between claim."toPayMinor" - ${MAX_NUDGE_MINOR}
          and claim."toPayMinor" + ${MAX_NUDGE_MINOR}
        and near.held_until > ${now}) < ${crowd}
    order by 1, 2
    on conflict (requisite_id, amount_minor) do update
      set payment_id = excluded.payment_id, held_until = excluded.held_until,
          shop_id = excluded.shop_id, user_id = excluded.user_id, payer = excluded.payer
      where slots.held_until <= ${now}
    returning payment_id`;
}

/** Details that were replaced hold their slot for less long than they would have. */
export async function shortenSlots(
  tx: Tx,
  slots: readonly (Slot & { paymentId: string; heldUntil: Date })[],
): Promise<void> {
  await tx.query(
    `update slots set held_until = least(slots.held_until, shorter."heldUntil")
     from json_to_recordset($1) as shorter("requisiteId" uuid, "amountMinor" bigint,
       "paymentId" uuid, "heldUntil" timestamptz)
     where slots.requisite_id = any($2::uuid[]) and slots.requisite_id = shorter."requisiteId"
       and slots.amount_minor = any($3::bigint[]) and slots.amount_minor = shorter."amountMinor"
       and slots.payment_id = shorter."paymentId"`,
    [
      rowsOf(slots),
      slots.map(({ requisiteId }) => requisiteId),
      slots.map(({ amountMinor }) => amountMinor),
    ],
  );
}
