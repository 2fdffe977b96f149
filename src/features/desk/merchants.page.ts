// /desk/merchants: whose balance the money goes to. Guards that the secrets of a new merchant are seen once.

import { html } from "../../platform/html.ts";
import { readAccounts } from "../ledger/manage-accounts.endpoint.ts";
import { createShop, readShops } from "../merchants/manage-shops.endpoint.ts";
import {
  createUser,
  readUser,
  readUsers,
  rotateUserWebhookKeys,
  updateUser,
} from "../merchants/manage-users.endpoint.ts";
import { putPayoutTariff, readPayoutTariffs } from "../payouts/manage-payout-tariffs.endpoint.ts";
import { formPages } from "../people/form-page.ts";
import { listPages } from "../people/list-page.ts";
import { button, card, empty, figures, link, money, shortId } from "../screens/pieces.ts";
import { wordOf } from "../screens/words.ts";
import { about, doorTable, foldedAct, keyActs, keyCard, shownOnce, wayTo } from "./door-parts.ts";
import { lookPages } from "./look.page.ts";
import { memberCard, memberPages } from "./members.page.ts";
import { type DeskSight, desk } from "./site.ts";

const NEW = { en: "New merchant", ru: "Новый мерчант" };

const pathOf = (id: string): string => `/desk/merchants/${id}`;

const lists = listPages(desk, {
  path: "/desk/merchants",
  title: { en: "Merchants", ru: "Мерчанты" },
  door: readUsers,
  columns: () => ["name", "user_id", "created_at"],
  open: ({ user_id: id }) => pathOf(id),
  above: (sight) => wayTo(sight, createUser, NEW, "/desk/merchants/new"),
  nothing: {
    en: "No merchant yet: the first one has a balance, a shop and keys in a minute",
    ru: "Пока ни одного мерчанта: у первого за минуту будут баланс, магазин и ключи",
  },
  command: "kopeck user list",
});

const adding = formPages(desk, {
  path: "/desk/merchants/new",
  title: NEW,
  submit: { en: "Create", ru: "Создать" },
  door: createUser,
  fields: () => ["name"],
  then: ({ user }) => pathOf(user.user_id),
  shows: ({ user: _user, ...secrets }, sight) => shownOnce(sight, secrets),
  command: "kopeck user create Acme",
});

const RENAME = {
  path: "/desk/merchants/:user_id/rename",
  title: { en: "Rename", ru: "Переименовать" },
  door: updateUser,
  values: ({ askHere }: DeskSight) => askHere(readUser),
  needsProof: false,
  command: "kopeck user rename",
};

const KEYS = keyActs("/desk/merchants/:user_id", "secret", {
  path: "/desk/merchants/:user_id/rotate-webhook-keys",
  title: { en: "New webhook keys, for payouts", ru: "Новые ключи вебхуков о выводах" },
  door: rotateUserWebhookKeys,
  above: about("user_id"),
  command: "kopeck user rotate-webhook-keys",
});

const SEE = { en: "See as they do", ru: "Смотреть глазами мерчанта" };

const NO_MONEY = { en: "No money yet.", ru: "Денег пока нет." };
const TITLES = {
  balance: { en: "Balance", ru: "Баланс" },
  shops: { en: "Shops", ru: "Магазины" },
  tariffs: { en: "Payout tariffs", ru: "Тарифы выводов" },
};

const detail = desk.page({
  path: "/desk/merchants/:user_id",
  async show(sight) {
    const { say, look } = sight;
    const user = await sight.askHere(readUser);
    const { user_id } = user;
    const [accounts, shops, own, all] = await Promise.all([
      sight.ask(readAccounts, { user_id }),
      sight.ask(readShops, { user_id, limit: 200 }),
      sight.ask(readPayoutTariffs, { user_id }),
      sight.ask(readPayoutTariffs, {}),
    ]);
    const balance = accounts.items.map(
      ({ kind, currency, balance: there, account_id: id }) =>
        [
          wordOf(kind, look.language),
          html`<a href="/desk/books/${id}">${money(there, look, currency)}</a>`,
        ] as const,
    );
    const tariffs = [
      ...own.items,
      ...all.items.filter(
        ({ service, currency }) =>
          !own.items.some((one) => one.service === service && one.currency === currency),
      ),
    ];
    const ways = html`${link(say({ en: "Payouts", ru: "Выводы" }), `/desk/payouts?user_id=${user_id}`)} ${link(say({ en: "Log", ru: "Журнал" }), `/desk/audit?subject=${user_id}`)}`;
    const newShop =
      sight.may(createShop) &&
      link(
        say({ en: "New shop", ru: "Новый магазин" }),
        `/desk/shops/new?user_id=${user_id}`,
        "plain",
      );
    const setTariff =
      sight.may(putPayoutTariff) &&
      link(
        say({ en: "Set", ru: "Задать" }),
        `/desk/payout-tariffs/set?user_id=${user_id}`,
        "plain",
      );
    const see = html`<form method="post" action="${pathOf(user_id)}/look">${button(say(SEE), { kind: "plain" })}</form>`;
    const body = html`<div class="inline">${shortId(user_id)}${see}</div>${card(say(TITLES.balance), balance.length > 0 ? figures(balance) : say(NO_MONEY), ways)}${card(
      say(TITLES.shops),
      shops.items.length === 0
        ? empty(
            say({ en: "No shop yet", ru: "Пока нет магазина" }),
            say({
              en: "A shop takes payments for the merchant.",
              ru: "Магазин принимает платежи мерчанта.",
            }),
          )
        : doorTable(
            sight,
            readShops,
            say(TITLES.shops),
            shops.items,
            ["name", "hook_url", "late_policy", "h2h_enabled"],
            ({ shop_id: id }) => `/desk/shops/${id}`,
          ),
      newShop,
    )}${card(
      say(TITLES.tariffs),
      doorTable(sight, readPayoutTariffs, say(TITLES.tariffs), tariffs, [
        "service",
        "percent",
        "fix",
        "min_sum",
        "max_sum",
        "hold_over",
        "enabled",
        {
          label: say({ en: "Set for", ru: "Задан для" }),
          cell: (row) =>
            say(
              row.user_id === null
                ? { en: "all", ru: "всех" }
                : { en: "this merchant", ru: "этого мерчанта" },
            ),
        },
      ]),
      setTariff,
    )}${await memberCard(sight, user_id)}${await keyCard(sight, { user_id })}${sight.may(createUser) && card(undefined, [await KEYS.acts(sight), await foldedAct(sight, RENAME)])}`;
    return { title: user.name, body, command: `kopeck user show ${user_id}` };
  },
});

export const merchantPages = [
  ...lists,
  ...adding,
  detail,
  ...formPages(desk, RENAME),
  ...KEYS.pages,
  ...memberPages,
  ...lookPages,
];
