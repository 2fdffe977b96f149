// What the desk's lists say of archived months and of what retention removes: that they hold nothing of it, though
// figures go on counting it.

import { type Html, html } from "../../platform/html.ts";
import { readBooks } from "../ledger/manage-books.endpoint.ts";
import { archiveWords, unusedWords } from "../screens/archive-words.ts";
import type { DeskSight } from "./site.ts";

export async function archiveNote({ ask, look }: DeskSight): Promise<Html | false> {
  const { archived_before: end } = await ask(readBooks, {});
  return end !== null && archiveWords(end, look);
}

/** Above lists of invoices and of webhooks, to which figures lead. */
export async function listNote(sight: DeskSight): Promise<Html> {
  const { unusedInvoices } = sight.app.config.retainDays;
  return html`${await archiveNote(sight)}${unusedWords(unusedInvoices, sight.look)}`;
}
