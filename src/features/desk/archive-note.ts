// What the desk's lists say of archived months: that they hold nothing of them, though figures go on counting it.

import type { Html } from "../../platform/html.ts";
import { readBooks } from "../ledger/manage-books.endpoint.ts";
import { archiveWords } from "../screens/archive-words.ts";
import type { DeskSight } from "./site.ts";

export async function archiveNote({ ask, look }: DeskSight): Promise<Html | false> {
  const { archived_before: end } = await ask(readBooks, {});
  return end !== null && archiveWords(end, look);
}
