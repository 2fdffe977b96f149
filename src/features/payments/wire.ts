// Payments as whoever manages the gateway sees them.

import Type from "typebox";
import { isoOrNull } from "../../domain/moment.ts";
import { toDecimalNumber } from "../../domain/money.ts";
import { PAYMENT_STATES } from "../../domain/payment.ts";
import { numberOrNull, oneOf, textOrNull } from "../../platform/field.ts";
import type { PaymentView } from "./list-queries.ts";

export const Payment = Type.Object({
  payment_id: Type.String({ description: "The payment: one attempt to pay." }),
  invoice_id: Type.String({ description: "The invoice." }),
  order_id: Type.String({ description: "The order on the merchant's side." }),
  shop_id: Type.String({ description: "The shop." }),
  requisite_id: Type.String({ description: "Where the payer was sent." }),
  service: Type.String({ description: "Payment method code." }),
  state: oneOf(PAYMENT_STATES, { description: "How the payment stands." }),
  to_pay: Type.Number({ description: "What the payer was told to send." }),
  currency: Type.String({ description: "Currency code." }),
  fee: Type.Number({ description: "The commission." }),
  received: numberOrNull({ description: "What arrived, once paid." }),
  credited: numberOrNull({ description: "What the user was credited with, once paid." }),
  refunded: Type.Number({ description: "What went back since." }),
  late: Type.Unsafe<boolean | null>({
    type: ["boolean", "null"],
    description: "Whether the money came late; null until it came.",
  }),
  created_at: Type.String({ description: "When the details were issued." }),
  ends_at: Type.String({ description: "When the details end." }),
  paid_at: textOrNull({ description: "When it was paid, or null." }),
});

export function paymentToWire(row: PaymentView): Type.Static<typeof Payment> {
  return {
    payment_id: row.id,
    invoice_id: row.invoice_id,
    order_id: row.order_id,
    shop_id: row.shop_id,
    requisite_id: row.requisite_id,
    service: row.service,
    state: row.state,
    to_pay: toDecimalNumber(row.to_pay_minor),
    currency: row.currency,
    fee: toDecimalNumber(row.fee_minor),
    received: amountOrNull(row.received_minor),
    credited: amountOrNull(row.credited_minor),
    refunded: toDecimalNumber(row.refunded_minor),
    late: row.late,
    created_at: row.created_at.toISOString(),
    ends_at: row.ends_at.toISOString(),
    paid_at: isoOrNull(row.paid_at),
  };
}

function amountOrNull(minor: bigint | null): number | null {
  return minor === null ? null : toDecimalNumber(minor);
}
