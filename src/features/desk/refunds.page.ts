// /desk/refunds: money of paid invoices that went back; and the form that gives it back, which stands on the
// invoice's page where something can be refunded.

import { type Html, html } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { readInvoice } from "../overview/manage-invoices.endpoint.ts";
import { formPages } from "../people/form-page.ts";
import { listPages } from "../people/list-page.ts";
import { named, nameOf } from "../people/naming.ts";
import { createRefund, readRefunds } from "../refunds/manage-refunds.endpoint.ts";
import { moneyText } from "../screens/pieces.ts";
import { type DeskSight, desk } from "./site.ts";

const list = listPages(desk, {
  path: "/desk/refunds",
  title: { en: "Refunds", ru: "Возвраты" },
  door: readRefunds,
  columns: () => [
    "created_at",
    "amount",
    named("shop_id"),
    "invoice_id",
    "reason",
    "author",
    "reference",
  ],
  filters: [named("shop_id"), "from", "to"],
  open: ({ invoice_id: id }, root) => `${root}/invoices/${id}`,
  nothing: {
    en: "Nothing was refunded. Money is given back on the page of a paid invoice",
    ru: "Возвратов нет. Деньги возвращают на странице оплаченного счёта",
  },
  command: "kopeck refund list",
});

async function paidOf(sight: DeskSight): Promise<Html> {
  const { order_id, amount, currency, shop_id } = (await sight.askHere(readInvoice)).invoice;
  const shop = await nameOf(sight, "shop_id", shop_id);
  const sum = moneyText(amount, sight.look.language, currency);
  return html`<p class="lead">${shop}, <bdi>${order_id}</bdi>: ${sum}</p>`;
}

export const refundForm = {
  path: "/desk/invoices/:invoice_id/refund",
  title: { en: "Refund", ru: "Возврат" },
  submit: { en: "Refund", ru: "Вернуть" },
  door: createRefund,
  above: paidOf,
  danger: true,
  note: {
    en: "It leaves the merchant's available balance, and the shop is told why. This cannot be undone; the payer's bank is told by hand.",
    ru: "Уйдёт с доступного баланса мерчанта, магазин узнает причину. Отменить нельзя; сам перевод плательщику делают вручную.",
  },
  command: "kopeck refund create",
};

export const refundPages: readonly WebPage[] = [...list, ...formPages(desk, refundForm)];
