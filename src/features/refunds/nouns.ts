// Refunds: as they are stored, and as whoever manages the gateway sees them.

import { column, noun } from "../operators/noun.ts";

export const Refunds = noun(
  {
    from: "refunds",
    join: "join payments payment on payment.id = row.payment_id",
    columns: "row.*, payment.invoice_id, payment.currency",
  },
  {
    refund_id: column.id("The refund."),
    invoice_id: column.uuid("The invoice."),
    payment_id: column.uuid("The payment that it goes back from."),
    shop_id: column.uuid("The shop."),
    amount: column.amount("amount_minor", "How much goes back.", 1000),
    currency: column.text("Currency code.", "RUB"),
    reference: column.textOrNull("By which a repeated call is known."),
    reason: column.text("Why.", "A broken cup"),
    author: column.text("Who decided it.", "Anna"),
    created_at: column.moment("When."),
  },
);
