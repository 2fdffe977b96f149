// /my/find: whatever one has in hand, an id or an order, leads to what it is of; /my/go/…: the same without asking.
// Guards that only what is the merchant's own is found: every id is asked of the doors, as who asks.

import { Refusal } from "../../domain/refusal.ts";
import { type Html, html } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { readOwnShop, readOwnShops } from "../merchants/own-shops.endpoint.ts";
import { readOwnInvoice, readOwnInvoices } from "../overview/own-invoices.endpoint.ts";
import { readOwnPayout, readOwnPayouts } from "../payouts/manage-payouts.endpoint.ts";
import { soughtIn } from "../people/plain-page.ts";
import { redirect } from "../people/site.ts";
import { chip, empty, money } from "../screens/pieces.ts";
import { invoiceState } from "../screens/words.ts";
import { readOwnEvent } from "../webhooks/own-events.endpoint.ts";
import { NEW_LINK } from "./invoices.page.ts";
import { cabinet, type MySight, placesOf } from "./site.ts";

interface Found {
  readonly href: string;
  readonly title: string;
  readonly more?: Html;
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** What an id is of, among one's own. */
async function byId({ askIfAllowed: ask, look, say }: MySight, id: string): Promise<Found[]> {
  const [whole, payout, event, shop] = await Promise.all([
    ask(readOwnInvoice, { invoice_id: id }),
    ask(readOwnPayout, { payout_id: id }),
    ask(readOwnEvent, { event_id: id }).catch(refusedAsNone),
    ask(readOwnShop, { shop_id: id }),
  ]);
  const invoice = whole?.invoice;
  const found = [
    invoice && {
      href: `/my/invoices/${id}`,
      title: invoice.order_id,
      more: chip(invoiceState(invoice.state), look),
    },
    payout && {
      href: `/my/payouts/${id}`,
      title: payout.payout.wallet,
      more: chip(payout.payout.state, look),
    },
    event && {
      href: `/my/events/${id}`,
      title: say({ en: "Webhook", ru: "Вебхук" }),
      more: chip(event.event.state, look),
    },
    shop && { href: `/my/shops/${id}`, title: shop.name },
  ];
  return found.filter((one) => one !== undefined);
}

/** An event of payouts is nothing to who may not see payouts. */
function refusedAsNone(error: unknown): undefined {
  if (!(error instanceof Refusal)) throw error;
  return undefined;
}

async function search(sight: MySight, sought: string): Promise<Found[]> {
  if (sought === "") return [];
  const [id] = UUID.exec(sought) ?? [];
  // An order may look like an id, too.
  const byItsId = id === undefined ? [] : await byId(sight, id.toLowerCase());
  if (byItsId.length > 0) return byItsId;
  const order = { order_id: sought, limit: 10 };
  const [invoices, payouts, shops] = await Promise.all([
    sight.ask(readOwnInvoices, order),
    sight.askIfAllowed(readOwnPayouts, order),
    sight.ask(readOwnShops, { limit: 200 }),
  ]);
  const { look, say } = sight;
  const begins = (text: string): boolean => text.toLowerCase().startsWith(sought.toLowerCase());
  const acts = [{ title: say(NEW_LINK), href: "/my/invoices/new" }, ...placesOf(sight)];
  return [
    ...invoices.items.map((one) => ({
      href: `/my/invoices/${one.invoice_id}`,
      title: one.order_id,
      more: html`${money(one.amount, look, one.currency)} ${chip(invoiceState(one.state), look)}`,
    })),
    ...(payouts?.items ?? []).map((one) => ({
      href: `/my/payouts/${one.payout_id}`,
      title: one.order_id ?? one.wallet,
      more: html`${money(one.amount, look, one.currency)} ${chip(one.state, look)}`,
    })),
    ...shops.items
      .filter(({ name }) => begins(name))
      .map(({ shop_id, name }) => ({ href: `/my/shops/${shop_id}`, title: name })),
    ...acts.filter(({ title }) => begins(title)),
  ];
}

const find = cabinet.page({
  path: "/my/find",
  async show(sight) {
    const { visit, say } = sight;
    const q = soughtIn(visit.query["q"]);
    const found = await search(sight, q);
    const none = empty(
      say({ en: "Nothing found", ru: "Ничего не нашлось" }),
      say({
        en: "An order to the letter, any id of an invoice, payout, event or shop, or how a name begins.",
        ru: "Номер заказа целиком, любой ID счёта, вывода, события или магазина, или начало названия.",
      }),
    );
    const list = found.map(
      ({ href, title, more }) =>
        html`<li><a href="${href}"><bdi>${title}</bdi><span>${more}</span></a></li>`,
    );
    const body = found.length === 0 ? none : html`<ul class="queue">${list}</ul>`;
    return { title: say({ en: "Find", ru: "Поиск" }), body };
  },
});

const go = cabinet.page({
  path: "/my/go/:anything",
  async show(sight) {
    const [id] = UUID.exec(sight.visit.params["anything"] ?? "") ?? [];
    const [found] = id === undefined ? [] : await byId(sight, id.toLowerCase());
    if (found === undefined) throw new Refusal("invoice_not_found");
    return redirect(found.href);
  },
});

export const findPages: readonly WebPage[] = [find, go];
