// /my: what today brought beside yesterday, what there is, what needs somebody, what happened last; and for a shop that
// has sold nothing yet, three steps to its first payment, each of which ticks by itself.

import { type Html, html, type Part } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { readOwnKeys } from "../merchants/own-keys.endpoint.ts";
import { changeOwnShop, readOwnShops } from "../merchants/own-shops.endpoint.ts";
import { createOwnLink, readOwnInvoices } from "../overview/own-invoices.endpoint.ts";
import { readOwnPayouts } from "../payouts/manage-payouts.endpoint.ts";
import { named, withNames } from "../people/cells.ts";
import { sheetsOf } from "../people/parts.ts";
import { card, link, moment } from "../screens/pieces.ts";
import { readOwnEvents } from "../webhooks/own-events.endpoint.ts";
import { balanceFigures } from "./balance.page.ts";
import { NEW_LINK } from "./invoices.page.ts";
import { cabinet, type MySight } from "./site.ts";
import { homeStatistics } from "./statistics.page.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const SOON_DAYS = 14;

interface Matter {
  readonly href: string;
  readonly words: Part;
  readonly more?: Part;
}

/** What does not settle by itself. */
async function matters(sight: MySight): Promise<Matter[]> {
  const { say, look } = sight;
  const wanted = { limit: 1 };
  const [lost, waiting, keys, held] = await Promise.all([
    sight.ask(readOwnEvents, { ...wanted, state: "exhausted" }),
    sight.ask(readOwnEvents, { limit: 10, state: "waiting" }),
    sight.askIfAllowed(readOwnKeys, { limit: 200 }),
    sight.askIfAllowed(readOwnPayouts, { ...wanted, state: "unknown" }),
  ]);
  const soon = new Date(look.now.getTime() + SOON_DAYS * DAY_MS);
  const ending = (keys?.items ?? []).filter(
    ({ ends_at: ends }) => ends !== null && new Date(ends) > look.now && new Date(ends) < soon,
  );
  const tried = waiting.items.filter(({ attempts }) => attempts > 0);
  return [
    ...lost.items.map(({ created_at }) => ({
      href: "/my/events?state=exhausted",
      words: say({
        en: "Your server did not hear of something",
        ru: "Ваш сервер получил не все вебхуки",
      }),
      more: html`${say({ en: "last", ru: "последнее" })} ${moment(created_at, look)}`,
    })),
    ...tried.slice(0, 1).map(({ next_attempt_at: next }) => ({
      href: "/my/events?state=waiting",
      words: say({
        en: "Your server does not answer webhooks as it should",
        ru: "Ваш сервер не принимает вебхуки как надо",
      }),
      more: html`${say({ en: "next attempt", ru: "следующая попытка" })} ${moment(next, look)}`,
    })),
    ...ending.slice(0, 3).map(({ ends_at }) => ({
      href: "/my/keys",
      words: say({ en: "A key ends", ru: "Истекает ключ" }),
      more: moment(ends_at, look),
    })),
    ...(held?.items ?? []).map(({ created_at }) => ({
      href: "/my/payouts?state=unknown",
      words: say({
        en: "A payout whose outcome is not known yet",
        ru: "Вывод, исход которого пока не известен",
      }),
      more: moment(created_at, look),
    })),
  ];
}

async function attention(sight: MySight): Promise<Html | false> {
  const all = await matters(sight);
  if (all.length === 0) return false;
  const list = all.map(
    ({ href, words, more }) =>
      html`<li><a href="${href}"><b>${words}</b><small>${more}</small></a></li>`,
  );
  return card(
    sight.say({ en: "Needs you", ru: "Требует внимания" }),
    html`<ul class="queue">${list}</ul>`,
  );
}

/** Computed, never stored: a key, an invoice, a webhook that was heard. */
async function steps(sight: MySight): Promise<Html | false> {
  const { say } = sight;
  const [heard, paid] = await Promise.all([
    sight.ask(readOwnEvents, { limit: 1, state: "delivered" }),
    sight.ask(readOwnInvoices, { limit: 1, state: "paid" }),
  ]);
  const hasPaid = paid.items.length > 0;
  if (hasPaid && heard.items.length > 0) return false;
  const [shops, invoices, keys] = await Promise.all([
    sight.ask(readOwnShops, { limit: 1 }),
    sight.ask(readOwnInvoices, { limit: LAST }),
    sight.askIfAllowed(readOwnKeys, { limit: 200 }),
  ]);
  const hasKey = keys === undefined || keys.items.some(({ ends_at }) => ends_at === null);
  const [shop] = shops.items;
  const settings = shop && sight.may(changeOwnShop) ? `/${shop.shop_id}/settings` : "";
  const all = [
    [
      hasKey,
      "/my/keys",
      say({ en: "Make a key for your program", ru: "Создайте ключ для программы" }),
    ],
    [
      invoices.items.length > 0,
      sight.may(createOwnLink) ? "/my/invoices/new" : "/my/invoices",
      say({ en: "Make a first invoice, and pay it", ru: "Создайте первый счёт и оплатите его" }),
    ],
    [
      heard.items.length > 0,
      `/my/shops${settings}`,
      say({
        en: "Set a webhook address, and hear of it",
        ru: "Задайте адрес вебхука и узнайте об оплате",
      }),
    ],
  ] as const;
  const list = all.map(
    ([isDone, href, words]) =>
      html`<li><a href="${href}"><b>${isDone ? "✓" : "○"} ${words}</b><small>${isDone && say({ en: "done", ru: "готово" })}</small></a></li>`,
  );
  const id = shop?.shop_id ?? "…";
  const curl = `curl -H "x-api-key: $KOPECK_SHOP_KEY" -H "content-type: application/json" ${sight.app.config.baseUrl}/invoice/create -d '{"shop_id":"${id}","order_id":"order-1","amount":1000,"type":"link","include_service":["p2p_card"]}'`;
  return card(
    say({ en: "Three steps to the first payment", ru: "Три шага до первого платежа" }),
    html`<ol class="queue">${list}</ol><pre><code>${curl}</code></pre>`,
  );
}

const LAST = 10;

export const homePages: readonly WebPage[] = [
  cabinet.page({
    path: "/my",
    async show(sight) {
      const { say, root, who } = sight;
      const [invoices, first, today, balance, needs] = await Promise.all([
        sight.ask(readOwnInvoices, { limit: LAST }),
        steps(sight),
        homeStatistics(sight),
        balanceFigures(sight),
        attention(sight),
      ]);
      const acts =
        sight.may(createOwnLink) &&
        html`<p class="acts">${link(say(NEW_LINK), "/my/invoices/new", "main")}</p>`;
      const money =
        balance &&
        card(
          say({ en: "Balance", ru: "Баланс" }),
          balance,
          link(say({ en: "More", ru: "Подробнее" }), "/my/balance"),
        );
      const sheet = sheetsOf(sight, readOwnInvoices, invoices);
      const columns = ["created_at", "amount", "state", named("shop_id"), "order_id"];
      const body = html`${acts}${first}${needs}${today}${money}${sheet(
        "items",
        await withNames(sight, columns, invoices.items),
        {
          title: say({ en: "Last invoices", ru: "Последние счета" }),
          acts: link(say({ en: "All", ru: "Все" }), `${root}/invoices`),
          open: ({ invoice_id: id }) => `${root}/invoices/${id}`,
        },
      )}`;
      const live = { of: "invoices,payouts,events", mode: "figures" } as const;
      return { title: who.merchant, body, command: "kopeck my invoice list", live };
    },
  }),
];
