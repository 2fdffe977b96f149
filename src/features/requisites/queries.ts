// Every statement about requisites and what they took today.

import type { BankCode, WalletKind } from "../../domain/requisite.ts";
import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";
import { heldAmong } from "../../platform/db-held.ts";

export interface RequisiteRow {
  readonly id: string;
  readonly enabled: boolean;
  readonly bank: BankCode;
  readonly currency: string;
  readonly receiver_name: string;
  readonly card_sealed: Buffer | null;
  readonly phone_sealed: Buffer | null;
  readonly last_used_at: Date | null;
  readonly min_minor: bigint;
  readonly max_minor: bigint;
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

export interface Need {
  readonly bank: BankCode;
  readonly currency: string;
  readonly wallet: WalletKind;
  /** How many of them at most, where a few are enough. */
  readonly wanted: number;
}

const COLUMNS = `requisite.id, requisite.enabled, requisite.bank, requisite.currency,
            requisite.receiver_name, requisite.card_sealed, requisite.phone_sealed,
            requisite.last_used_at, requisite.min_minor, requisite.max_minor,
            requisite.max_live_payments, requisite.max_day_payments, requisite.max_day_sum_minor,
            requisite.max_live_payments - requisite.live_payments as live_payments_left,
            greatest(requisite.day, $2::date) as day,
            requisite.max_day_payments - case when requisite.day >= $2::date
              then requisite.day_payments else 0 end as day_payments_left,
            requisite.max_day_sum_minor - case when requisite.day >= $2::date
              then requisite.day_sum_minor else 0 end as day_sum_left_minor`;

const NEEDS =
  "json_to_recordset($1) as need(bank text, currency text, wallet text, wanted integer)";

const SUITS = `requisite.bank = need.bank and requisite.currency = need.currency
         and requisite.enabled
         and case need.wallet when 'card' then requisite.card_sealed
             else requisite.phone_sealed end is not null
         and requisite.live_payments < requisite.max_live_payments
         and (requisite.day is null or requisite.day < $2::date
           or requisite.day_payments < requisite.max_day_payments
           and requisite.day_sum_minor < requisite.max_day_sum_minor)`;

/**
 * For each need the few that have rested longest and that nobody else is choosing from now; never more
 * than half of those that suit, so that others find some as well, also when this process freezes.
 */
export function lockRested(tx: Tx, needs: readonly Need[], day: string): Promise<RequisiteRow[]> {
  return tx.query<RequisiteRow>(
    `select distinct on (requisite.id) ${COLUMNS}
     from ${NEEDS}
     cross join lateral (
       select requisite.* from requisites requisite
       where ${SUITS}
       order by requisite.last_used_at nulls first, requisite.id
       limit least(need.wanted, (
         select greatest(1, count(*) / 2)
         from (select from requisites requisite where ${SUITS} limit 2 * need.wanted) suiting))
       for no key update skip locked) requisite
     order by requisite.id`,
    [rowsOf(needs), day],
  );
}

/**
 * All that suit, and these others, in the order of their ids, waiting for whoever holds one; but not for
 * those that are known to be held.
 */
export function lockAll(
  tx: Tx,
  needs: readonly Need[],
  day: string,
  otherIds: readonly string[],
  heldIds: readonly string[],
): Promise<RequisiteRow[]> {
  return tx.query<RequisiteRow>(
    `select ${COLUMNS}
     from requisites requisite
     where (requisite.id = any($3::uuid[]) or exists (select from ${NEEDS} where ${SUITS}))
       and requisite.id <> all($4::uuid[])
     order by requisite.id
     for no key update`,
    [rowsOf(needs), day, otherIds, heldIds],
  );
}

export type HeldRequisite = Omit<Need, "wanted"> & { readonly id: string };

/** Those that suit a need and that somebody else holds, as heldAmong() finds them. */
export async function heldThatSuit(
  tx: Tx,
  needs: readonly Need[],
  day: string,
): Promise<HeldRequisite[]> {
  if (tx.careful === undefined) return [];
  const suiting = await tx.query<HeldRequisite>(
    `select requisite.id, need.bank, need.currency, need.wallet
     from ${NEEDS} join requisites requisite on ${SUITS}`,
    [rowsOf(needs), day],
  );
  const held = await heldAmong(
    tx,
    "requisites",
    "id",
    suiting.map(({ id }) => id),
  );
  return suiting.filter(({ id }) => held.has(id));
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
    `update requisites
     set live_payments = live_payments + used.payments,
         day = used.day,
         day_payments = case when requisites.day = used.day then day_payments else 0 end
           + used.payments,
         day_sum_minor = case when requisites.day = used.day then day_sum_minor else 0 end
           + used.sum_minor,
         last_used_at = $2
     from (
       select "requisiteId" as id, max(day) as day, count(*)::integer as payments,
              sum("amountMinor")::bigint as sum_minor
       from json_to_recordset($1) as usage("requisiteId" uuid, "amountMinor" bigint, day date)
       group by 1) used
     where requisites.id = used.id`,
    [rowsOf(usages), now],
  );
}

/** Gives back the room that payments had taken, as far as it was taken on the same day. */
export async function giveBackUsage(tx: Tx, usages: readonly Usage[]): Promise<void> {
  await tx.query(
    `with usage as materialized (
       select * from json_to_recordset($1)
         as usage("requisiteId" uuid, "amountMinor" bigint, day date, "countsAgain" boolean)
     ), freed as (
       select requisite.id,
              (count(*) filter (where "countsAgain" is not true))::integer as payments,
              coalesce(sum(sign) filter (where usage.day = requisite.day), 0)::integer
                as day_payments,
              coalesce(sum(sign * "amountMinor") filter (where usage.day = requisite.day), 0)::bigint
                as day_sum_minor
       from (select id, day from requisites
             where id in (select "requisiteId" from usage)
             order by id for no key update) requisite
       join usage on usage."requisiteId" = requisite.id
       cross join lateral (select case when "countsAgain" then -1 else 1 end as sign) counted
       group by requisite.id)
     update requisites
     set live_payments = live_payments - freed.payments,
         day_payments = requisites.day_payments - freed.day_payments,
         day_sum_minor = requisites.day_sum_minor - freed.day_sum_minor
     from freed where requisites.id = freed.id`,
    [rowsOf(usages)],
  );
}

export interface NewRequisite {
  readonly id: string;
  readonly bank: string;
  readonly currency: string;
  readonly receiver_name: string;
  readonly card_sealed: Buffer | null;
  readonly card_digest: Buffer | null;
  readonly phone_sealed: Buffer | null;
  readonly phone_digest: Buffer | null;
  readonly min_minor: bigint;
  readonly max_minor: bigint;
  readonly max_live_payments: number;
  readonly max_day_payments: number;
  readonly max_day_sum_minor: bigint;
}

/** How many were new; a card or a phone belongs to one requisite only. */
export async function addRequisites(
  tx: Tx,
  requisites: readonly NewRequisite[],
  now: Date,
): Promise<number> {
  const rows = requisites.map((requisite) => ({
    ...requisite,
    card_sealed: requisite.card_sealed?.toString("hex"),
    card_digest: requisite.card_digest?.toString("hex"),
    phone_sealed: requisite.phone_sealed?.toString("hex"),
    phone_digest: requisite.phone_digest?.toString("hex"),
  }));
  const added = await tx.query(
    `insert into requisites (id, bank, currency, receiver_name, card_sealed, card_digest,
       phone_sealed, phone_digest, enabled, min_minor, max_minor, max_live_payments,
       max_day_payments, max_day_sum_minor, created_at)
     select id, bank, currency, receiver_name, decode(card_sealed, 'hex'),
            decode(card_digest, 'hex'), decode(phone_sealed, 'hex'), decode(phone_digest, 'hex'),
            true, min_minor, max_minor, max_live_payments, max_day_payments, max_day_sum_minor, $2
     from json_to_recordset($1) as fresh(id uuid, bank text, currency text, receiver_name text,
       card_sealed text, card_digest text, phone_sealed text, phone_digest text, min_minor bigint,
       max_minor bigint, max_live_payments integer, max_day_payments integer,
       max_day_sum_minor bigint)
     on conflict do nothing
     returning id`,
    [rowsOf(rows), now],
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
