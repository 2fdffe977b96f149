// POST /invoice/cancel: a shop takes an order back that nobody has paid; and the same for an operator and for a
// merchant's people. Repeated, it changes nothing and gets the same answer.
// The invoice's row is locked: of money and a cancel at once exactly one wins. A payer who was shown details may have
// sent money: the slot stays theirs for a while, and what comes waits for a person.

import type { Static } from "typebox";
import { readFamilyOrderId } from "../../domain/dialect.ts";
import { whyNotOpen } from "../../domain/invoice.ts";
import { momentFormat } from "../../domain/moment.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import { exactNumbers } from "../../platform/body.ts";
import type { Tx } from "../../platform/db.ts";
import { endpoint } from "../../platform/endpoint.ts";
import { Type, text, uuid } from "../../platform/field.ts";
import { SAMPLE_ID } from "../../platform/openapi.ts";
import { countInvoices } from "../invoices/count.ts";
import { invoiceEvent } from "../invoices/event.ts";
import { failInvoice, findOrders, lockPayable, type PayableInvoice } from "../invoices/queries.ts";
import { ownChange } from "../merchants/member.ts";
import { shopGate } from "../merchants/principal.ts";
import { change, type Done } from "../operators/doors.ts";
import { recordEvents } from "../webhooks/events.ts";
import { endEarly } from "./issue.ts";
import { lockLivePayments } from "./queries.ts";

const WHAT_FOLLOWS =
  "It takes no details any more, and its shop is told by the event fail. Money that was sent for it all the same waits for an operator. What is paid or expired cannot be canceled. Repeated, it changes nothing.";

const orderId = text({ max: 255 }, { description: "The order.", examples: ["order-1"] });
const invoiceId = uuid({ description: "The invoice." });

export const cancelShopInvoice = endpoint({
  method: "POST",
  path: "/invoice/cancel",
  summary: "Cancel an invoice",
  description: `By invoice_id, or by order_id. ${WHAT_FOLLOWS}`,
  gate: shopGate,
  identifier: "shop_id",
  input: Type.Object({
    shop_id: uuid({
      description: "The shop; also used for authorization.",
      examples: ["00000000-0000-4000-8000-000000000002"],
    }),
    invoice_id: Type.Optional(uuid({ description: "The invoice.", examples: [SAMPLE_ID] })),
    order_id: Type.Optional(text({ max: 255 }, { description: "The order." })),
  }),
  translate(input, { dialect }, source) {
    if (dialect === "strict") return;
    exactNumbers(input, ["order_id"], source);
    readFamilyOrderId(input);
  },
  data: Type.Object({
    invoice_id: invoiceId,
    order_id: orderId,
    status: Type.Literal("fail", { description: "As in the invoice's information." }),
  }),
  notFound: "The shop has no such invoice.",
  problems: "first",
  handle: (app, { principal: { id: shopId }, input: { invoice_id, order_id: wanted } }) =>
    app.db.transaction(async (tx) => {
      const id = invoice_id ?? (await idOfOrder(tx, shopId, wanted));
      const isOwn = (one: PayableInvoice): boolean =>
        one.shopId === shopId && one.orderId === (wanted ?? one.orderId);
      const { invoice } = await cancelInvoice(tx, app, id, isOwn);
      return { invoice_id: invoice.id, order_id: invoice.orderId, status: "fail" as const };
    }),
});

async function idOfOrder(tx: Tx, shopId: string, wanted: string | undefined): Promise<string> {
  if (wanted === undefined) throw new Refusal("invoice_id_required");
  const [order] = await findOrders(tx, [{ shopId, orderId: wanted }]);
  if (order === undefined) throw new Refusal("invoice_not_found");
  return order.id;
}

const ByHand = Type.Object({
  invoice_id: invoiceId,
  order_id: orderId,
  state: Type.Literal("failed", { description: "As in the list of invoices." }),
});

export const cancelAnyInvoice = change({
  path: "/manage/invoices/:invoice_id/cancel",
  summary: "Cancel an invoice",
  description: WHAT_FOLLOWS,
  act: "invoice.cancel",
  by: "cashier",
  input: Type.Object({
    invoice_id: invoiceId,
    reason: text({ max: 500 }, { description: "Why.", examples: ["The shop has asked for it"] }),
  }),
  data: ByHand,
  notFound: "There is no such invoice.",
  make: (tx, app, { invoice_id: id, reason }) => byHand(tx, app, id, { reason }),
});

export const cancelOwnInvoice = ownChange({
  path: "/cabinet/invoices/:invoice_id/cancel",
  summary: "Cancel an invoice of the merchant's",
  description: WHAT_FOLLOWS,
  right: "link",
  act: "invoice.cancel",
  input: Type.Object({ invoice_id: invoiceId }),
  data: ByHand,
  notFound: "The merchant has no such invoice.",
  make: (tx, app, { invoice_id: id }, { userId }) =>
    byHand(tx, app, id, {}, (invoice) => invoice.userId === userId),
});

async function byHand(
  tx: Tx,
  app: App,
  id: string,
  more: { readonly reason?: string },
  isOwn?: (invoice: PayableInvoice) => boolean,
): Promise<Done<Static<typeof ByHand>>> {
  const { invoice, isFresh } = await cancelInvoice(tx, app, id, isOwn);
  const data = { invoice_id: invoice.id, order_id: invoice.orderId, state: "failed" as const };
  const after = { ...data, ...more };
  const before = isFresh ? { ...data, state: invoice.state } : after;
  return { data, subject: invoice.id, before, after };
}

interface Canceled {
  readonly invoice: PayableInvoice;
  /** Whether it was done now, and not by an earlier call. */
  readonly isFresh: boolean;
}

async function cancelInvoice(
  tx: Tx,
  app: App,
  id: string,
  isOwn: (invoice: PayableInvoice) => boolean = () => true,
): Promise<Canceled> {
  const now = app.clock.now();
  const [invoice] = await lockPayable(tx, [id]);
  if (invoice === undefined || !isOwn(invoice)) throw new Refusal("invoice_not_found");
  if (invoice.state === "failed") return { invoice, isFresh: false };
  const why = whyNotOpen(invoice, now);
  if (why !== undefined) throw new Refusal(why);

  await endEarly(tx, await lockLivePayments(tx, [id]), now);
  await failInvoice(tx, invoice);
  const reject_time = momentFormat(app.config.timeZone).text(now);
  await recordEvents(tx, app, [invoiceEvent(invoice, "fail", { reject_time })]);
  tx.onCommit(() => countInvoices(app, "failed"));
  return { invoice, isFresh: true };
}
