// /demo: a shop with one button, so that a newcomer sees the whole way of a payment without a terminal.

import { Refusal } from "../../domain/refusal.ts";
import { html } from "../../platform/html.ts";
import { webPage } from "../../platform/web-page.ts";
import { styleOf } from "../checkout/style.ts";
import { contentOf, draftInvoice, type OrderWish } from "../invoices/draft.ts";
import { addInvoices } from "../invoices/queries.ts";
import { shopOf } from "../merchants/principal.ts";
import { termsOf } from "../tariffs/queries.ts";
import { PAGE_SHOP_ID } from "./cast.ts";

const AMOUNT = 1490;
const AMOUNT_SHOWN = "1\u00a0490.00";

const WORDS = {
  en: {
    title: "Demo shop",
    item: "A box of tea, and a spoon",
    buy: "Create an invoice and pay it",
    what: "This page plays a shop: the button creates an invoice through the same code as the API, and leads to its payment page.",
    thanks: "Thank you! The payment page has led you back to the shop.",
    sandbox: "Sandbox: no real money",
  },
  ru: {
    title: "Демо-магазин",
    item: "Коробка чая и ложечка",
    buy: "Создать счёт и оплатить его",
    what: "Эта страница играет магазин: кнопка создаёт счёт тем же кодом, что и API, и ведёт на страницу оплаты.",
    thanks: "Спасибо! Страница оплаты вернула вас в магазин.",
    sandbox: "Песочница: деньги ненастоящие",
  },
};

export const showDemo = webPage({
  method: "GET",
  path: "/demo",
  async answer(_app, { language, query }) {
    const words = WORDS[language];
    return {
      kind: "document",
      status: 200,
      language,
      title: words.title,
      style: styleOf(null),
      body: html`<div class="ribbon">${words.sandbox}</div><header><p><strong>${words.title}</strong></p></header><main>
${query["paid"] !== undefined && html`<div class="card"><h1>${words.thanks}</h1></div>`}
<div class="card"><h1>${words.item}</h1><p class="amount">${AMOUNT_SHOWN} <small>₽</small></p>
<form method="post" action="/demo?lang=${language}"><button>${words.buy}</button></form></div>
<p class="muted">${words.what}</p></main>`,
    };
  },
});

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
      success_url: `${app.config.baseUrl}/demo?paid=1&lang=${language}`,
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
