// /my/shops: what each shop is set to, how its payment page looks, what it pays. Guards that where webhooks go is
// changed only by who has just proven who they are.

import type { Answer } from "../../platform/endpoint.ts";
import { type Html, html } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { changeOwnShop, readOwnShop, readOwnShops } from "../merchants/own-shops.endpoint.ts";
import { formPages } from "../people/form-page.ts";
import { listPages } from "../people/list-page.ts";
import { factsOf } from "../people/parts.ts";
import { decimalText } from "../screens/locale.ts";
import { card, link, moneyText, table } from "../screens/pieces.ts";
import { readOwnTariffs } from "../tariffs/own-tariffs.endpoint.ts";
import { cabinet, type MySight } from "./site.ts";
import { testLink } from "./test-event.page.ts";

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

type Face = Pick<Answer<typeof readOwnShop>, "name" | "title" | "logo_url" | "color">;

const COLOR = /^#[0-9a-f]{6}$/;

/** As the payer sees it, drawn by us. A logo that is not saved yet is not asked for: an address may be anybody's. */
function preview({ say, look }: MySight, shop: Face, saved: Face): Html {
  const color = COLOR.test(shop.color ?? "") ? (shop.color ?? "") : "#1f6feb";
  const title = shop.title || shop.name;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    parseInt(color.slice(at, at + 2), 16),
  );
  // As the payment page chooses it: whichever reads better.
  const isLight = red * 0.299 + green * 0.587 + blue * 0.114 > 140;
  const logo =
    shop.logo_url && shop.logo_url === saved.logo_url
      ? html`<image href="${shop.logo_url}" x="20" y="16" width="40" height="40"/>`
      : shop.logo_url
        ? html`<rect class="box" x="20" y="16" width="40" height="40" rx="10"/><text class="small" x="40" y="40" text-anchor="middle">?</text>`
        : "";
  const left = shop.logo_url ? 72 : 20;
  const cut = title.length > 26 ? `${title.slice(0, 25)}…` : title;
  return card(
    say({ en: "How the payer sees it", ru: "Как это видит плательщик" }),
    html`<svg class="phone" viewBox="0 0 320 268" role="img" aria-label="${title}"><rect class="back" width="320" height="268" rx="16"/>${logo}<text x="${left}" y="42">${cut}</text><rect class="box" x="16" y="72" width="288" height="180" rx="18"/><text x="36" y="108">${say({ en: "To pay", ru: "К оплате" })}</text><text class="large" x="36" y="142">${moneyText(1000, look.language, "RUB")}</text><rect x="36" y="176" width="248" height="52" rx="14" fill="${color}"/><text x="160" y="207" text-anchor="middle" fill="${isLight ? "#000" : "#fff"}">${say({ en: "Continue", ru: "Продолжить" })}</text></svg>`,
  );
}

const originOf = ({ logo_url }: Face): string | undefined =>
  logo_url === null ? undefined : (URL.parse(logo_url)?.origin ?? undefined);

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
    en: "A square image, https; shown here once it is saved",
    ru: "Квадратная картинка, https; здесь появится после сохранения",
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
  preview: { en: "Preview", ru: "Показать, как будет" },
  door: changeOwnShop,
  values: ({ askHere }) => askHere(readOwnShop),
  fields: ({ say }) =>
    Object.entries(HINTS).map(([name, hint]) =>
      hint === undefined ? name : { name, hint: say(hint) },
    ),
  async above(sight) {
    const saved = await sight.askHere(readOwnShop);
    const { title, logo_url, color } = { ...sight.visit.query, ...sight.visit.form };
    const typed = {
      name: saved.name,
      title: title ?? saved.title,
      logo_url: logo_url ?? saved.logo_url,
      color: color ?? saved.color,
    };
    return html`<p><b><bdi>${saved.name}</bdi></b></p>${preview(sight, typed, saved)}`;
  },
  imageOrigin: async (sight) => originOf(await sight.askHere(readOwnShop)),
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
    const body = html`${acts}<div class="grid">${card(
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
    )}${preview(sight, shop, shop)}</div>${card(say({ en: "What it costs", ru: "Сколько стоит" }), tariffs)}`;
    const command = `kopeck my shop show ${shop.shop_id}`;
    return { title: shop.name, body, command, imageOrigin: originOf(shop) };
  },
});

export const shopPages: readonly WebPage[] = [...list, ...settings, detail];
