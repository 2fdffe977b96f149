// Every statement about payments.

import type { PaymentState } from "../../domain/payment.ts";
import type { BankCode } from "../../domain/requisite.ts";
import type { HeldSlot } from "../../domain/share.ts";
import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";
import type { Usage } from "../requisites/queries.ts";
import type { DayUsage } from "../requisites/requisite-queries.ts";

export interface LivePayment {
  readonly id: string;
  readonly invoice_id: string;
  readonly requisite_id: string;
  readonly service: string;
  readonly to_pay_minor: bigint;
  readonly created_at: Date;
  readonly ends_at: Date;
  readonly bank: BankCode;
  readonly receiver_name: string;
  readonly card_sealed: Buffer | null;
  readonly phone_sealed: Buffer | null;
}

/**
 * How often each invoice was given details. Asked after the invoices are locked: a statement that waits
 * for a lock goes on with what it saw before, and so six at once became thirteen.
 */
export async function countDetails(
  tx: Tx,
  invoiceIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.query<{ id: string; issued: number }>(
    `select invoice_id as id, count(*)::integer as issued from payments
     where invoice_id = any($1::uuid[]) group by 1`,
    [invoiceIds],
  );
  return new Map(rows.map(({ id, issued }) => [id, issued]));
}

/**
 * After their invoices, so the only one to wait for here is the job that ends them. The state is hidden
 * from the planner: with statistics that are behind it takes the index of all live payments for the
 * shorter way, and read 90,000 of them in 180 ms for one call.
 */
export function lockLivePayments(
  tx: Tx,
  wanted: readonly { invoiceId: string; shopId: string }[],
): Promise<LivePayment[]> {
  return tx.query<LivePayment>(
    `select payment.id, payment.invoice_id, payment.requisite_id, payment.service,
            payment.to_pay_minor, payment.created_at, payment.ends_at, requisite.bank,
            requisite.receiver_name, requisite.card_sealed, requisite.phone_sealed
     from payments payment join requisites requisite on requisite.id = payment.requisite_id
     where payment.invoice_id = any($1::uuid[])
       and array_position($2::uuid[], payment.shop_id) is not null
       and payment.state || '' = 'live'
     order by payment.id
     for no key update of payment`,
    [wanted.map(({ invoiceId }) => invoiceId), wanted.map(({ shopId }) => shopId)],
  );
}

export interface NewPayment {
  readonly id: string;
  readonly invoiceId: string;
  readonly shopId: string;
  readonly requisiteId: string;
  readonly service: string;
  readonly currency: string;
  readonly amountMinor: bigint;
  readonly percentPpm: number;
  readonly userPercentPpm: number;
  readonly feeMinor: bigint;
  readonly payerFeeMinor: bigint;
  readonly nudgeMinor: bigint;
  readonly toPayMinor: bigint;
  readonly payerIp: string | null;
  readonly payerUserAgent: string | null;
  readonly createdAt: Date;
  readonly createdOn: string;
  readonly endsAt: Date;
  readonly slotUntil: Date;
}

export async function addPayments(tx: Tx, payments: readonly NewPayment[]): Promise<void> {
  await tx.query(
    `insert into payments (id, invoice_id, shop_id, requisite_id, service, state, currency,
       amount_minor, percent_ppm, user_percent_ppm, fee_minor, payer_fee_minor, nudge_minor,
       to_pay_minor, payer_ip,
       payer_user_agent, created_at, created_on, ends_at, slot_until)
     select id, "invoiceId", "shopId", "requisiteId", service, 'live', currency, "amountMinor",
            "percentPpm", "userPercentPpm", "feeMinor", "payerFeeMinor", "nudgeMinor",
            "toPayMinor", "payerIp", "payerUserAgent", "createdAt", "createdOn", "endsAt",
            "slotUntil"
     from json_to_recordset($1) as fresh(id uuid, "invoiceId" uuid, "shopId" uuid,
       "requisiteId" uuid, service text, currency text, "amountMinor" bigint,
       "percentPpm" integer, "userPercentPpm" integer, "feeMinor" bigint,
       "payerFeeMinor" bigint, "nudgeMinor" bigint, "toPayMinor" bigint, "payerIp" text,
       "payerUserAgent" text, "createdAt" timestamptz, "createdOn" date, "endsAt" timestamptz,
       "slotUntil" timestamptz)`,
    [rowsOf(payments)],
  );
}

/** Ends these payments early; the answer is the room that they had taken. */
export function lapsePayments(
  tx: Tx,
  ended: readonly { paymentId: string; heldUntil: Date }[],
): Promise<Usage[]> {
  return tx.query<Usage>(
    `update payments payment
     set state = 'lapsed', slot_until = least(slot_until, ended."heldUntil")
     from json_to_recordset($1) as ended("paymentId" uuid, "heldUntil" timestamptz)
     where payment.id = ended."paymentId" and payment.state || '' = 'live'
     returning payment.requisite_id as "requisiteId", payment.to_pay_minor as "amountMinor",
               payment.created_on as day`,
    [rowsOf(ended)],
  );
}

/** The live payments on these requisites, and whose they are. */
export async function liveSlots(tx: Tx, requisiteIds: readonly string[]): Promise<HeldSlot[]> {
  if (requisiteIds.length === 0) return [];
  return tx.query<HeldSlot>(
    `select payment.requisite_id as "requisiteId", payment.to_pay_minor as "amountMinor",
            slot.shop_id as "shopId", slot.user_id as "userId", slot.payer
     from payments payment join slots slot on slot.payment_id = payment.id
     where payment.requisite_id = any($1::uuid[]) and payment.state = 'live'`,
    [requisiteIds],
  );
}

/** Live ones that no job has failed on. */
const LAPSING = `payment.state = 'live' and not exists (
  select from failing_rows where kind = 'lapse-payments' and id = payment.id)`;

/** The ids of payments whose time is over. */
export async function findLapsed(db: Queryable, now: Date, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select id from payments payment where ${LAPSING} and ends_at <= $1
     order by ends_at limit $2`,
    [now, limit],
  );
  return rows.map(({ id }) => id);
}

/** Ends these where their time is over; those that another process is ending are left to it. */
export function lapseDuePayments(tx: Tx, ids: readonly string[], now: Date): Promise<Usage[]> {
  return tx.query<Usage>(
    `update payments set state = 'lapsed'
     where id = any(array(
       select id from payments
       where id = any($1::uuid[]) and state || '' = 'live' and ends_at <= $2
       order by id
       for no key update skip locked))
     returning requisite_id as "requisiteId", to_pay_minor as "amountMinor", created_on as day`,
    [ids, now],
  );
}

/** What these requisites took for a later day than the latest there can be counts for today. */
export async function countForToday(
  tx: Tx,
  requisiteIds: readonly string[],
  today: string,
  latest: string,
): Promise<void> {
  await tx.query(
    `update payments set created_on = $2
     from (select id from payments
           where requisite_id = any($1::uuid[]) and created_on > $3::date
           order by id for no key update) ahead
     where payments.id = ahead.id`,
    [requisiteIds, today, latest],
  );
}

/** What each has taken on a day, and how many payments are of later ones. */
export function usageOfDay(
  tx: Tx,
  requisiteIds: readonly string[],
  day: string,
  latest: string,
): Promise<(DayUsage & { later: number })[]> {
  return tx.query<DayUsage & { later: number }>(
    `select requisite.id, count(payment.id) filter (where ${COUNTS})::integer as payments,
            coalesce(sum(payment.to_pay_minor) filter (where ${COUNTS}), 0)::bigint as sum_minor,
            count(payment.id) filter (where payment.created_on > $3::date)::integer as later
     from unnest($1::uuid[]) as requisite(id)
     left join payments payment
       on payment.requisite_id = requisite.id and payment.created_on >= $2::date
     group by 1`,
    [requisiteIds, day, latest],
  );
}

/** Towards a requisite's limits of the day: what may still come, and what came in time. */
const COUNTS = `payment.created_on = $2::date
              and (payment.state = 'live' or payment.state = 'paid' and not payment.late)`;

export interface PayablePayment {
  readonly id: string;
  readonly invoiceId: string;
  readonly shopId: string;
  readonly requisiteId: string;
  readonly service: string;
  readonly freezeSeconds: number;
  readonly currency: string;
  readonly state: PaymentState;
  readonly toPayMinor: bigint;
  readonly feeMinor: bigint;
  readonly createdOn: string;
  readonly createdAt: Date;
  readonly endsAt: Date;
  readonly slotUntil: Date;
  readonly creditedMinor: bigint | null;
  readonly refundedMinor: bigint;
}

/** Locked in the order of their ids, after their invoices. */
export async function lockPayments(tx: Tx, ids: readonly string[]): Promise<PayablePayment[]> {
  // Of an empty list the planner knows that nothing matches, and any index will do: 90,000 rows.
  if (ids.length === 0) return [];
  return tx.query<PayablePayment>(
    `select payment.id, payment.invoice_id as "invoiceId", payment.shop_id as "shopId",
            payment.requisite_id as "requisiteId", payment.service,
            service.freeze_seconds as "freezeSeconds", payment.currency, payment.state,
            payment.to_pay_minor as "toPayMinor", payment.fee_minor as "feeMinor",
            payment.created_on as "createdOn", payment.created_at as "createdAt",
            payment.ends_at as "endsAt", payment.slot_until as "slotUntil",
            payment.credited_minor as "creditedMinor", payment.refunded_minor as "refundedMinor"
     from payments payment join services service on service.code = payment.service
     where payment.id = any($1::uuid[])
     order by payment.id
     for no key update of payment`,
    [ids],
  );
}

export interface PaidPayment {
  readonly paymentId: string;
  readonly receivedMinor: bigint;
  readonly creditedMinor: bigint;
  readonly late: boolean;
}

export async function markPaymentsPaid(
  tx: Tx,
  paid: readonly PaidPayment[],
  now: Date,
): Promise<void> {
  await tx.query(
    `update payments payment
     set state = 'paid', paid_at = $2, late = paid.late,
         received_minor = paid."receivedMinor", credited_minor = paid."creditedMinor"
     from json_to_recordset($1) as paid("paymentId" uuid, "receivedMinor" bigint,
       "creditedMinor" bigint, late boolean)
     where payment.id = paid."paymentId" and payment.state || '' in ('live', 'lapsed')`,
    [rowsOf(paid), now],
  );
}

/** Its row is locked by the caller. */
export async function addRefunded(tx: Tx, paymentId: string, amountMinor: bigint): Promise<void> {
  await tx.query("update payments set refunded_minor = refunded_minor + $2 where id = $1", [
    paymentId,
    amountMinor,
  ]);
}

export async function paidPaymentOf(tx: Tx, invoiceId: string): Promise<string | undefined> {
  const [row] = await tx.query<{ id: string }>(
    "select id from payments where invoice_id = $1 and state = 'paid'",
    [invoiceId],
  );
  return row?.id;
}

/** Which invoice a payment is for; nothing is locked, because invoices are locked first. */
export async function invoiceIdOf(tx: Tx, paymentId: string): Promise<string | undefined> {
  const [row] = await tx.query<{ invoice_id: string }>(
    "select invoice_id from payments where id = $1",
    [paymentId],
  );
  return row?.invoice_id;
}

export async function nextLapseAt(db: Queryable): Promise<Date | undefined> {
  const [row] = await db.query<{ at: Date }>(
    `select ends_at as at from payments payment where ${LAPSING} order by ends_at limit 1`,
    [],
  );
  return row?.at;
}
