// GET / of a sandbox: everything that there is to try, with the keys that everybody knows.

import { HttpFailure } from "../../platform/failure.ts";
import { type Html, html } from "../../platform/html.ts";
import { webPage } from "../../platform/web-page.ts";
import { styleOf } from "../checkout/style.ts";
import { firstCurl, OPERATOR, OTHER_USER, SANDBOX_USER, SHOPS, WEBHOOK_KEYS } from "./cast.ts";
import { WRITTEN_FORMATS } from "./download-statement.page.ts";

const EN = {
  what: "A payment gateway for bank transfers runs here. This is a sandbox: everything works, and no money is real.",
  sandbox: "Sandbox: no real money",
  language: "Русский",
  pay: "Make a payment",
  payText:
    "A demo shop leads from an order to its receipt. On the payment page you also play the bank.",
  demo: "Open the demo shop",
  run: "Run the gateway",
  runText:
    "The desk: what waits for a person, transfers, cards, payouts, shops, books. You come in as Anna by one button.",
  month: "A month of example business is there.",
  desk: "Open the desk",
  sell: "Be a merchant",
  sellText:
    "The cabinet: what was sold, the balance, payouts, webhooks, keys, people. The same Anna owns the example shops.",
  cabinet: "Open the cabinet",
  api: "Call the API",
  apiText: "Every request in the reference has an example that works here as it is. The first one:",
  docs: "API reference",
  manage: "Manage it",
  manageText: "Shops, tariffs, cards, money that waits: everything under /manage, with this token.",
  bank: "Take a statement",
  bankText:
    "Today's money on the card that was paid last, as a file of each format that is read here.",
  watch: "Watch it",
  watchText: "Whether it lives, whether it is ready, and its figures for Prometheus.",
  keys: "Shops and their keys",
  keysText:
    "They are the same in every sandbox, so examples can be pasted. Webhooks are signed here with",
  users: "Users: balances and payouts",
  own: "the owner of the shops",
  other: "another one, with a shop of their own",
};

type Words = typeof EN;

const RU: Words = {
  what: "Здесь работает платёжный шлюз для банковских переводов. Это песочница: всё работает, а деньги ненастоящие.",
  sandbox: "Песочница: деньги ненастоящие",
  language: "English",
  pay: "Провести платёж",
  payText: "Демо-магазин проведёт от заказа до чека. На странице оплаты вы играете и за банк.",
  demo: "Открыть демо-магазин",
  run: "Вести шлюз",
  runText:
    "Стол оператора: что ждёт человека, переводы, карты, выводы, магазины, учёт. Вход одной кнопкой, вы — Анна.",
  month: "Там уже месяц примерных дел.",
  desk: "Открыть стол оператора",
  sell: "Побыть мерчантом",
  sellText:
    "Кабинет: продажи, баланс, выводы, вебхуки, ключи, люди. Та же Анна владеет примерными магазинами.",
  cabinet: "Открыть кабинет",
  api: "Вызвать API",
  apiText: "У каждого запроса в описании есть пример, который здесь работает как есть. Первый:",
  docs: "Описание API",
  manage: "Управлять",
  manageText: "Магазины, тарифы, карты, невыясненные деньги: всё под /manage, с этим токеном.",
  bank: "Взять выписку",
  bankText: "Сегодняшние деньги на карте, оплаченной последней, файлом каждого известного формата.",
  watch: "Наблюдать",
  watchText: "Жив ли шлюз, готов ли он, и показатели для Prometheus.",
  keys: "Магазины и их ключи",
  keysText:
    "Они одинаковы в каждой песочнице, поэтому примеры можно просто вставить. Вебхуки здесь подписаны ключом",
  users: "Пользователи: балансы и выводы",
  own: "владелец магазинов",
  other: "другой, со своим магазином",
};

const WORDS = { en: EN, ru: RU };

const STYLE = `
header.wide,main.wide{max-width:68rem}
header h1{flex:1;margin:0;font-size:2rem}
.lead{font-size:1.1rem;max-width:44rem;margin-bottom:1.5rem}
h2{font-size:1.15rem;line-height:1.3;margin:0 0 .5rem}
h3{font-size:1rem;margin:0}
.tiles{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,18rem),1fr));margin-bottom:1rem}
.tiles>*{margin:0;min-width:0}
.tiles>.card{display:flex;flex-direction:column}
.push{margin-top:auto}
.middle{justify-content:center}
pre,code{font-family:ui-monospace,monospace;font-size:.82rem}
pre,.copyable{background:var(--back);border:1px solid var(--line);border-radius:12px;padding:.75rem 1rem;margin:0 0 1rem;
white-space:pre-wrap;overflow-wrap:anywhere;user-select:all}
.cast{display:grid;gap:0 2rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr))}
.cast>div{padding:.9rem 0;border-top:1px solid var(--line)}
.cast p{margin:0 0 .35rem}
.cast dl{display:grid;grid-template-columns:auto minmax(0,1fr);column-gap:.75rem;align-items:baseline}
.cast dt{font-size:.85rem}
.cast dd{font-weight:400;user-select:all}
.links{display:flex;flex-wrap:wrap;gap:0 1.25rem}
.links a{display:inline-flex;align-items:center;min-height:44px;min-width:44px;color:var(--text)}
@media(max-width:479px){.cast dl{grid-template-columns:minmax(0,1fr)}.cast dd{margin-bottom:.3rem}}
`.replaceAll("\n", "");

export const showSandbox = webPage({
  method: "GET",
  path: "/",
  async answer({ config }, { language, wantsJson }) {
    // To a program this address is what it always was: nothing.
    if (wantsJson) throw new HttpFailure("path_not_found");
    const words = WORDS[language];
    const other = language === "en" ? "ru" : "en";
    /** Hosts of their own are named; else it is this one, by whatever name somebody came. */
    const at = (url: string): string => (url === config.baseUrl ? "" : url);
    return {
      kind: "document",
      status: 200,
      language,
      title: "Kopeck",
      style: styleOf(null) + STYLE,
      body: html`<aside class="ribbon">${words.sandbox}</aside>
<header class="wide"><h1>Kopeck</h1><a href="/?lang=${other}" lang="${other}">${words.language}</a></header>
<main class="wide"><p class="lead">${words.what}</p>
<div class="tiles">
<section class="card"><h2>${words.pay}</h2><p>${words.payText}</p><a class="button push" href="/demo?lang=${language}">${words.demo}</a></section>
<section class="card"><h2>${words.run}</h2><p>${words.runText}${config.sandboxHistory && ` ${words.month}`}</p><a class="button push" href="${at(config.deskUrl)}/desk">${words.desk}</a></section>
<section class="card"><h2>${words.sell}</h2><p>${words.sellText}</p><a class="button push" href="${at(config.cabinetUrl)}/my">${words.cabinet}</a></section>
</div>
<section class="card"><h2>${words.api}</h2><p>${words.apiText}</p><pre>${firstCurl(config.baseUrl)}</pre>
<div class="tiles"><a class="button" href="/docs">${words.docs}</a><a class="button choice middle" href="/openapi.json">openapi.json</a></div></section>
<section class="card"><h2>${words.keys}</h2><p class="muted">${words.keysText} <code>${WEBHOOK_KEYS.key}</code>.</p><div class="cast">${SHOPS.map(
        ({ shop, secret, about }) =>
          member(shop.name, about[language], { shop_id: shop.id, "x-api-key": secret }),
      )}</div></section>
<section class="card"><h2>${words.users}</h2><div class="cast">${[
        userOf(SANDBOX_USER, words.own),
        userOf(OTHER_USER, words.other),
      ]}</div></section>
<div class="tiles">
<section class="card"><h2>${words.manage}</h2><p>${words.manageText}</p><code class="copyable push">authorization: Bearer ${OPERATOR.token}</code></section>
<section class="card"><h2>${words.bank}</h2><p>${words.bankText}</p><p class="links push">${WRITTEN_FORMATS.map((format) => html`<a href="/sandbox/statement?format=${format}">${format}</a>`)}</p></section>
<section class="card"><h2>${words.watch}</h2><p>${words.watchText}</p><p class="links push">${["/healthz", "/readyz", "/metrics"].map((path) => html`<a href="${path}">${path}</a>`)}</p></section>
</div></main>`,
    };
  },
});

function userOf(
  { id, name, secret }: typeof SANDBOX_USER | typeof OTHER_USER,
  about: string,
): Html {
  return member(name, about, { user_id: id, "x-api-signature-sha256": secret });
}

function member(name: string, about: string, keys: Readonly<Record<string, string>>): Html {
  const lines = Object.entries(keys).map(
    ([key, value]) => html`<dt>${key}</dt><dd><code>${value}</code></dd>`,
  );
  return html`<div><h3>${name}</h3><p class="muted">${about}</p><dl>${lines}</dl></div>`;
}
