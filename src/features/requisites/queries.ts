// Every statement about requisites and what they took today.

import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";
import { addRows } from "../../platform/db-row.ts";
import type { RequisiteRow } from "./nouns.ts";

/** What an operator has set, and when it was last used at the moment of reading. */
export type PoolRow = Pick<
  RequisiteRow,
  | ("id" | "bank" | "currency" | "receiver_name" | "card_sealed" | "phone_sealed")
  | ("enabled" | "min_minor" | "max_minor" | "last_used_at")
>;

export function readPool(db: Queryable): Promise<PoolRow[]> {
  return db.query<PoolRow>(
    `select requisite.id, requisite.bank, requisite.currency, requisite.receiver_name,
            requisite.card_sealed, requisite.phone_sealed, usage.enabled, requisite.min_minor,
            requisite.max_minor, usage.last_used_at
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

const USAGE = `requisite_id as id, enabled, last_used_at, max_live_payments, max_day_payments,
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
     where requisite_id = any($1::uuid[]) and enabled and live_payments < max_live_payments
       and (day is null or day < $2::date
         or day_payments < max_day_payments and day_sum_minor < max_day_sum_minor)
     order by last_used_at nulls first, requisite_id
     limit $3
     for no key update skip locked`,
    [ids, day, limit],
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

/** Counts payments that were just given out. The rows are locked by whoever chose them. */
export async function countUsage(tx: Tx, usages: readonly Usage[], now: Date): Promise<void> {
  await tx.query(
    `update requisite_usage usage
     set live_payments = live_payments + used.payments,
         day = used.day,
         day_payments = case when usage.day = used.day then day_payments else 0 end
           + used.payments,
         day_sum_minor = case when usage.day = used.day then day_sum_minor else 0 end
           + used.sum_minor,
         last_used_at = $2
     from (
       select "requisiteId" as id, max(day) as day, count(*)::integer as payments,
              sum("amountMinor")::bigint as sum_minor
       from json_to_recordset($1) as usage("requisiteId" uuid, "amountMinor" bigint, day date)
       group by 1) used
     where usage.requisite_id = any($3::uuid[]) and usage.requisite_id = used.id`,
    [rowsOf(usages), now, requisitesOf(usages)],
  );
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

export type NewRequisite = Omit<PoolRow, "bank" | "enabled" | "last_used_at"> &
  Pick<RequisiteRow, "max_live_payments" | "max_day_payments" | "max_day_sum_minor"> & {
    readonly bank: string;
    readonly card_digest: Buffer | null;
    readonly phone_digest: Buffer | null;
  };

/** How many were new; a card or a phone belongs to one requisite only. */
export async function addRequisites(
  tx: Tx,
  requisites: readonly NewRequisite[],
  now: Date,
): Promise<number> {
  const added = await addRows<{ id: string }>(
    tx,
    `insert into requisites (id, bank, currency, receiver_name, card_sealed, card_digest,
       phone_sealed, phone_digest, min_minor, max_minor, created_at)`,
    requisites.map((requisite) => ({ ...requisite, created_at: now })),
    "on conflict do nothing returning id",
  );
  const fresh = new Set(added.map(({ id }) => id));
  await addRows(
    tx,
    `insert into requisite_usage (requisite_id, enabled, max_live_payments, max_day_payments,
       max_day_sum_minor)`,
    requisites
      .filter(({ id }) => fresh.has(id))
      .map((requisite) => ({ ...requisite, requisite_id: requisite.id, enabled: true })),
  );
  return added.length;
}

export interface WalletOwner {
  readonly id: string;
  readonly currency: string;
  readonly card_digest: Buffer | null;
  readonly phone_digest: Buffer | null;
}

/** Whose card or phone these digests are of. */
export function ownersOfWallets(db: Queryable, digests: readonly Buffer[]): Promise<WalletOwner[]> {
  return db.query<WalletOwner>(
    `select id, currency, card_digest, phone_digest from requisites
     where card_digest = any($1::bytea[]) or phone_digest = any($1::bytea[])`,
    [digests],
  );
}
