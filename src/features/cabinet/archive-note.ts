// What registers say of archived months, that they hold nothing of them, and what of the balance is there; and of what
// retention removes.

import { type Html, html } from "../../platform/html.ts";
import { readOwnBalance } from "../ledger/own-balance.endpoint.ts";
import { readOwnMember } from "../merchants/own-shops.endpoint.ts";
import { archivedSums, archiveWords, unusedWords } from "../screens/archive-words.ts";
import type { MySight } from "./site.ts";

/** Above lists of invoices and of webhooks, to which figures lead. */
export async function listNote(sight: MySight): Promise<Html> {
  const { unusedInvoices } = sight.app.config.retainDays;
  return html`${await archiveNote(sight)}${unusedWords(unusedInvoices, sight.look)}`;
}

async function archiveNote({ ask, say, look }: MySight): Promise<Html | false> {
  const { archived_before: end } = await ask(readOwnMember, {});
  if (end === null) return false;
  const whose = say({
    en: "Whoever runs the gateway has them.",
    ru: "Они есть у оператора шлюза.",
  });
  return archiveWords(end, look, whose);
}

/** Above a statement, which is to add up where it is of no period. */
export async function statementNote(sight: MySight): Promise<Html> {
  const { from = "", to = "" } = sight.visit.query;
  const note = await archiveNote(sight);
  if (note === false || `${from}${to}` !== "") return html`${note}`;
  const { archived } = await sight.ask(readOwnBalance, {});
  return html`${note}${archivedSums(archived, sight.look)}`;
}
