// /desk/find and /desk/go: an id, an order or a name leads to its screen.

import type { Answer } from "../../platform/endpoint.ts";
import type { Language } from "../../platform/failure.ts";
import { type Html, html } from "../../platform/html.ts";
import { createShop } from "../merchants/manage-shops.endpoint.ts";
import { createUser } from "../merchants/manage-users.endpoint.ts";
import { find } from "../overview/find.endpoint.ts";
import { readPayments } from "../payments/manage-payments.endpoint.ts";
import { invitePerson, readPerson } from "../people/manage-people.endpoint.ts";
import { soughtIn } from "../people/plain-page.ts";
import { type Place, redirect } from "../people/site.ts";
import { addRequisite } from "../requisites/manage-requisites.endpoint.ts";
import { empty, moneyText } from "../screens/pieces.ts";
import { invoiceState, stateWord, wordOf } from "../screens/words.ts";
import { putTariff } from "../tariffs/manage-tariffs.endpoint.ts";
import { bookTransfers } from "../transfers/book-transfers.endpoint.ts";
import { type DeskSight, desk, PLACES } from "./site.ts";

type Found = Answer<typeof find>["items"][number];

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Where what has no screen of its own is seen. */
const SCREENS: Readonly<Record<Exclude<Found["kind"], "payment">, (id: string) => string>> = {
  invoice: (id) => `/desk/invoices/${id}`,
  transfer: (id) => `/desk/transfers/${id}`,
  refund: (id) => `/desk/audit?subject=${id}`,
  payout: (id) => `/desk/payouts/${id}`,
  event: (id) => `/desk/events/${id}`,
  user: (id) => `/desk/merchants/${id}`,
  shop: (id) => `/desk/shops/${id}`,
  requisite: (id) => `/desk/requisites/${id}`,
  key: (id) => `/desk/audit?subject=${id}`,
  operator: (id) => `/desk/audit?operator_id=${id}`,
  import: (id) => `/desk/imports/${id}`,
  line: (id) => `/desk/imports/lines?ids=${id}`,
  source: (id) => `/desk/sources/${id}`,
  message: () => "/desk/messages",
  payout_batch: () => "/desk/payouts/files",
  own_move: (id) => `/desk/audit?subject=${id}`,
  audit: () => "/desk/audit",
};

/** A payment is seen on its invoice, and a person who works at the desk on their own page. */
async function screenOf({ kind, id, title }: Found, sight: DeskSight): Promise<string> {
  if (kind === "operator") {
    const person = await sight.askIfAllowed(readPerson, { person_id: id });
    return person === undefined ? SCREENS.operator(id) : `/desk/people/${id}`;
  }
  if (kind !== "payment") return SCREENS[kind](id);
  const { items } = await sight.ask(readPayments, { order_id: title, limit: 200 });
  const own = items.find(({ payment_id: one }) => one === id);
  return own === undefined
    ? `/desk/invoices?order_id=${encodeURIComponent(title)}`
    : SCREENS.invoice(own.invoice_id);
}

const searched = async (sight: DeskSight, q: string): Promise<readonly Found[]> => {
  const sought = soughtIn(q);
  return sought === "" ? [] : (await sight.ask(find, { q: sought })).items;
};

const ACTS = [
  [createUser, { label: { en: "New merchant", ru: "Новый мерчант" }, href: "/desk/merchants/new" }],
  [createShop, { label: { en: "New shop", ru: "Новый магазин" }, href: "/desk/shops/new" }],
  [
    addRequisite,
    { label: { en: "Add a requisite", ru: "Добавить реквизит" }, href: "/desk/requisites/new" },
  ],
  [
    bookTransfers,
    { label: { en: "Add a transfer", ru: "Добавить перевод" }, href: "/desk/transfers/new" },
  ],
  [putTariff, { label: { en: "Set a tariff", ru: "Задать тариф" }, href: "/desk/tariffs/set" }],
  [
    invitePerson,
    { label: { en: "Invite somebody", ru: "Пригласить" }, href: "/desk/people/invite" },
  ],
] as const;

const MORE: readonly Place[] = [
  { label: { en: "Shops", ru: "Магазины" }, href: "/desk/shops" },
  {
    label: { en: "Phones that tell of money", ru: "Телефоны, которые сообщают о деньгах" },
    href: "/desk/sources",
  },
  { label: { en: "Payment methods", ru: "Способы оплаты" }, href: "/desk/methods" },
  {
    label: { en: "Payouts: rails and tariffs", ru: "Выводы: каналы и тарифы" },
    href: "/desk/rails",
  },
  { label: { en: "Operators and tokens", ru: "Операторы и токены" }, href: "/desk/operators" },
  { label: { en: "Checks of the books", ru: "Проверки учёта" }, href: "/desk/books/checks" },
  { label: { en: "Your security", ru: "Ваша безопасность" }, href: "/security" },
];

/** Acts and pages whose names have these letters, in either language. */
function placesNamed(sight: DeskSight, q: string): readonly Place[] {
  const sought = q.trim().toLowerCase();
  const acts = ACTS.flatMap(([door, place]) => (sight.may(door) ? [place] : []));
  return [...acts, ...PLACES, ...MORE].filter(({ label }) =>
    Object.values(label).some((one: string) => one.toLowerCase().includes(sought)),
  );
}

/** A state and a sum of the wire, or a bank, as people read them; what somebody wrote stays. */
function inWords(kind: Found["kind"], detail: string, language: Language): string {
  const [, state = "", amount, currency] = /^(\w+), (\d+\.\d\d) ([A-Z]{3})$/.exec(detail) ?? [];
  if (amount === undefined) return kind === "requisite" ? wordOf(detail, language) : detail;
  const word = stateWord(kind === "invoice" ? invoiceState(state) : state, language);
  return `${word}, ${moneyText(Number(amount), language, currency)}`;
}

async function results(sight: DeskSight, q: string): Promise<Html> {
  const { say, look } = sight;
  const found = await searched(sight, q);
  const things = found.map(
    ({ kind, id, title, detail }) =>
      html`<li><a href="/desk/go/${id}"><span><small>${wordOf(kind, look.language)}</small> <b><bdi>${title}</bdi></b> <small>${inWords(kind, detail, look.language)}</small></span></a></li>`,
  );
  const places = placesNamed(sight, q).map(
    ({ label, href }) => html`<li><a href="${href}">${say(label)}</a></li>`,
  );
  if (things.length + places.length > 0) return html`<ul class="places">${things}${places}</ul>`;
  return empty(say({ en: "Nothing is called so", ru: "Ничего такого нет" }), "");
}

const HINT = {
  en: "An ID, an order, a bank's reference, the last four digits of a card, with an amount or without (0007 1020), or how a name begins.",
  ru: "ID, заказ, номер операции банка, последние четыре цифры карты, можно с суммой (0007 1020), или начало имени.",
};

const search = desk.page({
  path: "/desk/find",
  async show(sight) {
    const { visit, say } = sight;
    const q = visit.query["q"] ?? "";
    const found = await results(sight, q);
    const label = say({ en: "Find", ru: "Найти" });
    const again = html`<form action="/desk/find"><input type="search" name="q" value="${q}" aria-label="${label}" placeholder="${say({ en: "ID, order, last digits…", ru: "ID, заказ, последние цифры…" })}" autocomplete="off"></form>`;
    return {
      title: label,
      body: html`${again}<p class="hint">${say(HINT)}</p><div class="card">${found}</div>`,
      command: "kopeck find order-1",
    };
  },
});

const go = desk.page({
  path: "/desk/go/:anything",
  async show(sight) {
    const sought = sight.visit.params["anything"] ?? "";
    const [first, ...others] = await searched(sight, sought);
    if (first !== undefined && others.length === 0) return redirect(await screenOf(first, sight));
    const person =
      UUID.test(sought) && (await sight.askIfAllowed(readPerson, { person_id: sought }));
    if (person) return redirect(`/desk/people/${person.person_id}`);
    return redirect(`/desk/find?q=${encodeURIComponent(sought)}`);
  },
});

export const findPages = [search, go];
