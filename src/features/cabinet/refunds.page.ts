// /my/refunds: what went back to payers; and the form that gives money back, which is reached from the page of a
// paid invoice.

import { Refusal } from "../../domain/refusal.ts";
import type { Answer } from "../../platform/endpoint.ts";
import { html } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { readOwnInvoice } from "../overview/own-invoices.endpoint.ts";
import { formPages } from "../people/form-page.ts";
import { listPages } from "../people/list-page.ts";
import { named } from "../people/naming.ts";
import { createOwnRefund, readOwnRefunds } from "../refunds/own-refunds.endpoint.ts";
import { decimalText } from "../screens/locale.ts";
import { moneyText } from "../screens/pieces.ts";
import { cabinet } from "./site.ts";

const list = listPages(cabinet, {
  path: "/my/refunds",
  title: { en: "Refunds", ru: "Возвраты" },
  door: readOwnRefunds,
  columns: () => ["created_at", "amount", "reason", named("shop_id"), "author", "invoice_id"],
  filters: [named("shop_id"), "from", "to"],
  open: ({ invoice_id: id }, root) => `${root}/invoices/${id}`,
  nothing: {
    en: "No refunds. Money of a paid invoice goes back from that invoice's page",
    ru: "Возвратов нет. Деньги оплаченного счёта возвращают на его странице",
  },
  command: "kopeck my refund list",
});

export type Whole = Answer<typeof readOwnInvoice>;

export const paidOf = ({ payments }: Whole) => payments.find(({ state }) => state === "paid");

/** What of it can still go back. */
export function refundable(whole: Whole): number {
  const paid = paidOf(whole);
  return paid === undefined ? 0 : Math.round(100 * ((paid.credited ?? 0) - paid.refunded)) / 100;
}

const refund = formPages(cabinet, {
  path: "/my/invoices/:invoice_id/refund",
  title: { en: "Refund", ru: "Возврат" },
  submit: { en: "Give the money back", ru: "Вернуть деньги" },
  door: createOwnRefund,
  danger: true,
  // What is offered is no value that somebody could have changed meanwhile: it is sent as it stands there.
  fields: async (sight) => [
    {
      name: "amount",
      value: decimalText(refundable(await sight.askHere(readOwnInvoice)), sight.look.language),
    },
    "reason",
  ],
  async above(sight) {
    const whole = await sight.askHere(readOwnInvoice);
    const left = refundable(whole);
    if (left <= 0) throw new Refusal("refund_too_large", { limit: "0.00" });
    const { say, look } = sight;
    const { order_id, currency } = whole.invoice;
    const most = moneyText(left, look.language, currency);
    return html`<p>${say({ en: "Invoice", ru: "Счёт" })} <bdi>${order_id}</bdi>: ${say({ en: `up to ${most} can go back, from your available balance.`, ru: `можно вернуть до ${most}, из доступного баланса.` })}</p>`;
  },
  note: {
    en: "This cannot be undone. Your server hears of it by a webhook.",
    ru: "Отменить нельзя. Ваш сервер узнает об этом из вебхука.",
  },
  command: "kopeck my refund create",
});

export const refundPages: readonly WebPage[] = [...list, ...refund];
