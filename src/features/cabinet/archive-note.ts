// What registers say of archived months: that they hold nothing of them. Guards that nobody takes a register for
// whole that is not.

import { type Html, html } from "../../platform/html.ts";
import { readOwnMember } from "../merchants/own-shops.endpoint.ts";
import { momentText } from "../screens/pieces.ts";
import type { MySight } from "./site.ts";

/** Above lists of invoices and of postings; the latter go with what they happened to, whenever that was. */
export async function archiveNote({ ask, say, look }: MySight): Promise<Html | false> {
  const { archived_before: end } = await ask(readOwnMember, {});
  if (end === null) return false;
  const moment = momentText(end, look);
  const words = say({
    en: `Invoices and postings of before ${moment} are in the archive, and later postings of the same money, such as the end of its freeze: lists and files do not hold them. Whoever runs the gateway has them.`,
    ru: `Счета и движения до ${moment} — в архиве, вместе с более поздними движениями тех же денег, например концом заморозки: в списках и файлах их нет. Они есть у того, кто держит шлюз.`,
  });
  return html`<p class="note">${words}</p>`;
}
