// /my/refunds: what went back to payers. One is made on the page of its invoice.

import { listPages } from "../people/list-page.ts";
import { readOwnRefunds } from "../refunds/own-refunds.endpoint.ts";
import { shopChoices, shopColumn } from "./names.ts";
import { cabinet } from "./site.ts";

export const refundPages = listPages(cabinet, {
  path: "/my/refunds",
  title: { en: "Refunds", ru: "Возвраты" },
  door: readOwnRefunds,
  columns: async (sight) => [
    ...["created_at", "amount", "reason"],
    await shopColumn(sight),
    ...["author", "invoice_id"],
  ],
  filters: ["shop_id", "from", "to"],
  choices: async (sight) => ({ shop_id: await shopChoices(sight) }),
  open: ({ invoice_id: id }, root) => (id === null ? undefined : `${root}/invoices/${id}`),
  nothing: {
    en: "No refunds. Money of a paid invoice goes back from that invoice's page",
    ru: "Возвратов нет. Деньги оплаченного счёта возвращают на его странице",
  },
  command: "kopeck my refund list",
});
