// Refunds of a paid invoice, by an operator or by the merchant's people.

import type { Static } from "typebox";
import { minorFromNumber } from "../../domain/money.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { decimal, periodFields, Type, text, uuid } from "../../platform/field.ts";
import { merchantOfInvoice } from "../invoices/queries.ts";
import { ownChange, ownList, ownShopIds } from "../merchants/member.ts";
import { change, type Done, list } from "../operators/doors.ts";
import { Refunds } from "./queries.ts";
import { refundInvoice } from "./refund.ts";

const RefundInput = Type.Object({
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

const RefundData = Type.Object({
  refund_id: uuid({ description: "The refund." }),
  invoice_id: uuid({ description: "The invoice." }),
  amount: Type.Number({ description: "How much goes back.", examples: [100] }),
});

async function makeRefund(
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
  input: RefundInput,
  data: RefundData,
  notFound: "There is no such invoice.",
  async make(tx, app, input, { name: author }) {
    return makeRefund(tx, app, input, author);
  },
});

export const readOwnRefunds = ownList({
  path: "/cabinet/refunds",
  summary: "List the merchant's refunds",
  description: "The newest first.",
  right: "look",
  noun: Refunds,
  filters: {
    ...periodFields,
    shop_id: Type.Optional(uuid({ description: "Refunds of this shop." })),
  },
  notFound: "The merchant has no such shop.",
  async ways({ db }, { shop_id }, member) {
    return { each: { column: "shop_id", ids: await ownShopIds(db, member, shop_id) } };
  },
});

export const createOwnRefund = ownChange({
  path: "/cabinet/refunds",
  summary: "Refund an invoice of the merchant's, whole or in part",
  description:
    "From the available balance. This cannot be undone. The same reference on the same invoice counts once; without a reference each call is a refund of its own.",
  right: "refund",
  act: "refund.create",
  input: RefundInput,
  data: RefundData,
  notFound: "The merchant has no such invoice.",
  async make(tx, app, input, { name, userId }) {
    const owner = await merchantOfInvoice(tx, input.invoice_id);
    if (owner !== userId) throw new Refusal("invoice_not_found");
    return makeRefund(tx, app, input, name);
  },
});
