// /desk/requisites: where money arrives: how much of each limit is used, which amounts are held, on and off.
// Guards that a whole number is shown only to who has just proven who they are, and that the log says so.

import { momentFormat } from "../../domain/moment.ts";
import { fromTexts } from "../../platform/ask.ts";
import type { Answer } from "../../platform/endpoint.ts";
import { type Html, html } from "../../platform/html.ts";
import { showSlots } from "../payments/show-slots.endpoint.ts";
import { fieldOf, named, stateColumn, withNames } from "../people/cells.ts";
import { formPages } from "../people/form-page.ts";
import { addressOf, listPages } from "../people/list-page.ts";
import {
  addRequisite,
  changeRequisite,
  readRequisite,
  readRequisites,
  revealRequisite,
} from "../requisites/manage-requisites.endpoint.ts";
import { signOf } from "../screens/locale.ts";
import {
  card,
  chip,
  facts,
  form,
  link,
  meter,
  moment,
  money,
  moneyText,
  notice,
  shortId,
} from "../screens/pieces.ts";
import { labelOf, wordOf } from "../screens/words.ts";
import { about, doorTable, foldedAct, shownOnce, wayTo } from "./door-parts.ts";
import { type DeskSight, desk } from "./site.ts";

type Slot = Answer<typeof showSlots>["items"][number];

async function slotMap(sight: DeskSight): Promise<Html> {
  const { say, look, visit } = sight;
  const wish = fromTexts(showSlots, { ...visit.query, ...visit.params });
  const { items, next, asked } = await sight.ask(showSlots, wish);
  const [path = "", query = ""] = visit.url.split("?");
  const question = form({
    action: path,
    method: "get",
    look,
    submit: say({ en: "Ask", ru: "Спросить" }),
    fields: [
      fieldOf(showSlots, "amount", look, {
        label: say({ en: "When is this amount free?", ru: "Когда свободна сумма?" }),
        value: visit.query["amount"] ?? "",
      }),
    ],
  });
  const answer =
    asked.amount !== null &&
    (asked.free_at === null
      ? notice(
          "good",
          html`${money(asked.amount, look)}: ${say({ en: "free now", ru: "свободна" })}`,
        )
      : notice("warn", html`${money(asked.amount, look)}: ${moment(asked.free_at, look)}`));
  const phase = {
    label: labelOf("state", look.language),
    cell: ({ phase }: Slot) => phaseChip(phase, sight),
  };
  const columns = ["amount", phase, "held_until", "invoice_id", named("shop_id")];
  const rows =
    items.length === 0
      ? html`<p class="muted">${say({ en: "No amount is held: every payment of any amount fits.", ru: "Ни одна сумма не занята: подойдёт любой платёж." })}</p>`
      : doorTable(sight, showSlots, say(SLOTS), items, await withNames(sight, columns, items));
  const more =
    next !== null &&
    link(
      say({ en: "Larger amounts", ru: "Суммы больше" }),
      addressOf(path, query, { after: String(next) }),
    );
  return card(say(SLOTS), html`${answer}${question}${rows}${more}`);
}

const SLOTS = { en: "Amounts that are held", ru: "Занятые суммы" };

function phaseChip(phase: "live" | "quarantine", { look, say }: DeskSight): Html {
  if (phase === "live") return chip("live", look);
  return html`<span class="chip wait">${say({ en: "Quarantine", ru: "Карантин" })}</span>`;
}

type Requisite = Answer<typeof readRequisite>;

const LIMITS = ["min_sum", "max_sum", "max_live_payments", "max_day_payments", "max_day_sum"];

const pathOf = (id: string): string => `/desk/requisites/${id}`;

function stateOf({ enabled, resting_since: resting }: Requisite): string {
  return enabled ? (resting === null ? "on" : "resting") : "off";
}

type Used<Shown> = Readonly<Record<"live" | "day" | "sum", Shown>>;

/** What was counted on another day is none of today's. */
function usedOf(row: Requisite, { look }: DeskSight): Used<number> {
  const isToday = row.day === momentFormat(look.zone).day(look.now);
  const [day, sum] = isToday ? [row.day_payments, row.day_sum] : [0, 0];
  return { live: row.live_payments, day, sum };
}

/** A limit that nobody reaches is not worth a meter. */
function meters(row: Requisite, sight: DeskSight): Used<Html> {
  const { look } = sight;
  const { live, day, sum } = usedOf(row, sight);
  const plain = (amount: number): string => moneyText(amount, look.language).replace(/[.,]00$/, "");
  const used = (value: number, limit: number, unit = ""): Html => {
    const isFar = limit >= FAR;
    const words = isFar ? plain(value) : `${plain(value)} / ${plain(limit)}`;
    return meter(value, isFar ? null : limit, `${words}${unit}`.replaceAll(" ", "\u00a0"));
  };
  return {
    live: used(live, row.max_live_payments),
    day: used(day, row.max_day_payments),
    sum: used(sum, row.max_day_sum, ` ${signOf(row.currency)}`),
  };
}

const FAR = 1_000_000_000;

const lists = listPages(desk, {
  path: "/desk/requisites",
  title: { en: "Requisites", ru: "Реквизиты" },
  door: readRequisites,
  columns: (sight) => [
    {
      label: labelOf("receiver_name", sight.look.language),
      cell: ({ receiver_name: name, bank }) =>
        html`<bdi>${name}</bdi> <small>${wordOf(bank, sight.look.language)}</small>`,
      text: ({ receiver_name: name, bank }) => `${name}, ${bank}`,
    },
    {
      label: labelOf("wallet", sight.look.language),
      cell: ({ card: number, phone }) =>
        html`${number}${number !== null && phone !== null && html`<br>`}${phone}`,
      text: ({ card: number, phone }) => [number, phone].filter(Boolean).join(" "),
    },
    stateColumn(sight.look, stateOf),
    ...(["live", "day", "sum"] as const).map((name, at) => ({
      label: labelOf(["live_payments", "day_payments", "day_sum"][at] ?? "", sight.look.language),
      cell: (row: Requisite) => meters(row, sight)[name],
      text: (row: Requisite) => usedOf(row, sight)[name],
    })),
    "last_used_at",
  ],
  filters: ["bank", "enabled", "wallet"],
  open: ({ requisite_id: id }) => pathOf(id),
  above: (sight) =>
    html`${wayTo(sight, addRequisite, ADD, "/desk/requisites/new")}<p>${link(sight.say(SOURCES), "/desk/sources")}</p>`,
  nothing: {
    en: "No card or phone yet: add one, and payers are shown where to pay",
    ru: "Пока ни карты, ни телефона: добавьте, и плательщики увидят, куда платить",
  },
  command: "kopeck requisite list",
});

const ADD = { en: "Add a requisite", ru: "Добавить реквизит" };
const SOURCES = { en: "Phones that tell of money", ru: "Телефоны, которые сообщают о деньгах" };

const adding = formPages(desk, {
  path: "/desk/requisites/new",
  title: ADD,
  submit: { en: "Add", ru: "Добавить" },
  door: addRequisite,
  fields: ({ say }) => [
    "bank",
    "receiver_name",
    { name: "card", hint: say({ en: "A card, a phone, or both.", ru: "Карта, телефон или оба." }) },
    { name: "phone", hint: "+79990000001" },
    { name: "account", hint: say({ en: "As statements write it.", ru: "Как в выписках." }) },
    ...LIMITS,
  ],
  note: {
    en: "It is given out to payers at once. Limits that are left empty: 1 to 150,000 a payment, 30 at once, 300 and 1,000,000 a day.",
    ru: "Плательщики увидят его сразу. Пустые лимиты: платёж от 1 до 150 000, 30 одновременно, 300 и 1 000 000 в день.",
  },
  then: ({ requisite_id: id }) => pathOf(id),
  command: 'kopeck requisite add --bank sber --receiver-name "Иван И." --card -',
});

const ANOTHER = {
  en: "Another one of the same account at the bank. Left empty, it stays.",
  ru: "Другой номер того же счёта в банке. Пустое поле — без изменений.",
};

const CHANGE = {
  path: "/desk/requisites/:requisite_id/change",
  title: { en: "Limits, numbers and receiver", ru: "Лимиты, номера и получатель" },
  submit: { en: "Save", ru: "Сохранить" },
  door: changeRequisite,
  fields: ({ say }: DeskSight) => [
    "receiver_name",
    ...["card", "phone"].map((name) => ({ name, hint: say(ANOTHER) })),
    "account",
    ...LIMITS,
  ],
  async values(sight: DeskSight) {
    const {
      card: _card,
      phone: _phone,
      account: _account,
      ...now
    } = await sight.askHere(readRequisite);
    return now;
  },
  command: "kopeck requisite update",
};

const SWITCH = { ...CHANGE, fields: () => [], values: async () => ({}) };

const SWITCHES = {
  on: {
    ...SWITCH,
    path: "/desk/requisites/:requisite_id/on",
    title: { en: "Give it out again", ru: "Выдавать снова" },
    submit: { en: "Switch on", ru: "Включить" },
    also: () => ({ enabled: true }),
    command: "kopeck requisite enable",
  },
  off: {
    ...SWITCH,
    path: "/desk/requisites/:requisite_id/off",
    title: { en: "Give it out no more", ru: "Больше не выдавать" },
    submit: { en: "Switch off", ru: "Выключить" },
    note: {
      en: "Money for details that were issued still finds its payment.",
      ru: "Деньги по уже выданным реквизитам найдут свой платёж.",
    },
    danger: true,
    also: () => ({ enabled: false }),
    command: "kopeck requisite disable",
  },
};

const REVEAL = {
  path: "/desk/requisites/:requisite_id/reveal",
  title: { en: "Whole numbers", ru: "Номера целиком" },
  submit: { en: "Show whole numbers", ru: "Показать номера целиком" },
  door: revealRequisite,
  above: about("requisite_id"),
  note: { en: "The log keeps that you looked.", ru: "В журнале останется, что вы смотрели." },
  shows: (numbers: Answer<typeof revealRequisite>, sight: DeskSight) =>
    shownOnce(
      sight,
      Object.fromEntries(
        Object.entries(numbers).flatMap(([name, one]) => (one === null ? [] : [[name, one]])),
      ),
    ),
  command: "kopeck requisite reveal",
};

const detail = desk.page({
  path: "/desk/requisites/:requisite_id",
  async show(sight) {
    const { look, say } = sight;
    const row = await sight.askHere(readRequisite);
    const { live, day, sum } = meters(row, sight);
    const label = (name: string): string => labelOf(name, look.language);
    const has = (name: "card" | "phone" | "account") =>
      row[name] === null ? [] : [[label(name), html`<code>${row[name]}</code>`] as const];
    const standing = facts([
      [label("state"), chip(stateOf(row), look)],
      [label("bank"), wordOf(row.bank, look.language)],
      ...has("card"),
      ...has("phone"),
      ...has("account"),
      [label("live_payments"), live],
      [label("day_payments"), day],
      [label("day_sum"), sum],
      [
        say(ONE_PAYMENT),
        html`${money(row.min_sum, look)} – ${money(row.max_sum, look, row.currency)}`,
      ],
      [label("last_used_at"), moment(row.last_used_at, look)],
      [label("created_at"), moment(row.created_at, look)],
      [label("requisite_id"), shortId(row.requisite_id)],
    ]);
    const ways = html`${link(say(ARRIVED), `/desk/transfers?requisite_id=${row.requisite_id}`)} ${link(say(BOOK), `/desk/books/bank.${row.currency}.${row.requisite_id}`)}`;
    const rests =
      row.resting_since !== null &&
      notice(
        "warn",
        html`${say(RESTS)} ${moment(row.resting_since, look)}. ${link(say(SOURCES), "/desk/sources")}`,
      );
    const acts = html`${await foldedAct(sight, CHANGE)}${await foldedAct(sight, REVEAL)}${await foldedAct(sight, row.enabled ? SWITCHES.off : SWITCHES.on)}`;
    const body = html`${rests}${card(undefined, standing, ways)}${await slotMap(sight)}${sight.may(changeRequisite) && card(undefined, acts)}`;
    return {
      title: `${wordOf(row.bank, look.language)} · ${row.receiver_name}`,
      body,
      command: `kopeck requisite show ${row.requisite_id}`,
    };
  },
});

const ONE_PAYMENT = { en: "One payment", ru: "Один платёж" };
const ARRIVED = { en: "Money that arrived", ru: "Поступления" };
const BOOK = { en: "Its account in the books", ru: "Счёт в учёте" };
const RESTS = {
  en: "It is not given out: the phones that tell of it are silent since",
  ru: "Не выдаётся: телефоны, которые о нём сообщают, молчат с",
};

export const requisitePages = [
  ...lists,
  ...adding,
  detail,
  ...formPages(desk, CHANGE),
  ...formPages(desk, SWITCHES.on),
  ...formPages(desk, SWITCHES.off),
  ...formPages(desk, REVEAL),
];
