// /desk/setup: from an empty installation to the first rouble. Guards that every line is computed from what is
// there, never kept as a tick: what was undone is open again.

import { type Html, html, type Part } from "../../platform/html.ts";
import { readImports } from "../intake/manage-imports.endpoint.ts";
import { readSources } from "../intake/manage-sources.endpoint.ts";
import { readKeys } from "../merchants/manage-keys.endpoint.ts";
import { readShops } from "../merchants/manage-shops.endpoint.ts";
import { readUsers } from "../merchants/manage-users.endpoint.ts";
import { readInvoices } from "../overview/manage-invoices.endpoint.ts";
import { showHealth } from "../overview/show-health.endpoint.ts";
import { readPeople } from "../people/manage-people.endpoint.ts";
import type { Words } from "../people/site.ts";
import { countWaysIn, hasWayIn } from "../people/ways-in.ts";
import { readRequisites } from "../requisites/manage-requisites.endpoint.ts";
import { numberText } from "../screens/locale.ts";
import { card, copyable, link, moment, notice } from "../screens/pieces.ts";
import { readTariffs } from "../tariffs/manage-tariffs.endpoint.ts";
import { readTransfers } from "../transfers/manage-transfers.endpoint.ts";
import { readEvents } from "../webhooks/manage-events.endpoint.ts";
import { type DeskSight, desk } from "./site.ts";

interface Step {
  readonly isDone: boolean;
  readonly what: Words;
  readonly why: Words;
  /** How it stands, where that says more than done or not. */
  readonly now?: Part;
  /** The one button, or the one line for a terminal. */
  readonly way: readonly [label: Words, href: string] | string;
}

const DAY_MS = 24 * 3_600_000;

const CURRENCY = "RUB";

interface Bounds {
  readonly currency: string;
  readonly min_sum: number;
  readonly max_sum: number;
}

type Term = Bounds & { readonly service: string; readonly enabled: boolean };

/** The smallest payment that a shop's terms (its own come before the defaults) and some requisite take. */
function firstPayment(
  defaults: readonly Term[],
  own: readonly Term[],
  requisites: readonly Bounds[],
): { service: string; amount: number } {
  const isOver = ({ service, currency }: Term) =>
    own.some((one) => one.service === service && one.currency === currency);
  const terms = [...own, ...defaults.filter((one) => !isOver(one))];
  const smallest = requisites
    .filter(({ currency }) => currency === CURRENCY)
    .map(({ min_sum }) => min_sum);
  const least = smallest.length === 0 ? 0 : Math.min(...smallest);
  const [first] = terms
    .filter(({ enabled, currency }) => enabled && currency === CURRENCY)
    .map(({ service, min_sum, max_sum }) => ({
      service,
      amount: Math.max(min_sum, least),
      max_sum,
    }))
    .filter(({ amount, max_sum }) => amount <= max_sum)
    .toSorted((one, other) => one.amount - other.amount);
  return first ?? { service: "p2p_card", amount: 1 };
}

/** All of them, in the order that they are best done in. */
async function setupSteps(sight: DeskSight): Promise<readonly Step[]> {
  const { app, person, look, say } = sight;
  const [ways, people, tariffs, requisites, sources, imports, transfers] = await Promise.all([
    countWaysIn(app, person),
    sight.ask(readPeople, { limit: 200 }),
    sight.ask(readTariffs, {}),
    sight.ask(readRequisites, { enabled: true, limit: 200 }),
    sight.ask(readSources, { limit: 200 }),
    sight.ask(readImports, { limit: 1 }),
    sight.ask(readTransfers, { limit: 1 }),
  ]);
  const [users, shops, keys, paid, told, { books }] = await Promise.all([
    sight.ask(readUsers, { limit: 1 }),
    sight.ask(readShops, { limit: 1 }),
    sight.ask(readKeys, { limit: 1 }),
    sight.ask(readInvoices, { state: "paid", limit: 1 }),
    sight.ask(readEvents, { state: "delivered", limit: 1 }),
    sight.ask(showHealth, {}),
  ]);
  const operators = people.items.filter(
    (one) => one.desk_role === "operator" && one.disabled_at === null,
  );
  // Who looks at this has come, in a sandbox without any way in.
  const haveCome = await Promise.all(
    operators.map((one) => one.person_id === person.id || hasWayIn(app, one.person_id)),
  );
  const hands = haveCome.filter(Boolean).length;
  const open = tariffs.items.filter(({ enabled }) => enabled);
  const costs = new Set(open.map(({ service }) => service));
  const cards = requisites.items;
  const total = (of: (one: (typeof cards)[number]) => number): number =>
    cards.reduce((sum, one) => sum + of(one), 0);
  const perDay = total((one) => one.max_day_payments);
  const phones = sources.items.filter(({ revoked_at: revoked }) => revoked === null);
  const heard = transfers.items[0]?.received_at ?? null;
  const hasMerchant = users.items.length > 0 && shops.items.length > 0 && keys.items.length > 0;
  const checkedAt = books.checked_at === null ? 0 : new Date(books.checked_at).getTime();
  const shopId = shops.items[0]?.shop_id;
  const own = shopId === undefined ? [] : (await sight.ask(readTariffs, { shop_id: shopId })).items;
  const first = firstPayment(tariffs.items, own, cards);
  return [
    {
      isDone: ways >= 2,
      what: { en: "A second way in", ru: "Второй способ входа" },
      why: {
        en: "A lost phone must not lock you out of other people's money.",
        ru: "Потерянный телефон не должен отрезать вас от чужих денег.",
      },
      now: say({ en: `You have ${ways}.`, ru: `Сейчас: ${ways}.` }),
      way: [{ en: "Add one", ru: "Добавить" }, "/security"],
    },
    {
      isDone: hands >= 2,
      what: { en: "A second operator", ru: "Второй оператор" },
      why: {
        en: "Large payouts ask for two people, and somebody must let you in again.",
        ru: "Крупные выводы подтверждают двое, и кто-то должен впустить вас снова.",
      },
      now:
        operators.length > hands
          ? say({
              en: `Invited, and not here yet: ${operators.length - hands}.`,
              ru: `Приглашены и ещё не вошли: ${operators.length - hands}.`,
            })
          : undefined,
      way: [{ en: "Invite somebody", ru: "Пригласить" }, "/desk/people/invite"],
    },
    {
      isDone: app.config.baseUrl.startsWith("https://"),
      what: { en: "The address is https", ru: "Адрес по https" },
      why: {
        en: "Payers see it, and a session cookie is only safe there.",
        ru: "Его видят плательщики, и только там вход безопасен.",
      },
      now: html`<code>${app.config.baseUrl}</code>`,
      way: "KOPECK_BASE_URL=https://pay.example.com",
    },
    {
      isDone: costs.has("p2p_card") && costs.has("p2p_sbp"),
      what: {
        en: "What it costs: a default for cards and for SBP",
        ru: "Сколько стоит: общий тариф для карт и СБП",
      },
      why: {
        en: "A shop without a tariff has no payment method.",
        ru: "У магазина без тарифа нет способов оплаты.",
      },
      way: [{ en: "Set a tariff", ru: "Задать тариф" }, "/desk/tariffs/set"],
    },
    {
      isDone: cards.length >= 2,
      what: {
        en: "Where money arrives: two requisites or more",
        ru: "Куда приходят деньги: два реквизита или больше",
      },
      why: {
        en: "An amount is held on one card at a time; with one card the second payer of it waits or pays kopecks more.",
        ru: "Сумма занимает карту целиком; с одной картой второй плательщик ждёт или платит на копейки больше.",
      },
      now: say({
        en: `With these limits, payments a day: ${numberText(perDay, "en")}; of the same amount at once: ${cards.length}.`,
        ru: `С этими лимитами платежей в день: ${numberText(perDay, "ru")}; одинаковых одновременно: ${cards.length}.`,
      }),
      way: [{ en: "Add a requisite", ru: "Добавить реквизит" }, "/desk/requisites/new"],
    },
    {
      isDone: phones.length > 0 || imports.items.length > 0 || heard !== null,
      what: { en: "How we hear of money", ru: "Как мы узнаём о деньгах" },
      why: {
        en: "By a phone within seconds, by a statement within a day, or by hand.",
        ru: "С телефона за секунды, из выписки за день или вручную.",
      },
      now:
        heard === null
          ? undefined
          : html`${say({ en: "Last heard", ru: "Последний раз" })} ${moment(heard, look)}`,
      way: [{ en: "Add a phone", ru: "Добавить телефон" }, "/desk/sources/new"],
    },
    {
      isDone: hasMerchant,
      what: { en: "A merchant, a shop and its key", ru: "Мерчант, магазин и ключ" },
      why: { en: "Somebody has to sell something.", ru: "Кто-то должен что-то продавать." },
      way:
        users.items.length === 0
          ? [{ en: "New merchant", ru: "Новый мерчант" }, "/desk/merchants/new"]
          : [{ en: "New shop", ru: "Новый магазин" }, "/desk/shops/new"],
    },
    {
      isDone: paid.items.length > 0,
      what: { en: "A small payment, end to end", ru: "Небольшой платёж от начала до конца" },
      why: {
        en: "Make an invoice, pay it from your own phone, and see it matched, told to the shop, frozen and released.",
        ru: "Выставьте счёт, оплатите со своего телефона и увидьте: найден, сообщён магазину, заморожен, зачислен.",
      },
      now:
        paid.items.length > 0 && told.items.length === 0
          ? say({
              en: "Paid; no webhook has been delivered yet.",
              ru: "Оплачен; вебхук ещё не доставлен.",
            })
          : undefined,
      way: `curl -s ${app.config.baseUrl}/invoice/create -H 'x-api-key: …' -H 'content-type: application/json' -d '{"shop_id":"${shopId ?? "…"}","order_id":"first","amount":${first.amount},"type":"link","include_service":["${first.service}"],"success_url":"https://example.com/"}'`,
    },
    {
      isDone: look.now.getTime() - checkedAt < DAY_MS,
      what: { en: "The books were checked today", ru: "Учёт проверен сегодня" },
      why: {
        en: "Whatever went wrong is found before somebody asks.",
        ru: "Ошибка найдётся раньше, чем о ней спросят.",
      },
      way: [{ en: "Check the books", ru: "Проверить учёт" }, "/desk/books/checks"],
    },
  ];
}

function stepCard({ isDone, what, why, now, way }: Step, { say }: DeskSight): Html {
  const state = isDone
    ? html`<span class="chip good">${say({ en: "Done", ru: "Готово" })}</span>`
    : html`<span class="chip wait">${say({ en: "To do", ru: "Сделать" })}</span>`;
  const act =
    typeof way === "string"
      ? copyable(way, say(what))
      : link(say(way[0]), way[1], isDone ? "plain" : "main");
  const body = html`<p class="muted">${say(why)}</p>${now && html`<p>${now}</p>`}${!isDone && html`<p></p>${act}`}`;
  return card(say(what), body, state);
}

export const setupPages = [
  desk.page({
    path: "/desk/setup",
    async show(sight) {
      const { say } = sight;
      const steps = await setupSteps(sight);
      const done = steps.filter(({ isDone }) => isDone).length;
      const words = say({
        en: `${done} of ${steps.length} done`,
        ru: `Готово ${done} из ${steps.length}`,
      });
      const key = notice(
        "plain",
        say({
          en: "One thing no program can see: keep the secret key outside this machine. Without it the numbers of cards cannot be read from a backup.",
          ru: "Одного программа не видит: храните секретный ключ вне этой машины. Без него номера карт из копии не прочесть.",
        }),
      );
      const sorted = steps.toSorted((left, right) => Number(left.isDone) - Number(right.isDone));
      const body = html`<p class="lead">${words}</p>${sorted.map((step) => stepCard(step, sight))}${key}`;
      return { title: say({ en: "Set-up", ru: "Настройка" }), body };
    },
  }),
];
