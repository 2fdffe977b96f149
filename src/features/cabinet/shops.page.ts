// /my/shops: what each shop is set to, how its payment page looks, what it pays. Guards that where webhooks go is
// changed only by who has just proven who they are.

import { html } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { changeOwnShop, readOwnShop, readOwnShops } from "../merchants/own-shops.endpoint.ts";
import { formPages } from "../people/form-page.ts";
import { listPages } from "../people/list-page.ts";
import { factsOf } from "../people/parts.ts";
import { decimalText } from "../screens/locale.ts";
import { card, link, moneyText, table } from "../screens/pieces.ts";
import { readOwnTariffs } from "../tariffs/own-tariffs.endpoint.ts";
import { testLink } from "./events.page.ts";
import { cabinet } from "./site.ts";

const list = listPages(cabinet, {
  path: "/my/shops",
  title: { en: "Shops", ru: "Магазины" },
  door: readOwnShops,
  columns: () => ["name", "hook_url", "late_policy", "h2h_enabled", "created_at"],
  open: ({ shop_id: id }, root) => `${root}/shops/${id}`,
  nothing: {
    en: "No shop yet: your operator makes it",
    ru: "Магазинов пока нет: их заводит оператор",
  },
  command: "kopeck my shop list",
});

const HINTS = {
  hook_url: {
    en: "https of your server; we sign what we send there",
    ru: "https вашего сервера; всё туда мы подписываем",
  },
  success_url: {
    en: "Where the payer goes, unless the invoice says another",
    ru: "Куда уйдёт плательщик, если счёт не говорит иного",
  },
  fail_url: undefined,
  late_policy: {
    en: "What becomes of money that came after its time",
    ru: "Что делать с деньгами, пришедшими после срока",
  },
  nudge_max_kopecks: {
    en: "By how many kopecks an amount may be raised, so that payments of one amount can be told apart; 0 is off",
    ru: "На сколько копеек можно поднять сумму, чтобы различать одинаковые платежи; 0 — выключено",
  },
  title: {
    en: "On the payment page; else the shop's name",
    ru: "На странице оплаты; иначе имя магазина",
  },
  logo_url: {
    en: "A square image, https",
    ru: "Квадратная картинка, https",
  },
  color: { en: "Of the buttons, such as #1f6feb", ru: "Цвет кнопок, например #1f6feb" },
  support: {
    en: "A URL, an e-mail address or a phone number",
    ru: "Адрес сайта, почта или телефон",
  },
} as const;

const settings = formPages(cabinet, {
  path: "/my/shops/:shop_id/settings",
  title: { en: "Settings of the shop", ru: "Настройки магазина" },
  submit: { en: "Save", ru: "Сохранить" },
  door: changeOwnShop,
  values: ({ askHere }) => askHere(readOwnShop),
  fields: ({ say }) =>
    Object.entries(HINTS).map(([name, hint]) =>
      hint === undefined ? name : { name, hint: say(hint) },
    ),
  above: async (sight) => html`<p><b><bdi>${(await sight.askHere(readOwnShop)).name}</bdi></b></p>`,
  command: "kopeck my shop update",
});

const detail = cabinet.page({
  path: "/my/shops/:shop_id",
  async show(sight) {
    const { say, look } = sight;
    const shop = await sight.askHere(readOwnShop);
    const { items } = await sight.ask(readOwnTariffs, { shop_id: shop.shop_id });
    const sum = (amount: number) => moneyText(amount, look.language);
    const tariffs = table({
      caption: say({ en: "What it costs", ru: "Сколько стоит" }),
      rows: items.filter(({ status }) => status === "enabled"),
      columns: [
        { label: say({ en: "Method", ru: "Способ" }), cell: (one) => one.service_label },
        {
          label: say({ en: "Your fee", ru: "С вас" }),
          cell: (one) => `${decimalText(one.shop_percent, look.language)} %`,
        },
        {
          label: say({ en: "Payer's fee", ru: "С плательщика" }),
          cell: (one) => `${decimalText(one.user_percent, look.language)} %`,
        },
        { label: say({ en: "Fixed", ru: "Фикс." }), align: "end", cell: (one) => sum(one.fix) },
        {
          label: say({ en: "Amounts", ru: "Суммы" }),
          align: "end",
          cell: (one) =>
            `${sum(one.min_sum)} – ${moneyText(one.max_sum, look.language, one.currency)}`,
        },
      ],
    });
    const acts = html`<p class="acts">${sight.may(changeOwnShop) && link(say({ en: "Change settings", ru: "Изменить настройки" }), `/my/shops/${shop.shop_id}/settings`, "main")}${testLink(sight, shop.shop_id)}${link(say({ en: "Its invoices", ru: "Его счета" }), `/my/invoices?shop_id=${shop.shop_id}`, "plain")}</p>`;
    const body = html`${acts}${card(
      undefined,
      factsOf(sight, readOwnShop, undefined, shop, [
        "hook_url",
        "success_url",
        "fail_url",
        "late_policy",
        "nudge_max_kopecks",
        "title",
        "logo_url",
        "color",
        "support",
        "h2h_enabled",
        "dialect",
        "created_at",
        "shop_id",
      ]),
    )}${card(say({ en: "What it costs", ru: "Сколько стоит" }), tariffs)}`;
    return { title: shop.name, body, command: `kopeck my shop show ${shop.shop_id}` };
  },
});

export const shopPages: readonly WebPage[] = [...list, ...settings, detail];
