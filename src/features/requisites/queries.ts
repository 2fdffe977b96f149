// Every statement about requisites, what they took today, and the slots on them.

import type { BankCode, Slot, WalletKind } from "../../domain/requisite.ts";
import { type HeldSlot, type Holder, MAX_NUDGE_MINOR } from "../../domain/share.ts";
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
            requisite.max_live_payments,
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

/** The slots within a nudge of these ranges of amounts that are held, quarantine included, and by whom. */
export async function heldSlots(
  tx: Tx,
  requisiteIds: readonly string[],
  ranges: readonly { fromMinor: bigint; toMinor: bigint }[],
  now: Date,
): Promise<HeldSlot[]> {
  return tx.query<HeldSlot>(
    `select distinct slot.requisite_id as "requisiteId", slot.amount_minor as "amountMinor",
            slot.shop_id as "shopId", slot.user_id as "userId", slot.payer
     from json_to_recordset($2) as range("fromMinor" bigint, "toMinor" bigint)
     join slots slot on slot.requisite_id = any($1::uuid[])
       and slot.amount_minor between range."fromMinor" - ${MAX_NUDGE_MINOR}
         and range."toMinor" + ${MAX_NUDGE_MINOR}
       and slot.held_until > $3`,
    [requisiteIds, rowsOf(ranges), now],
  );
}

export interface Claim extends Slot, Holder {
  readonly paymentId: string;
  readonly heldUntil: Date;
}

/**
 * The payments that got their slot. The primary key decides; a slot that ran out is taken over. Where
 * who holds what is not known, a slot is given only if fewer than so many around it are held at all.
 */
export async function claimSlots(
  tx: Tx,
  claims: readonly Claim[],
  now: Date,
  crowd: number | undefined,
): Promise<Set<string>> {
  const claimed = await tx.query<{ payment_id: string }>(
    `insert into slots (requisite_id, amount_minor, payment_id, held_until, shop_id, user_id, payer)
     select "requisiteId", "amountMinor", "paymentId", "heldUntil", "shopId", "userId", payer
     from json_to_recordset($1) as claim("requisiteId" uuid, "amountMinor" bigint,
       "paymentId" uuid, "heldUntil" timestamptz, "shopId" uuid, "userId" uuid, payer text,
       turn integer)
     where $3::integer is null or turn + (
       select count(*) from slots near
       where near.requisite_id = claim."requisiteId"
         and near.amount_minor between claim."amountMinor" - ${MAX_NUDGE_MINOR}
           and claim."amountMinor" + ${MAX_NUDGE_MINOR}
         and near.held_until > $2) < $3
     order by 1, 2
     on conflict (requisite_id, amount_minor) do update
       set payment_id = excluded.payment_id, held_until = excluded.held_until,
           shop_id = excluded.shop_id, user_id = excluded.user_id, payer = excluded.payer
       where slots.held_until <= $2
     returning payment_id`,
    [rowsOf(withTurns(claims)), now, crowd ?? null],
  );
  return new Set(claimed.map((row) => row.payment_id));
}

/** How many claims of the same statement, which does not see them, stand before each on its requisite. */
function withTurns(claims: readonly Claim[]): (Claim & { turn: number })[] {
  const turns = new Map<string, number>();
  return claims.map((claim) => {
    const turn = turns.get(claim.requisiteId) ?? 0;
    turns.set(claim.requisiteId, turn + 1);
    return { ...claim, turn };
  });
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
     where slots.requisite_id = shorter."requisiteId"
       and slots.amount_minor = shorter."amountMinor"
       and slots.payment_id = shorter."paymentId"`,
    [rowsOf(slots)],
  );
}

export interface Usage {
  readonly requisiteId: string;
  readonly amountMinor: bigint;
  /** The day it counts for; null where only the live payment is over and its money came. */
  readonly day: string | null;
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

/** Gives back the room that lapsed payments had taken, as far as it was taken on the same day. */
export async function giveBackUsage(tx: Tx, usages: readonly Usage[]): Promise<void> {
  await tx.query(
    `with usage as materialized (
       select * from json_to_recordset($1)
         as usage("requisiteId" uuid, "amountMinor" bigint, day date)
     ), freed as (
       select requisite.id, count(*)::integer as payments,
              (count(*) filter (where usage.day = requisite.day))::integer as day_payments,
              coalesce(sum(usage."amountMinor") filter (where usage.day = requisite.day), 0)::bigint
                as day_sum_minor
       from (select id, day from requisites
             where id in (select "requisiteId" from usage)
             order by id for no key update) requisite
       join usage on usage."requisiteId" = requisite.id
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
