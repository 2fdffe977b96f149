// Reading how invoices stand, with the payment that tells most: the paid one, else the latest.

import type { InvoiceState } from "../../domain/invoice.ts";
import { type Queryable, rowsOf } from "../../platform/db.ts";

export interface InfoRow {
  readonly call: number;
  readonly id: string;
  readonly shop_id: string;
  readonly order_id: string;
  readonly state: InvoiceState;
  readonly amount_minor: bigint;
  readonly currency: string;
  readonly custom_fields: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly paid_at: Date | null;
  readonly service: string | null;
  readonly percent_ppm: number | null;
  readonly user_percent_ppm: number | null;
  readonly fee_minor: bigint | null;
  readonly payer_fee_minor: bigint | null;
  readonly credited_minor: bigint | null;
  readonly payer: string | null;
}

export interface InfoWish {
  readonly call: number;
  readonly shopId: string;
  readonly invoiceId: string | null;
  readonly orderId: string | null;
}

/** By id where one is given, else by order; always within the shop that asks. */
export function invoiceInfo(db: Queryable, wishes: readonly InfoWish[]): Promise<InfoRow[]> {
  return db.query<InfoRow>(
    `select wish.call, invoice.id, invoice.shop_id, invoice.order_id, invoice.state,
            invoice.amount_minor, invoice.currency, invoice.custom_fields, invoice.created_at,
            invoice.expires_at, invoice.paid_at, payment.service, payment.percent_ppm,
            payment.user_percent_ppm, payment.fee_minor, payment.payer_fee_minor,
            payment.credited_minor, transfer.payer
     from json_to_recordset($1) as wish(call integer, "shopId" uuid, "invoiceId" uuid,
       "orderId" text)
     cross join lateral (
       select * from invoices where id = wish."invoiceId" and shop_id = wish."shopId"
         and (wish."orderId" is null or order_id = wish."orderId")
       union all
       select * from invoices where wish."invoiceId" is null and shop_id = wish."shopId"
         and order_id = wish."orderId") invoice
     left join lateral (
       select * from payments where invoice_id = invoice.id
       order by (state = 'paid') desc, created_at desc, id desc limit 1) payment on true
     left join transfers transfer on transfer.payment_id = payment.id`,
    [rowsOf(wishes)],
  );
}
