// /manage/payments: attempts to pay, found by what a bank statement shows: the amount, the card.

import { minorFromNumber } from "../../domain/money.ts";
import { decimal, lastDigits, Type, text, uuid } from "../../platform/field.ts";
import { list } from "../operators/doors.ts";
import { requisitesSought } from "../requisites/wallet.ts";
import { Payments, paymentState } from "./nouns.ts";
import { waysToPayments } from "./queries.ts";

export const readPayments = list({
  path: "/manage/payments",
  summary: "List and search payments",
  description: "In the order of their invoices, the newest first.",
  noun: Payments,
  filters: {
    shop_id: Type.Optional(uuid({ description: "Payments of this shop." })),
    invoice_id: Type.Optional(uuid({ description: "Payments of this invoice." })),
    order_id: Type.Optional(text({ max: 255 }, { description: "The merchant's order." })),
    state: Type.Optional(paymentState),
    amount: Type.Optional(
      decimal({ min: 0.01 }, { description: "What the payer was told to send." }),
    ),
    requisite_id: Type.Optional(uuid({ description: "Where the payer was sent." })),
    wallet: Type.Optional(lastDigits({ description: "Last four digits of that card or phone." })),
  },
  async ways(app, { amount, requisite_id, wallet, ...filter }) {
    const toPayMinor = amount === undefined ? undefined : minorFromNumber(amount);
    const requisiteIds = await requisitesSought(app, requisite_id, wallet);
    return waysToPayments({ ...filter, toPayMinor, requisiteIds });
  },
});
