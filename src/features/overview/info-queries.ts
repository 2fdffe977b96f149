// Reading how invoices stand, with the payment that tells most: the paid one, else the latest.

import { type Queryable, rowsOf } from "../../platform/db.ts";
import type { RowOf } from "../operators/noun.ts";
import type { InvoiceInfo } from "./nouns.ts";

type Shown = RowOf<typeof InvoiceInfo>;

/** Its moments are not yet written in the service's time zone. */
export interface InfoRow extends Omit<Shown, "created_at" | "expired_at" | "paid_at"> {
  readonly call: number;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly paid_at: Date | null;
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
            payment.fee_minor - payment.payer_fee_minor as shop_fee_minor,
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
