// /desk/shops: who takes payments for a merchant, and how. Guards that where webhooks go and the keys change only
// by who has just proven who they are, and that a setting that was emptied is forgotten.

import { html } from "../../platform/html.ts";
import {
  changeShop,
  createShop,
  readShop,
  readShops,
  rotateShopWebhookKeys,
} from "../merchants/manage-shops.endpoint.ts";
import { readUser } from "../merchants/manage-users.endpoint.ts";
import { named } from "../people/cells.ts";
import { formPages } from "../people/form-page.ts";
import { listPages } from "../people/list-page.ts";
import { card, facts, link, shortId } from "../screens/pieces.ts";
import { labelOf } from "../screens/words.ts";
import { putTariff, readTariffs } from "../tariffs/manage-tariffs.endpoint.ts";
import {
  about,
  actOf,
  doorTable,
  keyActs,
  keyCard,
  REVOKE_KEY,
  shownOnce,
  wayTo,
} from "./door-parts.ts";
import { type DeskSight, desk } from "./site.ts";

const pathOf = (id: string): string => `/desk/shops/${id}`;

const NEW = { en: "New shop", ru: "Новый магазин" };

const SETTINGS = [
  "hook_url",
  "success_url",
  "fail_url",
  "title",
  "logo_url",
  "color",
  "support",
  "h2h_enabled",
  "late_policy",
  "nudge_max_kopecks",
  "dialect",
];

const lists = listPages(desk, {
  path: "/desk/shops",
  title: { en: "Shops", ru: "Магазины" },
  door: readShops,
  columns: () => ["name", "user_id", "hook_url", "late_policy", "h2h_enabled", "created_at"],
  filters: [named("user_id")],
  open: ({ shop_id: id }) => pathOf(id),
  above: (sight) => wayTo(sight, createShop, NEW, "/desk/shops/new"),
  nothing: { en: "No shop yet", ru: "Пока ни одного магазина" },
  command: "kopeck shop list",
});

const adding = formPages(desk, {
  path: "/desk/shops/new",
  title: NEW,
  submit: { en: "Create", ru: "Создать" },
  door: createShop,
  fields: () => [named("user_id"), "name", ...SETTINGS],
  then: ({ shop }) => pathOf(shop.shop_id),
  shows: ({ shop: _shop, ...secrets }, sight) => shownOnce(sight, secrets),
  command: "kopeck shop create",
});

const CHANGE = {
  path: "/desk/shops/:shop_id/settings",
  title: { en: "Settings", ru: "Настройки" },
  submit: { en: "Save", ru: "Сохранить" },
  door: changeShop,
  fields: () => ["name", ...SETTINGS],
  values: ({ askHere }: DeskSight) => askHere(readShop),
  note: {
    en: "A setting that is emptied is forgotten.",
    ru: "Очищенная настройка сбрасывается.",
  },
  command: "kopeck shop update",
};

const KEYS = keyActs("/desk/shops/:shop_id", "api_key", {
  path: "/desk/shops/:shop_id/rotate-webhook-keys",
  title: { en: "New webhook keys", ru: "Новые ключи вебхуков" },
  door: rotateShopWebhookKeys,
  above: about("shop_id"),
  command: "kopeck shop rotate-webhook-keys",
});

const detail = desk.page({
  path: "/desk/shops/:shop_id",
  async show(sight) {
    const { say, look } = sight;
    const shop = await sight.askHere(readShop);
    const { shop_id } = shop;
    const [user, tariffs] = await Promise.all([
      sight.ask(readUser, { user_id: shop.user_id }),
      sight.ask(readTariffs, { shop_id }),
    ]);
    const label = (name: string): string => labelOf(name, look.language);
    const ways = [
      link(say({ en: "Invoices", ru: "Счета" }), `/desk/invoices?shop_id=${shop_id}`),
      link(say({ en: "Webhooks", ru: "Вебхуки" }), `/desk/events?shop_id=${shop_id}`),
      link(say({ en: "Log", ru: "Журнал" }), `/desk/audit?subject=${shop_id}`),
    ];
    const own =
      tariffs.items.length === 0
        ? html`<p class="muted">${say({ en: "The default ones.", ru: "Общие для всех." })} ${link(say(TARIFFS), "/desk/tariffs")}</p>`
        : doorTable(sight, readTariffs, say(TARIFFS), tariffs.items, [
            "service",
            "percent",
            "shop_percent",
            "user_percent",
            "fix",
            "min_sum",
            "max_sum",
            "enabled",
          ]);
    const about = facts([
      [
        label("user_id"),
        html`<a href="/desk/merchants/${shop.user_id}"><bdi>${user.name}</bdi></a>`,
      ],
      [label("shop_id"), shortId(shop_id)],
      [
        label("hook_url"),
        shop.hook_url ??
          say({ en: "none: nobody is told of payments", ru: "нет: о платежах никто не узнаёт" }),
      ],
    ]);
    const settings = await actOf(sight, CHANGE);
    const body = html`${card(undefined, about, ways)}${settings && card(say(CHANGE.title), settings)}${card(say(TARIFFS), own, sight.may(putTariff) && link(say({ en: "Set", ru: "Задать" }), `/desk/tariffs/set?shop_id=${shop_id}`, "plain"))}${await keyCard(sight, { shop_id })}${sight.may(changeShop) && card(undefined, await KEYS.acts(sight))}`;
    return { title: shop.name, body, command: `kopeck shop show ${shop_id}` };
  },
});

const TARIFFS = { en: "Tariffs", ru: "Тарифы" };

export const shopPages = [
  ...lists,
  ...adding,
  detail,
  ...formPages(desk, CHANGE),
  ...KEYS.pages,
  ...formPages(desk, REVOKE_KEY),
];
