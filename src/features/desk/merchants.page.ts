// /desk/merchants: merchants with their shops, keys and people, and an operator's look at a cabinet.
// An invitation's link is shown once; each look stands in two logs.

import { Refusal } from "../../domain/refusal.ts";
import { type Html, html } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { readAccounts } from "../ledger/manage-accounts.endpoint.ts";
import {
  changeMerchantPerson,
  inviteMerchantPerson,
  readMembers,
} from "../merchants/manage-members.endpoint.ts";
import { createShop, readShops } from "../merchants/manage-shops.endpoint.ts";
import {
  createUser,
  readUser,
  readUsers,
  rotateUserWebhookKeys,
  updateUser,
} from "../merchants/manage-users.endpoint.ts";
import { putPayoutTariff, readPayoutTariffs } from "../payouts/manage-payout-tariffs.endpoint.ts";
import { nameOf, stateColumn } from "../people/cells.ts";
import { formPages } from "../people/form-page.ts";
import { listPages } from "../people/list-page.ts";
import { endLooks } from "../people/queries.ts";
import { startLook } from "../people/session.ts";
import { redirect } from "../people/site.ts";
import { button, card, empty, figures, link, money, shortId } from "../screens/pieces.ts";
import { wordOf } from "../screens/words.ts";
import {
  about,
  doorTable,
  foldedAct,
  keyActs,
  keyCard,
  linkOnce,
  shownOnce,
  wayTo,
} from "./door-parts.ts";
import { type DeskSight, desk } from "./site.ts";

const PEOPLE = { en: "People", ru: "Люди" };
const INVITE = { en: "Invite somebody", ru: "Пригласить" };
const CHANGE = { en: "Change or let go", ru: "Изменить или убрать" };

const pathOf = (userId: string): string => `/desk/merchants/${userId}`;

const memberPages: readonly WebPage[] = [
  ...formPages(desk, {
    path: "/desk/merchants/:user_id/people/invite",
    title: INVITE,
    door: inviteMerchantPerson,
    fields: ({ look }) => ["name", "email", "role", { name: "language", value: look.language }],
    note: {
      en: "The first one should be an owner: owners invite the others themselves. You copy the link and give it to them; where a mail server is set up, they get it by e-mail, too. It is good once, for three days.",
      ru: "Первым пригласите владельца: остальных он пригласит сам. Вы копируете ссылку и передаёте сами; если настроена почта, она придёт и письмом. Действует один раз, три дня.",
    },
    shows: linkOnce,
    command: "kopeck member invite",
  }),
  ...formPages(desk, {
    path: "/desk/merchants/:user_id/people/:person_id",
    title: CHANGE,
    submit: { en: "Change", ru: "Изменить" },
    door: changeMerchantPerson,
    above: memberOf,
    danger: true,
    note: { en: "The last owner stays.", ru: "Последний владелец остаётся." },
    command: "kopeck member change",
  }),
];

async function memberOf(sight: DeskSight): Promise<Html> {
  const { user_id: userId = "", person_id: personId } = sight.visit.params;
  const { items } = await sight.ask(readMembers, { user_id: userId });
  const whose = await nameOf(sight, "user_id", userId);
  const found = items.find(({ person_id: id, ended_at }) => id === personId && ended_at === null);
  if (found === undefined) throw new Refusal("person_not_found");
  const { name, email, role } = found;
  return html`<p class="lead"><bdi>${name}</bdi>, <bdi>${email}</bdi>, ${wordOf(role, sight.look.language)}: ${whose}</p>`;
}

/** As it stands on the merchant's own page. */
async function memberCard(sight: DeskSight, userId: string): Promise<Html> {
  const { say, look } = sight;
  const { items } = await sight.ask(readMembers, { user_id: userId });
  const here = `${pathOf(userId)}/people`;
  const may = sight.may(inviteMerchantPerson);
  const none = say({
    en: "Nobody signs in for this merchant yet: invite an owner.",
    ru: "За этого мерчанта пока никто не входит: пригласите владельца.",
  });
  const rows = doorTable(sight, readMembers, say(PEOPLE), items, [
    "name",
    "email",
    "role",
    stateColumn(look, ({ ended_at: ended }) => (ended === null ? "active" : "ended")),
    {
      label: "",
      cell: ({ person_id: id, ended_at: ended }) =>
        may && ended === null && link(say(CHANGE), `${here}/${id}`),
    },
  ]);
  const body =
    items.length === 0 ? empty(say({ en: "Nobody yet", ru: "Пока никого" }), none) : rows;
  return card(say(PEOPLE), body, may && link(say(INVITE), `${here}/invite`, "plain"));
}

const path = "/desk/merchants/:user_id/look";

const lookPages = [
  // Where somebody comes to who had to sign in before their button was heard.
  desk.page({
    path,
    show: async ({ visit: { params } }) =>
      redirect(`/desk/merchants/${encodeURIComponent(params["user_id"] ?? "")}`),
  }),
  desk.page({
    method: "POST",
    path,
    async show({ app, askHere, person, session, who, visit }) {
      const { user_id: id } = await askHere(readUser);
      if (visit.form["leave"] !== undefined) {
        await endLooks(app.db, person.id, session.id);
        return redirect(`/desk/merchants/${id}`);
      }
      await startLook(app, session, who, id);
      return redirect("/my");
    },
  }),
];

const NEW = { en: "New merchant", ru: "Новый мерчант" };

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
