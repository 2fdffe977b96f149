// Refunds as whoever manages the gateway sees them.

import Type from "typebox";
import { toDecimalNumber } from "../../domain/money.ts";
import { textOrNull } from "../../platform/field.ts";
import type { RefundView } from "./list-queries.ts";

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
