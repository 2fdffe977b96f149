// /manage/refunds: giving money of a paid invoice back.

import Type from "typebox";
import { minorFromNumber } from "../../domain/money.ts";
import { decimal, text, uuid } from "../../platform/field.ts";
import { periodFields } from "../../platform/page.ts";
import { change, list } from "../operators/doors.ts";
import { Refunds } from "./nouns.ts";
import { refundInvoice } from "./refund.ts";

export const readRefunds = list({
  path: "/manage/refunds",
  summary: "List refunds",
  description: "The newest first.",
  noun: Refunds,
  filters: {
    ...periodFields,
    shop_id: Type.Optional(uuid({ description: "Refunds of this shop." })),
  },
  ways: (_app, { shop_id }) => ({ leads: { shop_id } }),
});

export const createRefund = change({
  path: "/manage/refunds",
  summary: "Refund an invoice, whole or in part",
  description:
    "From the user's available balance. This cannot be undone. The same reference on the same " +
    "invoice counts once: a repeated call changes nothing, and one with another amount or reason " +
    "is refused. Without a reference each call is a refund of its own.",
  act: "refund.create",
  by: "cashier",
  input: Type.Object({
    invoice_id: uuid({ description: "The paid invoice." }),
    amount: decimal({ min: 0.01 }, { description: "How much goes back.", examples: [100] }),
    reason: text(
      { max: 500 },
      { description: "Why; the shop is told.", examples: ["A broken cup"] },
    ),
    reference: Type.Optional(
      text(
        { max: 255 },
        {
          description: "Your own name for this refund, compared to the letter.",
          examples: ["refund-1"],
        },
      ),
    ),
  }),
  data: Type.Object({
    refund_id: uuid({ description: "The refund." }),
    invoice_id: uuid({ description: "The invoice." }),
    amount: Type.Number({ description: "How much goes back.", examples: [100] }),
  }),
  notFound: "There is no such invoice.",
  async make(tx, app, input, { name: author }) {
    const { invoice_id: invoiceId, amount, reason, reference } = input;
    const wish = { invoiceId, amountMinor: minorFromNumber(amount) ?? 0n, reference };
    const { id, isFresh } = await refundInvoice(tx, app, { ...wish, reason, author });
    const data = { refund_id: id, invoice_id: invoiceId.toLowerCase(), amount };
    const after = { ...data, reason, reference: reference ?? null };
    // A repeated call has changed nothing.
    return { data, subject: data.invoice_id, before: isFresh ? null : after, after };
  },
});
