// The desk: the pages of whoever runs the gateway. Each asks the doors of management, as an operator.

import type { Asked } from "../../platform/endpoint.ts";
import { readShops } from "../merchants/manage-shops.endpoint.ts";
import { readUsers } from "../merchants/manage-users.endpoint.ts";
import { readOperators } from "../operators/manage-operators.endpoint.ts";
import type { Operator } from "../operators/operator.ts";
import { readSbpBanks } from "../payouts/manage-sbp-banks.endpoint.ts";
import type { Ids, Names } from "../people/cells.ts";
import { operatorOf } from "../people/person.ts";
import { openSite, type Place, type Sight } from "../people/site.ts";
import { readRequisites } from "../requisites/manage-requisites.endpoint.ts";
import { wordOf } from "../screens/words.ts";

/** As many as a door gives at once. */
const MOST = 200;

interface Numbers {
  readonly bank: string;
  readonly receiver_name: string;
  readonly card: string | null;
  readonly phone: string | null;
  readonly account: string | null;
}

/** Сбербанк …1234, Иван И. */
function requisiteName(one: Numbers, { look }: DeskSight): string {
  const number = one.card ?? one.phone ?? one.account ?? "";
  return `${wordOf(one.bank, look.language)} …${number.slice(-4)}, ${one.receiver_name}`;
}

/** The newest, as many as a door gives at once; or those of these ids alone. */
async function namesBy<Item>(
  sight: DeskSight,
  door: Asked<{ limit?: number; ids?: string }, { readonly items: readonly Item[] }>,
  ids: Ids | undefined,
  entry: (item: Item) => readonly [id: string, name: string],
): Promise<Names> {
  const asked = [...new Set(ids)].filter((id) => id !== null).slice(0, MOST);
  if (ids !== undefined && asked.length === 0) return new Map();
  const only = ids === undefined ? {} : { ids: asked.join() };
  const { items } = await sight.ask(door, { limit: MOST, ...only });
  return new Map(items.map(entry));
}

export function shopNames(sight: DeskSight, ids?: Ids): Promise<Names> {
  return namesBy(sight, readShops, ids, ({ shop_id, name }) => [shop_id, name]);
}

function requisiteNames(sight: DeskSight, ids?: Ids): Promise<Names> {
  return namesBy(sight, readRequisites, ids, (one) => [
    one.requisite_id,
    requisiteName(one, sight),
  ]);
}

export function userNames(sight: DeskSight, ids?: Ids): Promise<Names> {
  return namesBy(sight, readUsers, ids, ({ user_id, name }) => [user_id, name]);
}

export async function bankNames(sight: DeskSight): Promise<Names> {
  const { items } = await sight.ask(readSbpBanks, {});
  return new Map(items.map(({ id, name }) => [id, name]));
}

async function operatorNames(sight: DeskSight): Promise<Names> {
  const { items } = await sight.ask(readOperators, { limit: MOST });
  return new Map(items.map(({ operator_id, name }) => [operator_id, name]));
}

const goTo = (id: string): string => `/desk/go/${id}`;

const naming = {
  shop_id: { names: shopNames, href: goTo },
  requisite_id: { names: requisiteNames, href: goTo },
  user_id: { names: userNames, href: goTo },
  operator_id: { names: operatorNames, href: goTo },
};

export type DeskSight = Sight<Operator>;

export const PLACES: readonly Place[] = [
  { label: { en: "Home", ru: "Главная" }, href: "/desk" },
  { label: { en: "Suspense", ru: "Разбор" }, href: "/desk/suspense" },
  { label: { en: "Transfers", ru: "Переводы" }, href: "/desk/transfers" },
  { label: { en: "Statements", ru: "Выписки" }, href: "/desk/imports" },
  { label: { en: "Invoices", ru: "Счета" }, href: "/desk/invoices" },
  { label: { en: "Refunds", ru: "Возвраты" }, href: "/desk/refunds" },
  { label: { en: "Payouts", ru: "Выводы" }, href: "/desk/payouts" },
  { label: { en: "Requisites", ru: "Реквизиты" }, href: "/desk/requisites" },
  { label: { en: "Merchants", ru: "Мерчанты" }, href: "/desk/merchants" },
  { label: { en: "Tariffs", ru: "Тарифы" }, href: "/desk/tariffs" },
  { label: { en: "Webhooks", ru: "Вебхуки" }, href: "/desk/events" },
  { label: { en: "Statistics", ru: "Статистика" }, href: "/desk/statistics" },
  { label: { en: "Books", ru: "Учёт" }, href: "/desk/books" },
  { label: { en: "Audit", ru: "Журнал" }, href: "/desk/audit" },
  { label: { en: "People", ru: "Люди" }, href: "/desk/people" },
  { label: { en: "Health", ru: "Состояние" }, href: "/desk/health" },
  { label: { en: "Set-up", ru: "Настройка" }, href: "/desk/setup" },
];

export const desk = openSite<Operator>({
  kind: "desk",
  root: "/desk",
  name: { en: "Desk", ru: "Стол оператора" },
  whoOf: (app, { person }) => operatorOf(app, person),
  places: () => PLACES,
  naming,
});
