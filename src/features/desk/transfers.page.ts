// /desk/transfers: money that arrived.

import { listPages } from "../people/list-page.ts";
import { readTransfers } from "../transfers/manage-transfers.endpoint.ts";
import { desk } from "./site.ts";

export const transferPages = listPages(desk, {
  path: "/desk/transfers",
  title: { en: "Transfers", ru: "Переводы" },
  door: readTransfers,
  columns: () => ["received_at", "amount", "state", "wallet", "payer", "transfer_id"],
  filters: ["state", "from", "to", "requisite_id"],
  open: ({ transfer_id: id }, root) => `${root}/transfers/${id}`,
  nothing: { en: "No money has arrived yet", ru: "Денег пока не приходило" },
  command: "kopeck transfer list",
});
