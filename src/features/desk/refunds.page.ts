// /desk/refunds: money of paid invoices that went back; and the form that gives it back, which stands on the
// invoice's page where something can be refunded.

import type { WebPage } from "../../platform/web-page.ts";
import { formPages } from "../people/form-page.ts";
import { listPages } from "../people/list-page.ts";
import { createRefund, readRefunds } from "../refunds/manage-refunds.endpoint.ts";
import { choicesOf } from "../screens/form.ts";
import { shopColumn, shopNames } from "./names.ts";
import { desk } from "./site.ts";

const list = listPages(desk, {
  path: "/desk/refunds",
  title: { en: "Refunds", ru: "Возвраты" },
  door: readRefunds,
  columns: async (sight, items) => [
    ...["created_at", "amount"],
    await shopColumn(sight, items),
    ...["invoice_id", "reason", "author", "reference"],
  ],
  filters: ["shop_id", "from", "to"],
  choices: async (sight) => ({ shop_id: choicesOf(await shopNames(sight)) }),
  open: ({ invoice_id: id }, root) => (id === null ? undefined : `${root}/invoices/${id}`),
  nothing: {
    en: "Nothing was refunded. Money is given back on the page of a paid invoice",
    ru: "Возвратов нет. Деньги возвращают на странице оплаченного счёта",
  },
  command: "kopeck refund list",
});

export const refundForm = {
  path: "/desk/invoices/:invoice_id/refund",
  title: { en: "Refund", ru: "Возврат" },
  submit: { en: "Refund", ru: "Вернуть" },
  door: createRefund,
  danger: true,
  note: {
    en: "It leaves the merchant's available balance, and the shop is told why. This cannot be undone; the payer's bank is told by hand.",
    ru: "Уйдёт с доступного баланса мерчанта, магазин узнает причину. Отменить нельзя; сам перевод плательщику делают вручную.",
  },
  command: "kopeck refund create",
};

export const refundPages: readonly WebPage[] = [...list, ...formPages(desk, refundForm)];
