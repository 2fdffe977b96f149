// /demo: a shop with one button, to try a payment without a terminal.

import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import { type Html, html } from "../../platform/html.ts";
import { type Visit, webPage } from "../../platform/web-page.ts";
import { visitedInvoice } from "../checkout/look-up.ts";
import { grouped } from "../checkout/markup.ts";
import { styleOf } from "../checkout/style.ts";
import { contentOf, draftInvoice, type OrderWish } from "../invoices/draft.ts";
import { addInvoices } from "../invoices/queries.ts";
import { shopOf } from "../merchants/principal.ts";
import { termsOf } from "../tariffs/queries.ts";
import { PAGE_SHOP_ID } from "./cast.ts";

const AMOUNT = 1490;

const WORDS = {
  en: {
    title: "Tea and Spoon",
    item: "A box of tea, and a spoon",
    buy: "Create an invoice and pay it",
    again: "Buy it once more",
    what: "This page plays a shop: the button creates an invoice through the same code as the API, and leads to its payment page.",
    thanks: "Thank you! Your tea is on its way.",
    thanksText:
      "The payment page has led you back, and the shop has looked: order {order} is paid.",
    unpaid: "This order is not paid yet",
    unpaidText: "You are back in the shop, but no money has arrived for order {order}.",
    goOn: "Go on paying",
    home: "What else there is to try",
    sandbox: "Sandbox: no real money",
  },
  ru: {
    title: "Tea and Spoon",
    item: "Коробка чая и ложечка",
    buy: "Создать счёт и оплатить его",
    again: "Купить ещё раз",
    what: "Эта страница изображает магазин: кнопка создаёт счёт тем же кодом, что и API, и ведёт на страницу оплаты.",
    thanks: "Спасибо! Чай уже в пути.",
    thanksText: "Страница оплаты вернула вас, и магазин проверил: заказ {order} оплачен.",
    unpaid: "Этот заказ ещё не оплачен",
    unpaidText: "Вы вернулись в магазин, но деньги за заказ {order} не поступили.",
    goOn: "Продолжить оплату",
    home: "Что ещё можно попробовать",
    sandbox: "Песочница: деньги ненастоящие",
  },
};

export const showDemo = webPage({
  method: "GET",
  path: "/demo",
  async answer(app, visit) {
    const { language } = visit;
    const words = WORDS[language];
    const order = await orderIn(app, visit);
    return {
      kind: "document",
      status: 200,
      language,
      title: words.title,
      style: styleOf(null),
      body: html`<aside class="ribbon">${words.sandbox}</aside><header><p><strong>${words.title}</strong></p></header><main>
${order}
<div class="card"><h1>${words.item}</h1><p class="amount">${grouped(BigInt(AMOUNT) * 100n, language)} <small>₽</small></p>
<form method="post" action="/demo?lang=${language}"><button>${order ? words.again : words.buy}</button></form></div>
<p class="muted">${words.what}</p></main><footer><a href="/?lang=${language}">${words.home}</a></footer>`,
    };
  },
});

/** How the order stands that the payer comes back from; nothing for one that is not this shop's. */
async function orderIn(app: App, visit: Visit): Promise<Html | undefined> {
  const { invoice } = visit.query;
  if (invoice === undefined) return undefined;
  const row = await visitedInvoice(app, { ...visit, params: { invoice } });
  if (row?.shop_id !== PAGE_SHOP_ID || row.state === "refunded") return undefined;
  const words = WORDS[visit.language];
  const told = (text: string): string => text.replace("{order}", () => row.order_id);
  if (row.state === "paid") {
    return html`<div class="card"><h1>${words.thanks}</h1><p>${told(words.thanksText)}</p></div>`;
  }
  return html`<div class="card"><h1>${words.unpaid}</h1><p>${told(words.unpaidText)}</p><a class="button choice" href="/pay/${row.id}?lang=${visit.language}">${words.goOn}</a></div>`;
}

export const startDemo = webPage({
  method: "POST",
  path: "/demo",
  async answer(app, { language }) {
    const id = app.newId();
    const wish: OrderWish = {
      amount: AMOUNT,
      order_id: `demo-${id.slice(-12)}`,
      include_service: ["p2p_card", "p2p_sbp"],
      type: "link",
      success_url: `${app.config.baseUrl}/demo?invoice=${id}&lang=${language}`,
      fail_url: `${app.config.baseUrl}/demo?lang=${language}`,
      comment: WORDS[language].item,
    };
    const shop = await shopOf(app, PAGE_SHOP_ID);
    const tariffs = (await termsOf(app, [shop])).get(shop.id) ?? [];
    const now = app.clock.now();
    const draft = draftInvoice({ id, shop, wish, content: contentOf(wish), tariffs, now });
    if (draft instanceof Refusal) throw draft;
    await addInvoices(app.db, [draft], now);
    return { kind: "redirect", to: `/pay/${id}?lang=${language}` };
  },
});
