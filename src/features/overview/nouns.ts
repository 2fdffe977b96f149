// Invoices: as they are stored, and as whoever manages the gateway sees them.

import Type from "typebox";
import { INVOICE_STATES, INVOICE_TYPES } from "../../domain/invoice.ts";
import { oneOf } from "../../platform/field.ts";
import { column, noun } from "../operators/noun.ts";

export const invoiceState = oneOf(INVOICE_STATES, { description: "How the invoice stands." });

export const Invoices = noun(
  { from: "invoices", columns: "row.*", missing: "invoice_not_found" },
  {
    invoice_id: column.id("The invoice."),
    shop_id: column.text("The shop."),
    order_id: column.text("The order on the merchant's side."),
    type: column.as(oneOf(INVOICE_TYPES, { description: "Host-to-host, or on the payment page." })),
    state: column.as(invoiceState),
    amount: column.amount("amount_minor", "What the shop asked for."),
    currency: column.text("Currency code."),
    services: column.as(Type.Array(Type.String({ description: "Payment method code." }))),
    created_at: column.moment("When it was made."),
    expires_at: column.moment("When it ends."),
    paid_at: column.momentOrNull("When it was paid, or null."),
  },
);
