// Invoices: as they are stored, as whoever manages the gateway sees them, and as their shop does.

import { INVOICE_STATES, INVOICE_TYPES, type InvoiceState } from "../../domain/invoice.ts";
import { toPercent } from "../../domain/money.ts";
import { numberOrNull, oneOf, Type, textOrNull } from "../../platform/field.ts";
import { decodeCustomFields } from "../invoices/event.ts";
import { column, noun, shape } from "../operators/noun.ts";
import { maskPayer } from "../transfers/nouns.ts";

export const invoiceState = oneOf(INVOICE_STATES, { description: "How the invoice stands." });

export const Invoices = noun(
  { from: "invoices", columns: "row.*", missing: "invoice_not_found" },
  {
    invoice_id: column.id("The invoice."),
    shop_id: column.uuid("The shop."),
    order_id: column.text("The order on the merchant's side.", "order-1"),
    type: column.as(oneOf(INVOICE_TYPES, { description: "Host-to-host, or on the payment page." })),
    state: column.as(invoiceState),
    amount: column.amount("amount_minor", "What the shop asked for.", 1000),
    currency: column.text("Currency code.", "RUB"),
    services: column.as(
      Type.Array(Type.String({ description: "Payment method code.", examples: ["p2p_card"] })),
    ),
    created_at: column.moment("When it was made."),
    expires_at: column.moment("When it ends."),
    paid_at: column.momentOrNull("When it was paid, or null."),
  },
);

const STATUSES = ["created", "success", "fail", "expired", "refund"] as const;

const STATUS_OF: Readonly<Record<InvoiceState, (typeof STATUSES)[number]>> = {
  created: "created",
  pending: "created",
  paid: "success",
  failed: "fail",
  expired: "expired",
  refunded: "refund",
};

const percentOrNull = <Column extends string>(name: Column, description: string) =>
  column.shown(numberOrNull({ description }), name, (ppm: number | null) =>
    ppm === null ? null : toPercent(ppm),
  );

/** With the payment that tells most. */
export const InvoiceInfo = shape({
  invoice_id: column.id("The invoice."),
  order_id: column.text("The order on the merchant's side.", "order-1"),
  shop_id: column.uuid("The shop."),
  status: column.shown(
    oneOf(STATUSES, { description: "How the invoice stands." }),
    "state",
    (state: InvoiceState) => STATUS_OF[state],
  ),
  invoice_amount: column.amount("amount_minor", "What the shop asked for.", 1000),
  credited: column.amountOrNull("credited_minor", "What the user was credited with, once paid."),
  currency: column.text("Currency code.", "RUB"),
  pay_service: column.shown(
    textOrNull({ description: "Payment method code, once details were issued." }),
    "service",
    (service: string | null) => service,
  ),
  payer_details: column.shown(textOrNull({ description: "Who paid, masked." }), "payer", maskPayer),
  commission_amount: column.amountOrNull("fee_minor", "Total commission."),
  commission_percent: percentOrNull("percent_ppm", "Total commission percentage."),
  shop_commission_amount: column.amountOrNull(
    "shop_fee_minor",
    "The shop's part of the commission.",
  ),
  user_commission_amount: column.amountOrNull(
    "payer_fee_minor",
    "The payer's part of the commission.",
  ),
  user_commission_percent: percentOrNull("user_percent_ppm", "The payer's commission percentage."),
  custom_field: column.shown(
    Type.Unsafe<unknown>({
      type: ["object", "null"],
      additionalProperties: true,
      description: "The custom fields as an object.",
    }),
    "custom_fields",
    decodeCustomFields,
  ),
  created_at: column.text("YYYY-MM-DD HH:MM:SS.", "2026-03-01 12:00:00"),
  expired_at: column.text("YYYY-MM-DD HH:MM:SS.", "2026-03-01 17:00:00"),
  paid_at: column.textOrNull("YYYY-MM-DD HH:MM:SS, once paid."),
});
