// /manage/payments: attempts to pay, found by what a bank statement shows: the amount, the card.

import Type from "typebox";
import { minorFromNumber } from "../../domain/money.ts";
import { PAYMENT_STATES } from "../../domain/payment.ts";
import { decimal, lastDigits, oneOf, text, uuid } from "../../platform/field.ts";
import { pageFields, pageOf, toPage } from "../../platform/page.ts";
import { view } from "../operators/doors.ts";
import { requisitesSought } from "../requisites/wallet.ts";
import { listPayments } from "./list-queries.ts";
import { Payment, paymentToWire } from "./wire.ts";

export const readPayments = view({
  path: "/manage/payments",
  summary: "List and search payments",
  description: "In the order of their invoices, the newest first.",
  input: Type.Object({
    ...pageFields,
    shop_id: Type.Optional(uuid({ description: "Payments of this shop." })),
    invoice_id: Type.Optional(uuid({ description: "Payments of this invoice." })),
    order_id: Type.Optional(text({ max: 255 }, { description: "The merchant's order." })),
    state: Type.Optional(oneOf(PAYMENT_STATES, { description: "How the payment stands." })),
    amount: Type.Optional(
      decimal({ min: 0.01 }, { description: "What the payer was told to send." }),
    ),
    requisite_id: Type.Optional(uuid({ description: "Where the payer was sent." })),
    wallet: Type.Optional(lastDigits({ description: "Last four digits of that card or phone." })),
  }),
  data: pageOf(Payment),
  async read(app, input) {
    const { shop_id, invoice_id, order_id, state, amount, requisite_id, wallet, ...wish } = input;
    const filter = {
      shopId: shop_id,
      invoiceId: invoice_id,
      orderId: order_id,
      state,
      toPayMinor: amount === undefined ? undefined : minorFromNumber(amount),
      requisiteIds: await requisitesSought(app, requisite_id, wallet),
    };
    return toPage(await listPayments(app.db, wish, filter), paymentToWire);
  },
});
