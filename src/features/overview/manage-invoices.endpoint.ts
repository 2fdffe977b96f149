// /manage/invoices: finding an order, and seeing everything that happened to it.

import Type from "typebox";
import { INVOICE_STATES, INVOICE_TYPES } from "../../domain/invoice.ts";
import { isoOrNull } from "../../domain/moment.ts";
import { minorFromNumber, toDecimalNumber } from "../../domain/money.ts";
import { Refusal } from "../../domain/refusal.ts";
import { decimal, lastDigits, oneOf, text, textOrNull, uuid } from "../../platform/field.ts";
import { pageFields, pageOf, periodFields, toPage } from "../../platform/page.ts";
import { view } from "../operators/doors.ts";
import { Payment, paymentToWire } from "../payments/wire.ts";
import { Refund, refundToWire } from "../refunds/wire.ts";
import { requisitesEndingIn } from "../requisites/wallet.ts";
import { Transfer, transferToWire } from "../transfers/wire.ts";
import { type InvoiceView, listInvoices } from "./list-queries.ts";
import { timelineOf } from "./timeline.ts";
import { invoiceWhole } from "./timeline-queries.ts";

const state = oneOf(INVOICE_STATES, { description: "How the invoice stands." });

const Invoice = Type.Object({
  invoice_id: Type.String({ description: "The invoice." }),
  shop_id: Type.String({ description: "The shop." }),
  order_id: Type.String({ description: "The order on the merchant's side." }),
  type: oneOf(INVOICE_TYPES, { description: "Host-to-host, or on the payment page." }),
  state,
  amount: Type.Number({ description: "What the shop asked for." }),
  currency: Type.String({ description: "Currency code." }),
  services: Type.Array(Type.String({ description: "Payment method code." })),
  created_at: Type.String({ description: "When it was made." }),
  expires_at: Type.String({ description: "When it ends." }),
  paid_at: textOrNull({ description: "When it was paid, or null." }),
});

export const readInvoices = view({
  path: "/manage/invoices",
  summary: "List and search invoices",
  input: Type.Object({
    ...pageFields,
    ...periodFields,
    shop_id: Type.Optional(uuid({ description: "Invoices of this shop." })),
    state: Type.Optional(state),
    order_id: Type.Optional(text({ max: 255 }, { description: "The merchant's order." })),
    amount: Type.Optional(decimal({ min: 0.01 }, { description: "What the shop asked for." })),
    wallet: Type.Optional(
      lastDigits({ description: "Last four digits of the card or phone to pay to." }),
    ),
  }),
  data: pageOf(Invoice),
  async read(app, { shop_id: shopId, state: wanted, order_id: orderId, amount, wallet, ...wish }) {
    const filter = {
      shopId,
      state: wanted,
      orderId,
      amountMinor: amount === undefined ? undefined : minorFromNumber(amount),
      requisiteIds: wallet === undefined ? undefined : await requisitesEndingIn(app, wallet),
    };
    return toPage(await listInvoices(app.db, wish, filter), toWire);
  },
});

export const readInvoice = view({
  path: "/manage/invoices/:invoice_id",
  summary: "Show an invoice with everything that happened to it",
  input: Type.Object({ invoice_id: uuid({ description: "The invoice." }) }),
  data: Type.Object({
    invoice: Invoice,
    payments: Type.Array(Payment),
    transfers: Type.Array(Transfer),
    refunds: Type.Array(Refund),
    timeline: Type.Array(
      Type.Object({
        at: Type.String({ description: "When." }),
        what: Type.String({ description: "What happened." }),
        id: Type.String({ description: "What it happened to." }),
        detail: Type.String({ description: "In a few words." }),
      }),
      { description: "Everything in the order that it happened." },
    ),
  }),
  notFound: "There is no such invoice.",
  async read({ db }, input) {
    const whole = await invoiceWhole(db, input.invoice_id);
    if (whole === undefined) throw new Refusal("invoice_not_found");
    return {
      invoice: toWire(whole.invoice),
      payments: whole.payments.map(paymentToWire),
      transfers: whole.transfers.map(transferToWire),
      refunds: whole.refunds.map(refundToWire),
      timeline: timelineOf(whole).map(({ at, ...step }) => ({ at: at.toISOString(), ...step })),
    };
  },
});

function toWire(row: InvoiceView): Type.Static<typeof Invoice> {
  return {
    invoice_id: row.id,
    shop_id: row.shop_id,
    order_id: row.order_id,
    type: row.type,
    state: row.state,
    amount: toDecimalNumber(row.amount_minor),
    currency: row.currency,
    services: [...row.services],
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    paid_at: isoOrNull(row.paid_at),
  };
}
