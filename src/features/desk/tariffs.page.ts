// /desk/tariffs and /desk/methods: what payments cost, by default and for whom otherwise, and what a tariff
// would have cost in the last month before anybody sets it.

import { fromTexts } from "../../platform/ask.ts";
import type { Answer } from "../../platform/endpoint.ts";
import { type Html, html } from "../../platform/html.ts";
import { tryTariff } from "../overview/try-tariff.endpoint.ts";
import { fieldOf, named, withChoices } from "../people/cells.ts";
import { formPages } from "../people/form-page.ts";
import { card, empty, facts, figures, form, link, money } from "../screens/pieces.ts";
import { labelOf } from "../screens/words.ts";
import { changeService, readServices } from "../tariffs/manage-methods.endpoint.ts";
import { deleteTariff, putTariff, readTariffs } from "../tariffs/manage-tariffs.endpoint.ts";
import { chosenIn, doorTable, filledIn, wayTo } from "./door-parts.ts";
import { type DeskSight, desk, shopNames } from "./site.ts";

type Tariff = Answer<typeof putTariff>;

const TITLE = { en: "Tariffs", ru: "Тарифы" };
const SET = { en: "Set a tariff", ru: "Задать тариф" };
const TRY = { en: "What it would have cost", ru: "Сколько это стоило бы" };
const METHODS = { en: "Payment methods", ru: "Способы оплаты" };
const REMOVE = { en: "Remove a tariff", ru: "Убрать тариф" };

const methods = async (sight: DeskSight) =>
  (await sight.ask(readServices, {})).items.map(({ service, label }) => ({
    value: service,
    label: `${label} (${service})`,
  }));

const page = desk.page({
  path: "/desk/tariffs",
  async show(sight) {
    const { say, look } = sight;
    const [defaults, own, { items: services }, known] = await Promise.all([
      sight.ask(readTariffs, {}),
      sight.ask(readTariffs, { of_shops: true }),
      sight.ask(readServices, {}),
      shopNames(sight),
    ]);
    const shopName = (id: string | null): string => known.get(id ?? "") ?? id ?? "";
    const columns = [
      {
        label: labelOf("service", look.language),
        cell: ({ service: code }: Tariff) =>
          services.find(({ service }) => service === code)?.label ?? code,
      },
      "percent",
      "shop_percent",
      "user_percent",
      "fix",
      {
        label: say({ en: "One payment", ru: "Один платёж" }),
        align: "end" as const,
        cell: ({ min_sum: min, max_sum: max, currency }: Tariff) =>
          html`${money(min, look, currency)} – ${money(max, look, currency)}`,
      },
      "enabled",
      {
        label: "",
        cell: (row: Tariff): Html | false =>
          sight.may(putTariff) &&
          html`<div class="acts">${link(say({ en: "Change", ru: "Изменить" }), filledIn("/desk/tariffs/set", keyOf(row)))} ${link(say({ en: "Try", ru: "Прикинуть" }), filledIn("/desk/tariffs/try", row))} ${link(say({ en: "Remove", ru: "Убрать" }), filledIn("/desk/tariffs/remove", row))}</div>`,
      },
    ];
    const ofShop = {
      label: labelOf("shop_id", look.language),
      cell: ({ shop_id: id }: Tariff) => html`<a href="/desk/shops/${id}">${shopName(id)}</a>`,
    };
    const nothing = empty(
      say({ en: "No default tariff", ru: "Общего тарифа нет" }),
      say({
        en: "A shop without a tariff of its own has no payment method: set one for cards and one for SBP.",
        ru: "У магазина без своего тарифа нет способов оплаты: задайте для карт и для СБП.",
      }),
    );
    const body = html`${wayTo(sight, putTariff, SET, "/desk/tariffs/set")}<p>${link(say(TRY), "/desk/tariffs/try")} · ${link(say(METHODS), "/desk/methods")} · ${link(say({ en: "Payout tariffs and rails", ru: "Тарифы и каналы выводов" }), "/desk/rails")}</p>${card(
      say({ en: "For all shops", ru: "Для всех магазинов" }),
      defaults.items.length === 0
        ? nothing
        : doorTable(sight, readTariffs, say(TITLE), defaults.items, columns),
    )}${card(
      say({ en: "Exceptions", ru: "Исключения" }),
      own.items.length === 0
        ? html`<p class="muted">${say({ en: "Every shop has the default ones.", ru: "У всех магазинов общие тарифы." })}</p>`
        : doorTable(sight, readTariffs, say({ en: "Exceptions", ru: "Исключения" }), own.items, [
            ofShop,
            ...columns,
          ]),
    )}`;
    return { title: say(TITLE), body, command: "kopeck tariff list" };
  },
});

const place = async (sight: DeskSight) => [
  {
    ...named("shop_id"),
    hint: sight.say({ en: "Left empty: for all shops.", ru: "Пусто: для всех магазинов." }),
  },
  { name: "service", choices: await methods(sight) },
];

/** A shop can have a tariff for each: without it, that in roubles would be meant, whichever row it was. */
const CURRENCY = { name: "currency", value: "RUB" };

/** A link names the tariff and nothing of it: what it is, is read when the form is opened. */
const keyOf = ({ shop_id, service, currency }: Tariff) => ({ shop_id, service, currency });

async function tariffAsItIs(sight: DeskSight): Promise<Partial<Tariff>> {
  const { shop_id, service, currency } = chosenIn(sight, ["shop_id", "service", "currency"]);
  const { items } = await sight.ask(readTariffs, shop_id === "" ? {} : { shop_id });
  const wanted = currency || CURRENCY.value;
  return { ...items.find((one) => one.service === service && one.currency === wanted) };
}

const setting = formPages(desk, {
  path: "/desk/tariffs/set",
  values: tariffAsItIs,
  setsWhole: true,
  title: SET,
  submit: { en: "Set", ru: "Задать" },
  door: putTariff,
  fields: async (sight) => [
    ...(await place(sight)),
    CURRENCY,
    "shop_percent",
    "user_percent",
    "fix",
    "min_sum",
    "max_sum",
    "enabled",
  ],
  note: {
    en: "It holds for details that are issued from now on.",
    ru: "Действует для реквизитов, которые будут выданы с этой минуты.",
  },
  command:
    "kopeck tariff set p2p_card --shop-percent 4 --user-percent 2 --min-sum 100 --max-sum 100000",
});

const removing = formPages(desk, {
  path: "/desk/tariffs/remove",
  title: REMOVE,
  submit: { en: "Remove", ru: "Убрать" },
  door: deleteTariff,
  fields: async (sight) => [...(await place(sight)), { name: "currency", kind: "hidden" }],
  danger: true,
  note: {
    en: "Shops that have no other tariff for this method cannot use it any more.",
    ru: "Магазины, у которых нет другого тарифа, больше не смогут использовать этот способ.",
  },
  command: "kopeck tariff remove p2p_card",
});

const trying = desk.page({
  path: "/desk/tariffs/try",
  async show(sight) {
    const { say, look, visit } = sight;
    const wishes = [
      ...(await place(sight)),
      CURRENCY,
      ...["shop_percent", "user_percent", "fix"].map((name) => ({ name })),
    ];
    const question = form({
      action: "/desk/tariffs/try",
      method: "get",
      look,
      submit: say({ en: "Count", ru: "Посчитать" }),
      fields: (await withChoices(sight, wishes)).map(({ name, ...own }) =>
        fieldOf(tryTariff, name, look, {
          ...own,
          ...(visit.query[name] === undefined ? {} : { value: visit.query[name] }),
        }),
      ),
    });
    const isAsked =
      (visit.query["shop_percent"] ?? "") !== "" && (visit.query["user_percent"] ?? "") !== "";
    const answer =
      isAsked && tried(sight, await sight.ask(tryTariff, fromTexts(tryTariff, visit.query)));
    return {
      title: say(TRY),
      body: html`${answer}${card(undefined, question)}`,
      command: "kopeck tariff try p2p_card --shop-percent 4 --user-percent 0",
    };
  },
});

function tried({ say, look, visit }: DeskSight, data: Answer<typeof tryTariff>): Html {
  const currency = visit.query["currency"] ?? "RUB";
  const sum = (amount: number) => money(amount, look, currency);
  const all = figures([
    [say({ en: "Fees as they were", ru: "Комиссии были" }), sum(data.fee)],
    [say({ en: "With this tariff", ru: "С этим тарифом" }), sum(data.tried_fee)],
    [say({ en: "Difference", ru: "Разница" }), sum(data.difference)],
  ]);
  const more = facts([
    [
      say({ en: "Payments, 30 days", ru: "Платежей за 30 дней" }),
      `${data.count}${data.capped ? "+" : ""}`,
    ],
    [say({ en: "Asked for by shops", ru: "Запросили магазины" }), sum(data.amount)],
    [say({ en: "Paid by payers, was", ru: "С плательщиков было" }), sum(data.payer_fee)],
    [say({ en: "Paid by payers, then", ru: "С плательщиков стало бы" }), sum(data.tried_payer_fee)],
    [say({ en: "Would be refused", ru: "Не прошло бы" }), data.refused],
  ]);
  return card(say({ en: "In the last 30 days", ru: "За последние 30 дней" }), html`${all}${more}`);
}

const CHANGE_METHOD = {
  path: "/desk/methods/:service",
  title: { en: "Change a payment method", ru: "Изменить способ оплаты" },
  submit: { en: "Save", ru: "Сохранить" },
  door: changeService,
  async values({ ask, visit }: DeskSight) {
    const { items } = await ask(readServices, {});
    return { ...items.find(({ service }) => service === visit.params["service"]) };
  },
  note: {
    en: "A new freeze holds for money that arrives from now on.",
    ru: "Новая заморозка действует для денег, которые придут с этой минуты.",
  },
  command: "kopeck method update",
};

const methodPage = desk.page({
  path: "/desk/methods",
  async show(sight) {
    const { items } = await sight.ask(readServices, {});
    const rows = doorTable(
      ...([
        sight,
        readServices,
        sight.say(METHODS),
        items,
        ["label", "service", "freeze_seconds"],
      ] as const),
      ({ service }) => (sight.may(changeService) ? `/desk/methods/${service}` : undefined),
    );
    return {
      title: sight.say(METHODS),
      body: card(undefined, rows),
      command: "kopeck method list",
    };
  },
});

export const tariffPages = [
  page,
  ...setting,
  ...removing,
  trying,
  methodPage,
  ...formPages(desk, CHANGE_METHOD),
];
