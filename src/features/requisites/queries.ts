// Statements about requisites: what is set, what they took today, and their slots.

import { Refusal } from "../../domain/refusal.ts";
import {
  type HeldSlot,
  MAX_NUDGE_MINOR,
  type Slot,
  type WalletKind,
} from "../../domain/requisite.ts";
import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";
import { addRows, changeRow } from "../../platform/db-row.ts";
import { AFTER_ALL_IDS } from "../../platform/id.ts";
import { RETENTION_SET, type Swept } from "../../platform/job.ts";
import type { Ways } from "../operators/noun.ts";
import type { RequisiteRow } from "./nouns.ts";
import { addNumbers, type SealedNumber } from "./wallet-queries.ts";

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

export interface RequisiteFilter {
  readonly bank?: string;
  readonly enabled?: boolean;
  /** Only these, where a number's last digits were asked for. */
  readonly ids: readonly string[] | undefined;
}

export function waysToRequisites({ bank, enabled, ids }: RequisiteFilter): Ways {
  const enabledNow = "(select enabled from requisite_usage where requisite_id = row.id) = ?";
  return { by: { "id = any(?::uuid[])": ids }, filters: { bank, [enabledNow]: enabled } };
}

export function requisitesById(
  db: Queryable,
  ids: readonly string[],
): Promise<Pick<RequisiteRow, "id" | "currency">[]> {
  return db.query("select id, currency from requisites where id = any($1::uuid[])", [ids]);
}

export type NewRequisite = Pick<
  RequisiteRow,
  | ("id" | "currency" | "receiver_name" | "min_minor" | "max_minor")
  | ("max_live_payments" | "max_day_payments" | "max_day_sum_minor")
> & { readonly bank: string; readonly numbers: readonly SealedNumber[] };

/** Those that are not there yet. A number belongs to one requisite only. */
export async function addRequisites(
  tx: Tx,
  requisites: readonly NewRequisite[],
  now: Date,
): Promise<void> {
  const added = await addRows<{ id: string }>(
    tx,
    "insert into requisites (id, bank, currency, receiver_name, min_minor, max_minor, created_at)",
    requisites.map((requisite) => ({ ...requisite, created_at: now })),
    "on conflict do nothing returning id",
  );
  const ids = new Set(added.map(({ id }) => id));
  const fresh = requisites.filter(({ id }) => ids.has(id));
  const numbers = fresh.flatMap((requisite) => requisite.numbers);
  if (!(await addNumbers(tx, numbers))) throw new Refusal("requisite_taken");
  await addRows(
    tx,
    `insert into requisite_usage (requisite_id, enabled, max_live_payments, max_day_payments,
       max_day_sum_minor)`,
    fresh.map((requisite) => ({ ...requisite, requisite_id: requisite.id, enabled: true })),
  );
}

export async function updateRequisite(tx: Tx, requisite: RequisiteRow): Promise<void> {
  const { id, receiver_name, min_minor, max_minor } = requisite;
  const { max_live_payments: live, max_day_payments: day, max_day_sum_minor: sum } = requisite;
  await changeRow(tx, "update requisites set", id, { receiver_name, min_minor, max_minor });
  await tx.query(
    `update requisite_usage set enabled = $2, max_live_payments = $3, max_day_payments = $4,
       max_day_sum_minor = $5
     where requisite_id = $1`,
    [id, requisite.enabled, live, day, sum],
  );
}

/** Whether statements have named it; until the transaction ends, no file is stored that does. */
export async function accountStays(tx: Tx, id: string): Promise<boolean> {
  await tx.query("select from requisites where id = $1 for update", [id]);
  const [row] = await tx.query<{ stays: boolean }>("select account_was_named($1) as stays", [id]);
  return row?.stays === true;
}

/** Those of these that rest. */
export async function restingAmong(db: Queryable, ids: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select requisite_id as id from requisite_usage
     where requisite_id = any($1::uuid[]) and resting_since is not null`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

/** They are not given out from now on; without a moment they are again. */
export async function setResting(
  tx: Tx,
  ids: readonly string[],
  since: Date | null,
): Promise<void> {
  // Even of no row at all, it would be a change of the settings.
  if (ids.length === 0) return;
  await tx.query(
    `update requisite_usage set resting_since = $2 where requisite_id = any(
       select requisite_id from requisite_usage where requisite_id = any($1::uuid[])
       order by requisite_id for no key update)`,
    [ids, since],
  );
}

/** Those that count for a day to come. */
export async function requisitesAhead(db: Queryable, latest: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    "select requisite_id as id from requisite_usage where day > $1::date",
    [latest],
  );
  return rows.map(({ id }) => id);
}

/** Those that still do, and until the transaction ends take nothing more. */
export async function lockAhead(tx: Tx, ids: readonly string[], latest: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select requisite_id as id from requisite_usage
     where requisite_id = any($1::uuid[]) and day > $2::date
     order by requisite_id for no key update`,
    [ids, latest],
  );
  return rows.map(({ id }) => id);
}

export interface DayUsage {
  readonly id: string;
  readonly payments: number;
  readonly sum_minor: bigint;
}

/** Nor were they used later than now: whoever was would have to rest until then. */
export async function putBack(
  tx: Tx,
  usage: readonly DayUsage[],
  day: string,
  now: Date,
): Promise<void> {
  await tx.query(
    `update requisite_usage usage
     set day = $2, day_payments = used.payments, day_sum_minor = used.sum_minor,
         last_used_at = least(last_used_at, $3)
     from json_to_recordset($1) as used(id uuid, payments integer, sum_minor bigint)
     where usage.requisite_id = used.id`,
    [rowsOf(usage), day, now],
  );
}

/** The next slots after a place, "requisite amount", whose time was over before the moment, and whose payment is. */
export async function sweepSlots(
  tx: Tx,
  after: string,
  before: Date,
  thoseOver: (tx: Tx, paymentIds: readonly string[]) => Promise<string[]>,
): Promise<Swept> {
  const [requisiteId, amountMinor = "0"] = after.split(" ");
  const [end] = await tx.query<{ place: string }>(
    `select requisite_id || ' ' || amount_minor as place from slots
     where (requisite_id, amount_minor) > ($1::uuid, $2::bigint)
     order by requisite_id, amount_minor offset ${RETENTION_SET} - 1 limit 1`,
    [requisiteId, amountMinor],
  );
  const [lastId, lastMinor] = end?.place.split(" ") ?? [AFTER_ALL_IDS, "0"];
  const ended = await tx.query<{ payment_id: string }>(
    `select payment_id from slots
     where (requisite_id, amount_minor) > ($1::uuid, $2::bigint)
       and (requisite_id, amount_minor) <= ($3::uuid, $4::bigint) and held_until < $5
     for update skip locked`,
    [requisiteId, amountMinor, lastId, lastMinor, before],
  );
  const over = await thoseOver(
    tx,
    ended.map(({ payment_id }) => payment_id),
  );
  const gone = await tx.query(
    `delete from slots where (requisite_id, amount_minor) > ($1::uuid, $2::bigint)
       and (requisite_id, amount_minor) <= ($3::uuid, $4::bigint)
       and payment_id = any($5::uuid[]) returning payment_id`,
    [requisiteId, amountMinor, lastId, lastMinor, over],
  );
  return { removed: gone.length, next: end?.place };
}
