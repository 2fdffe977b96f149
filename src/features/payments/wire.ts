// Payments, transfers and refunds as whoever manages the gateway sees them.

import Type from "typebox";
import { isoOrNull } from "../../domain/moment.ts";
import { toDecimalNumber } from "../../domain/money.ts";
import { PAYMENT_STATES } from "../../domain/payment.ts";
import { TRANSFER_STATES } from "../../domain/transfer.ts";
import { numberOrNull, oneOf, textOrNull } from "../../platform/field.ts";
import type { PaymentView, RefundView, TransferView } from "./list-queries.ts";
import { maskPayer } from "./payer.ts";

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

export const Transfer = Type.Object({
  transfer_id: Type.String({ description: "The transfer: money that arrived." }),
  requisite_id: Type.String({ description: "Where it arrived." }),
  reference: Type.String({ description: "The bank's own reference." }),
  amount: Type.Number({ description: "How much arrived." }),
  currency: Type.String({ description: "Currency code." }),
  payer: textOrNull({ description: "Who sent it, as the bank says, masked." }),
  state: oneOf(TRANSFER_STATES, { description: "Whose money it is." }),
  payment_id: textOrNull({ description: "The payment that it was for, or null." }),
  invoice_id: textOrNull({ description: "The invoice that it paid, or null." }),
  received_at: Type.String({ description: "When the gateway heard of it." }),
  settled_at: textOrNull({ description: "When it was settled by hand, or null." }),
  settled_by: textOrNull({ description: "By whom." }),
  settled_reason: textOrNull({ description: "And why." }),
});

export function transferToWire(row: TransferView): Type.Static<typeof Transfer> {
  return {
    transfer_id: row.id,
    requisite_id: row.requisite_id,
    reference: row.reference,
    amount: toDecimalNumber(row.amount_minor),
    currency: row.currency,
    payer: maskPayer(row.payer),
    state: row.state,
    payment_id: row.payment_id,
    invoice_id: row.invoice_id,
    received_at: row.received_at.toISOString(),
    settled_at: isoOrNull(row.settled_at),
    settled_by: row.settled_by,
    settled_reason: row.settled_reason,
  };
}

export const Refund = Type.Object({
  refund_id: Type.String({ description: "The refund." }),
  invoice_id: Type.String({ description: "The invoice." }),
  payment_id: Type.String({ description: "The payment that it goes back from." }),
  shop_id: Type.String({ description: "The shop." }),
  amount: Type.Number({ description: "How much goes back." }),
  currency: Type.String({ description: "Currency code." }),
  reference: textOrNull({ description: "By which a repeated call is known." }),
  reason: Type.String({ description: "Why." }),
  author: Type.String({ description: "Who decided it." }),
  created_at: Type.String({ description: "When." }),
});

export function refundToWire(row: RefundView): Type.Static<typeof Refund> {
  return {
    refund_id: row.id,
    invoice_id: row.invoice_id,
    payment_id: row.payment_id,
    shop_id: row.shop_id,
    amount: toDecimalNumber(row.amount_minor),
    currency: row.currency,
    reference: row.reference,
    reason: row.reason,
    author: row.author,
    created_at: row.created_at.toISOString(),
  };
}

function amountOrNull(minor: bigint | null): number | null {
  return minor === null ? null : toDecimalNumber(minor);
}
