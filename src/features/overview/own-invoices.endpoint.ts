// /cabinet/invoices: a merchant's invoices, everything that happened to one, and a payment link that is made by
// hand. Guards that who paid is told only to who may know it, and that nothing of the operator's own is told.

import type { Static } from "typebox";
import { everyMethod } from "../../domain/dialect.ts";
import { minorFromNumber } from "../../domain/money.ts";
import { Refusal } from "../../domain/refusal.ts";
import { may } from "../../domain/role.ts";
import { endpoint } from "../../platform/endpoint.ts";
import { listOf, Type, text, uuid } from "../../platform/field.ts";
import { OrderData, OrderInput, takeOrders } from "../invoices/create-invoice.endpoint.ts";
import { findOrders, merchantOfInvoice } from "../invoices/queries.ts";
import {
  findOwnShop,
  type Member,
  memberGateFor,
  ownList,
  ownShopIds,
  ownView,
} from "../merchants/member.ts";
import { shopOf } from "../merchants/principal.ts";
import { audited } from "../operators/doors.ts";
import { Payments } from "../payments/nouns.ts";
import { Refunds } from "../refunds/queries.ts";
import { termsOf } from "../tariffs/queries.ts";
import { Transfers } from "../transfers/nouns.ts";
import { invoiceFilters, Timeline } from "./manage-invoices.endpoint.ts";
import { Invoices } from "./nouns.ts";
import { invoiceWhole, waysToInvoices } from "./queries.ts";
import { timelineOf } from "./timeline.ts";

export const readOwnInvoices = ownList({
  path: "/cabinet/invoices",
  summary: "List and search the merchant's invoices",
  description: "The newest first; what is asked for together must hold together.",
  right: "look",
  noun: Invoices,
  filters: {
    ...invoiceFilters,
    shop_id: Type.Optional(uuid({ description: "Invoices of this shop." })),
  },
  notFound: "The merchant has no such shop.",
  async ways({ db }, { amount, shop_id, ...filter }, member) {
    const amountMinor = amount === undefined ? undefined : minorFromNumber(amount);
    const shopIds = await ownShopIds(db, member, shop_id);
    return waysToInvoices({ ...filter, shopIds, amountMinor, requisiteIds: undefined });
  },
});

/** Where the money went to is the operator's own matter, and what the payer says that of who may see them. */
const { requisite_id: _requisite, payer_word, ...payment } = Payments.wire.properties;
const OwnPayment = Type.Object({ ...payment, payer_word });

const OwnTransfer = Type.Pick(Transfers.wire, [
  ...(["transfer_id", "amount", "currency", "payer", "made_at", "received_at"] as const),
]);

export const readOwnInvoice = ownView({
  path: "/cabinet/invoices/:invoice_id",
  summary: "Show an invoice of the merchant's with everything that happened to it",
  description:
    "Its details, its money, its refunds, and all of it in the order that it happened. Who paid is null for a role that may not know it.",
  right: "look",
  input: Type.Object({ invoice_id: uuid({ description: "The invoice." }) }),
  data: Type.Object({
    invoice: Invoices.wire,
    payments: Type.Array(OwnPayment),
    transfers: Type.Array(OwnTransfer),
    refunds: Type.Array(Refunds.wire),
    timeline: Timeline,
  }),
  notFound: "The merchant has no such invoice.",
  async read({ db }, { invoice_id: id }, { userId, role }) {
    if ((await merchantOfInvoice(db, id)) !== userId) throw new Refusal("invoice_not_found");
    const found = await invoiceWhole(db, id);
    const knowsPayer = may(role, "payer");
    const whole = knowsPayer
      ? found
      : {
          ...found,
          payments: found.payments.map((one) => ({ ...one, payer_word: null })),
          transfers: found.transfers.map((one) => ({ ...one, payer: null })),
        };
    return {
      invoice: Invoices.toWire(whole.invoice),
      payments: whole.payments.map((row) => {
        const { requisite_id: _own, ...shown } = Payments.toWire(row);
        return shown;
      }),
      transfers: whole.transfers.map((row) => {
        const { transfer_id, amount, currency, payer, made_at, received_at } =
          Transfers.toWire(row);
        return { transfer_id, amount, currency, payer, made_at, received_at };
      }),
      refunds: whole.refunds.map(Refunds.toWire),
      timeline: timelineOf(whole, "merchant").map(({ at, ...step }) => ({
        at: at.toISOString(),
        ...step,
      })),
    };
  },
});

const { amount, shop_id, success_url, expire, email, comment, currency } = OrderInput.properties;

const LinkInput = Type.Object({
  shop_id,
  amount,
  currency,
  success_url,
  expire,
  email,
  comment,
  order_id: Type.Optional(text({ max: 255 }, { description: "The merchant's order." })),
  include_service: Type.Optional(
    listOf(
      text({ max: 64 }, { description: "Payment method code." }),
      { min: 1, max: 20 },
      { description: "Payment method codes; all that hold the amount when left out." },
    ),
  ),
});

const LinkData = Type.Object({
  invoice_id: uuid({ description: "The invoice." }),
  order_id: Type.String({ description: "The merchant's order.", examples: ["order-1"] }),
  ...Type.Omit(OrderData, ["id"]).properties,
});

export const createOwnLink = endpoint<typeof LinkInput, typeof LinkData, Member>({
  method: "POST",
  path: "/cabinet/invoices",
  summary: "Make a payment link by hand",
  description:
    "An invoice that is paid on the payment page. The same order id with the same content gives the first one again; without one it gets one of its own.",
  gate: memberGateFor("link"),
  input: LinkInput,
  data: LinkData,
  notFound: "The merchant has no such shop.",
  problems: "all",
  refusesUnknown: true,
  async handle(app, { input: wish, principal: member }) {
    const { id: shopId } = await findOwnShop(app.db, wish.shop_id, member);
    // Before the transaction: what is remembered of the settings is looked up on a connection of its own.
    const shop = await shopOf(app, shopId);
    const terms = await termsOf(app, [shop]);
    const orderId = wish.order_id ?? `link-${app.newId()}`;
    return audited(
      app,
      { by: member.name, userId: member.userId, act: "invoice.create" },
      async (tx) => {
        const known = await findOrders(tx, [{ shopId, orderId }]);
        // The same wish again is the same order, whatever the shop's methods are by now.
        const methods = known[0]
          ? (await Invoices.find(tx, known[0].id)).services
          : everyMethod(wish.currency, minorFromNumber(wish.amount) ?? 0n, terms.get(shopId) ?? []);
        const order: Static<typeof OrderInput> = {
          include_service: [...methods],
          ...wish,
          shop_id: shopId,
          order_id: orderId,
          type: "link",
        };
        const [answer] = await takeOrders(app, tx, [{ input: order, principal: shop }], terms);
        if (answer === undefined) throw new Error("An order without an answer.");
        if (answer instanceof Error) throw answer;
        const { id: invoice_id, ...rest } = answer;
        const data = { invoice_id, order_id: orderId, ...rest };
        return { data, subject: invoice_id, before: known.length === 0 ? null : data, after: data };
      },
    );
  },
});
