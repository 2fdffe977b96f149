// What is said above lists and files that hold nothing of archived months, or of what retention removes. Guards that
// nobody takes one for whole that is not, nor adds its rows up to less than there is without a word why.

import { type Html, html } from "../../platform/html.ts";
import type { Look } from "./look.ts";
import { momentText, moneyText } from "./pieces.ts";

interface Archived {
  readonly currency: string;
  readonly available: number;
  readonly frozen: number;
  readonly reserved: number;
}

const WORDS = {
  en: {
    before: (moment: string) =>
      `Invoices, webhooks and postings of before ${moment} are in the archive, and later postings of the same money, such as the end of its freeze: lists and files do not hold them.`,
    sum: ({ available, frozen, reserved }: Record<keyof Archived, string>) =>
      `What is in the archive comes to ${available} available, ${frozen} frozen and ${reserved} reserved; together with all rows here that is the balance.`,
    unused: (days: number) =>
      `Invoices that ended and never had details are removed after ${days === 1 ? "a day" : `${days} days`}, with their webhooks; figures go on counting them.`,
  },
  ru: {
    before: (moment: string) =>
      `Счета, вебхуки и движения до ${moment} — в архиве, вместе с более поздними движениями тех же денег, например концом заморозки: в списках и файлах их нет.`,
    sum: ({ available, frozen, reserved }: Record<keyof Archived, string>) =>
      `Движения в архиве дают ${available} доступно, ${frozen} заморожено и ${reserved} в резерве; вместе со всеми строками здесь это и есть баланс.`,
    unused: (days: number) =>
      `Счета, которые закончились и реквизитов не получили, удаляются через ${days} дн. вместе с вебхуками; показатели их по-прежнему считают.`,
  },
};

/** Lists of invoices, of what was told of them, and of postings; the latter go with what they happened to. */
export function archiveWords(end: string, look: Look, more = ""): Html {
  return html`<p class="note">${WORDS[look.language].before(momentText(end, look))} ${more}</p>`;
}

/** What the rows that left were worth, so that the others can be added up. */
export function archivedSums(archived: readonly Archived[], { language }: Look): readonly Html[] {
  return archived.map((one) => {
    const textOf = (part: "available" | "frozen" | "reserved"): string =>
      moneyText(one[part], language, one.currency);
    const sums = {
      ...{ currency: one.currency, available: textOf("available") },
      ...{ frozen: textOf("frozen"), reserved: textOf("reserved") },
    };
    return html`<p class="note">${WORDS[language].sum(sums)}</p>`;
  });
}

/** Lists of invoices and of webhooks, where a setting lets some of them go. */
export function unusedWords(days: number | undefined, { language }: Look): Html | false {
  return days !== undefined && html`<p class="note">${WORDS[language].unused(days)}</p>`;
}
