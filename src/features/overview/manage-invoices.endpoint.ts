// /manage/invoices: finding an order, and seeing everything that happened to it.

import { minorFromNumber } from "../../domain/money.ts";
import {
  currencyCode,
  decimal,
  lastDigits,
  periodFields,
  Type,
  text,
  uuid,
} from "../../platform/field.ts";
import { list, view } from "../operators/doors.ts";
import { isoMoment } from "../operators/noun.ts";
import { Payments } from "../payments/nouns.ts";
import { Refunds } from "../refunds/queries.ts";
import { requisitesEndingIn } from "../requisites/wallet.ts";
import { Transfers } from "../transfers/nouns.ts";
import { Invoices, invoiceState } from "./nouns.ts";
import { invoiceWhole, waysToInvoices } from "./queries.ts";
import { timelineOf } from "./timeline.ts";

/** What an invoice is found by, beside its shop. */
export const invoiceFilters = {
  ...periodFields,
  state: Type.Optional(invoiceState),
  order_id: Type.Optional(text({ max: 255 }, { description: "The merchant's order." })),
  amount: Type.Optional(decimal({ min: 0.01 }, { description: "What the shop asked for." })),
  currency: Type.Optional(currencyCode({ description: "Those in this currency." })),
};

export const readInvoices = list({
  path: "/manage/invoices",
  summary: "List and search invoices",
  description: "The newest first; what is asked for together must hold together.",
  noun: Invoices,
  filters: {
    ...invoiceFilters,
    shop_id: Type.Optional(uuid({ description: "Invoices of this shop." })),
    wallet: Type.Optional(
      lastDigits({ description: "Last four digits of the card or phone to pay to." }),
    ),
  },
  async ways(app, { amount, wallet, shop_id, ...filter }) {
    const amountMinor = amount === undefined ? undefined : minorFromNumber(amount);
    const requisiteIds = wallet === undefined ? undefined : await requisitesEndingIn(app, wallet);
    const shopIds = shop_id === undefined ? undefined : [shop_id];
    return waysToInvoices({ ...filter, shopIds, amountMinor, requisiteIds });
  },
});

export const Timeline = Type.Array(
  Type.Object({
    at: isoMoment("When."),
    what: Type.String({ description: "What happened.", examples: ["details issued"] }),
    id: uuid({ description: "What it happened to." }),
    detail: Type.String({
      description: "In a few words.",
      examples: ["1020.00 RUB by p2p_card"],
    }),
  }),
  { description: "Everything in the order that it happened." },
);

export const readInvoice = view({
  path: "/manage/invoices/:invoice_id",
  summary: "Show an invoice with everything that happened to it",
  description: "Its details, its money, its refunds, and all of it in the order that it happened.",
  input: Type.Object({ invoice_id: uuid({ description: "The invoice." }) }),
  data: Type.Object({
    invoice: Invoices.wire,
    payments: Type.Array(Payments.wire),
    transfers: Type.Array(Transfers.wire),
    refunds: Type.Array(Refunds.wire),
    timeline: Timeline,
  }),
  notFound: "There is no such invoice.",
  async read({ db }, input) {
    const whole = await invoiceWhole(db, input.invoice_id);
    return {
      invoice: Invoices.toWire(whole.invoice),
      payments: whole.payments.map(Payments.toWire),
      transfers: whole.transfers.map(Transfers.toWire),
      refunds: whole.refunds.map(Refunds.toWire),
      timeline: timelineOf(whole).map(({ at, ...step }) => ({ at: at.toISOString(), ...step })),
    };
  },
});
