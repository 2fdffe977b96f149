// GET /invoice/info: how an invoice stands. Every client of this family of API asks for it.

import Type from "typebox";
import type { InvoiceState } from "../../domain/invoice.ts";
import { type MomentFormat, momentFormat } from "../../domain/moment.ts";
import { toDecimalNumber, toPercent } from "../../domain/money.ts";
import { Refusal } from "../../domain/refusal.ts";
import { hotEndpoint } from "../../platform/endpoint.ts";
import { numberOrNull, oneOf, text, textOrNull, uuid } from "../../platform/field.ts";
import { decodeCustomFields } from "../invoices/event.ts";
import { shopGate } from "../merchants/principal.ts";
import { maskPayer } from "../transfers/payer.ts";
import { type InfoRow, invoiceInfo } from "./info-queries.ts";

const STATUSES = ["created", "success", "fail", "expired", "refund"] as const;

const STATUS_OF: Readonly<Record<InvoiceState, (typeof STATUSES)[number]>> = {
  created: "created",
  pending: "created",
  paid: "success",
  failed: "fail",
  expired: "expired",
  refunded: "refund",
};

const Data = Type.Object({
  invoice_id: Type.String({ description: "The invoice." }),
  order_id: Type.String({ description: "The order on the merchant's side." }),
  shop_id: Type.String({ description: "The shop." }),
  status: oneOf(STATUSES, { description: "How the invoice stands." }),
  invoice_amount: Type.Number({ description: "What the shop asked for." }),
  credited: numberOrNull({ description: "What the user was credited with, once paid." }),
  currency: Type.String({ description: "Currency code." }),
  pay_service: textOrNull({ description: "Payment method code, once details were issued." }),
  payer_details: textOrNull({ description: "Who paid, masked." }),
  commission_amount: numberOrNull({ description: "Total commission." }),
  commission_percent: numberOrNull({ description: "Total commission percentage." }),
  shop_commission_amount: numberOrNull({ description: "The shop's part of the commission." }),
  user_commission_amount: numberOrNull({ description: "The payer's part of the commission." }),
  user_commission_percent: numberOrNull({ description: "The payer's commission percentage." }),
  custom_field: Type.Unsafe<unknown>({
    type: ["object", "null"],
    additionalProperties: true,
    description: "The custom fields as an object.",
  }),
  created_at: Type.String({ description: "YYYY-MM-DD HH:MM:SS." }),
  expired_at: Type.String({ description: "YYYY-MM-DD HH:MM:SS." }),
  paid_at: textOrNull({ description: "YYYY-MM-DD HH:MM:SS, once paid." }),
});

export const getInvoiceInfo = hotEndpoint({
  method: "GET",
  path: "/invoice/info",
  summary: "How an invoice stands",
  description: "Ask by invoice_id, or by order_id.",
  gate: shopGate,
  identifier: "shop_id",
  input: Type.Object({
    shop_id: uuid({
      description: "The shop; also used for authorization.",
      examples: ["00000000-0000-4000-8000-000000000002"],
    }),
    invoice_id: Type.Optional(uuid({ description: "The invoice." })),
    order_id: Type.Optional(text({ max: 255 }, { description: "The order." })),
  }),
  data: Data,
  notFound: "The shop has no such invoice.",
  problems: "first",
  async handleSet({ db, config }, calls) {
    const moments = momentFormat(config.timeZone);
    const rows = await invoiceInfo(
      db,
      calls.map(({ input, principal }, call) => ({
        call,
        shopId: principal.id,
        invoiceId: input.invoice_id ?? null,
        orderId: input.order_id ?? null,
      })),
    );
    const byCall = new Map(rows.map((row) => [row.call, row]));
    return calls.map(({ input }, call) => {
      if (input.invoice_id === undefined && input.order_id === undefined) {
        return new Refusal("invoice_id_required");
      }
      const row = byCall.get(call);
      return row === undefined ? new Refusal("invoice_not_found") : toWire(row, moments);
    });
  },
});

function toWire(row: InfoRow, moments: MomentFormat): Type.Static<typeof Data> {
  const amount = (minor: bigint | null) => (minor === null ? null : toDecimalNumber(minor));
  const percent = (ppm: number | null) => (ppm === null ? null : toPercent(ppm));
  return {
    invoice_id: row.id,
    order_id: row.order_id,
    shop_id: row.shop_id,
    status: STATUS_OF[row.state],
    invoice_amount: toDecimalNumber(row.amount_minor),
    credited: amount(row.credited_minor),
    currency: row.currency,
    pay_service: row.service,
    payer_details: maskPayer(row.payer),
    commission_amount: amount(row.fee_minor),
    commission_percent: percent(row.percent_ppm),
    shop_commission_amount:
      row.fee_minor === null || row.payer_fee_minor === null
        ? null
        : toDecimalNumber(row.fee_minor - row.payer_fee_minor),
    user_commission_amount: amount(row.payer_fee_minor),
    user_commission_percent: percent(row.user_percent_ppm),
    custom_field: decodeCustomFields(row.custom_fields),
    created_at: moments.text(row.created_at),
    expired_at: moments.text(row.expires_at),
    paid_at: row.paid_at === null ? null : moments.text(row.paid_at),
  };
}
