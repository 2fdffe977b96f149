// Payments: as they are stored, and as whoever manages the gateway sees them.

import Type from "typebox";
import { PAYMENT_STATES } from "../../domain/payment.ts";
import { oneOf } from "../../platform/field.ts";
import { column, noun } from "../operators/noun.ts";

export const paymentState = oneOf(PAYMENT_STATES, { description: "How the payment stands." });

export const Payments = noun(
  {
    from: "payments",
    join: "join invoices invoice on invoice.id = row.invoice_id",
    columns: "row.*, invoice.order_id",
  },
  {
    payment_id: column.id("The payment: one attempt to pay."),
    invoice_id: column.uuid("The invoice."),
    order_id: column.text("The order on the merchant's side.", "order-1"),
    shop_id: column.uuid("The shop."),
    requisite_id: column.uuid("Where the payer was sent."),
    service: column.text("Payment method code.", "p2p_card"),
    state: column.as(paymentState),
    to_pay: column.amount("to_pay_minor", "What the payer was told to send.", 1020),
    currency: column.text("Currency code.", "RUB"),
    fee: column.amount("fee_minor", "The commission.", 60),
    received: column.amountOrNull("received_minor", "What arrived, once paid."),
    credited: column.amountOrNull("credited_minor", "What the user was credited with, once paid."),
    refunded: column.amount("refunded_minor", "What went back since.", 0),
    late: column.as(
      Type.Unsafe<boolean | null>({
        type: ["boolean", "null"],
        description: "Whether the money came late; null until it came.",
      }),
    ),
    created_at: column.moment("When the details were issued."),
    ends_at: column.moment("When the details end."),
    paid_at: column.momentOrNull("When it was paid, or null."),
  },
);
