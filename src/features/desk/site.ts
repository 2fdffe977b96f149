// The desk: the pages of whoever runs the gateway. Each asks the doors of management, as an operator.

import type { Operator } from "../operators/operator.ts";
import { operatorOf } from "../people/person.ts";
import { openSite, type Place, type Sight } from "../people/site.ts";
import { naming } from "./names.ts";

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
