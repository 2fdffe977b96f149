// A refund as it is asked for and answered, for whoever asks: an operator, or somebody of the merchant's.

import type { Static } from "typebox";
import { minorFromNumber } from "../../domain/money.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { decimal, Type, text, uuid } from "../../platform/field.ts";
import type { Done } from "../operators/doors.ts";
import { refundInvoice } from "./refund.ts";

export const RefundInput = Type.Object({
  invoice_id: uuid({ description: "The paid invoice." }),
  amount: decimal({ min: 0.01 }, { description: "How much goes back.", examples: [100] }),
  reason: text({ max: 500 }, { description: "Why; the shop is told.", examples: ["A broken cup"] }),
  reference: Type.Optional(
    text(
      { max: 255 },
      {
        description: "Your own name for this refund, compared to the letter.",
        examples: ["refund-1"],
      },
    ),
  ),
});

export const RefundData = Type.Object({
  refund_id: uuid({ description: "The refund." }),
  invoice_id: uuid({ description: "The invoice." }),
  amount: Type.Number({ description: "How much goes back.", examples: [100] }),
});

export async function makeRefund(
  tx: Tx,
  app: App,
  { invoice_id: invoiceId, amount, reason, reference }: Static<typeof RefundInput>,
  author: string,
): Promise<Done<Static<typeof RefundData>>> {
  const wish = { invoiceId, amountMinor: minorFromNumber(amount) ?? 0n, reference };
  const { id, isFresh } = await refundInvoice(tx, app, { ...wish, reason, author });
  const data = { refund_id: id, invoice_id: invoiceId.toLowerCase(), amount };
  const after = { ...data, reason, reference: reference ?? null };
  // A repeated call has changed nothing.
  return { data, subject: data.invoice_id, before: isFresh ? null : after, after };
}
