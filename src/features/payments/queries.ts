// Every statement about payments.

import type { BankCode } from "../../domain/requisite.ts";
import type { Tx } from "../../platform/db.ts";
import type { Usage } from "../requisites/queries.ts";

export interface LivePayment {
  readonly id: string;
  readonly invoice_id: string;
  readonly requisite_id: string;
  readonly service: string;
  readonly to_pay_minor: bigint;
  readonly ends_at: Date;
  readonly bank: BankCode;
  readonly receiver_name: string;
  readonly card_sealed: Buffer | null;
  readonly phone_sealed: Buffer | null;
}

/** The invoices are locked already, so the only one to wait for here is the job that ends them. */
export function lockLivePayments(tx: Tx, invoiceIds: readonly string[]): Promise<LivePayment[]> {
  return tx.query<LivePayment>(
    `select payment.id, payment.invoice_id, payment.requisite_id, payment.service,
            payment.to_pay_minor, payment.ends_at, requisite.bank, requisite.receiver_name,
            requisite.card_sealed, requisite.phone_sealed
     from payments payment join requisites requisite on requisite.id = payment.requisite_id
     where payment.invoice_id = any($1::uuid[]) and payment.state = 'live'
     order by payment.id
     for update of payment`,
    [invoiceIds],
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
  readonly feeMinor: bigint;
  readonly payerFeeMinor: bigint;
  readonly nudgeMinor: bigint;
  readonly toPayMinor: bigint;
  readonly payerIp: string | null;
  readonly payerUserAgent: string | null;
  readonly createdAt: Date;
  readonly createdOn: string;
  readonly endsAt: Date;
}

export async function addPayments(tx: Tx, payments: readonly NewPayment[]): Promise<void> {
  const rows = payments.map((payment) => ({
    ...payment,
    amountMinor: String(payment.amountMinor),
    feeMinor: String(payment.feeMinor),
    payerFeeMinor: String(payment.payerFeeMinor),
    nudgeMinor: String(payment.nudgeMinor),
    toPayMinor: String(payment.toPayMinor),
  }));
  await tx.query(
    `insert into payments (id, invoice_id, shop_id, requisite_id, service, state, currency,
       amount_minor, fee_minor, payer_fee_minor, nudge_minor, to_pay_minor, payer_ip,
       payer_user_agent, created_at, created_on, ends_at)
     select id, "invoiceId", "shopId", "requisiteId", service, 'live', currency, "amountMinor",
            "feeMinor", "payerFeeMinor", "nudgeMinor", "toPayMinor", "payerIp", "payerUserAgent",
            "createdAt", "createdOn", "endsAt"
     from json_to_recordset($1) as fresh(id uuid, "invoiceId" uuid, "shopId" uuid,
       "requisiteId" uuid, service text, currency text, "amountMinor" bigint, "feeMinor" bigint,
       "payerFeeMinor" bigint, "nudgeMinor" bigint, "toPayMinor" bigint, "payerIp" text,
       "payerUserAgent" text, "createdAt" timestamptz, "createdOn" date, "endsAt" timestamptz)`,
    [JSON.stringify(rows)],
  );
}

/** Ends these payments early; the answer is the room that they had taken. */
export function lapsePayments(tx: Tx, ids: readonly string[]): Promise<Usage[]> {
  return tx.query<Usage>(
    `update payments set state = 'lapsed'
     where id = any($1::uuid[]) and state = 'live'
     returning requisite_id as "requisiteId", to_pay_minor as "amountMinor", created_on as day`,
    [ids],
  );
}

/** Ends payments whose time is over; those that another process is ending are left to it. */
export function lapseDuePayments(tx: Tx, now: Date, limit: number): Promise<Usage[]> {
  return tx.query<Usage>(
    `update payments set state = 'lapsed'
     where id in (
       select id from payments
       where state = 'live' and ends_at <= $1
       order by ends_at limit $2
       for update skip locked)
     returning requisite_id as "requisiteId", to_pay_minor as "amountMinor", created_on as day`,
    [now, limit],
  );
}
