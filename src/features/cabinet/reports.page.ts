// /my/reports: registers of a month as files, ready for the accountant's table.

import { momentFormat } from "../../domain/moment.ts";
import { html } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { readOwnBalance } from "../ledger/get-balance.endpoint.ts";
import { card, link, table } from "../screens/pieces.ts";
import { retentionNote } from "../screens/retention-note.ts";
import { cabinet, type MySight } from "./site.ts";

const FILES = [
  ["/my/invoices.csv", { en: "Invoices", ru: "Счета" }],
  ["/my/refunds.csv", { en: "Refunds", ru: "Возвраты" }],
  ["/my/payouts.csv", { en: "Payouts", ru: "Выводы" }],
  ["/my/balance/entries.csv", { en: "Statement", ru: "Движение средств" }],
] as const;

const MONTHS = 12;

/** The present month and those before it, as days of the service's own time zone. */
function monthsOf({ look }: MySight): readonly { name: string; from: string; to: string }[] {
  const [year = 0, month = 0] = momentFormat(look.zone).text(look.now).split("-").map(Number);
  const named = new Intl.DateTimeFormat(look.language, {
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  return Array.from({ length: MONTHS }, (_, back) => {
    const [from, to] = [
      new Date(Date.UTC(year, month - 1 - back)),
      // The day before the next month's first.
      new Date(Date.UTC(year, month - back, 0)),
    ];
    return { name: named.format(from), from: dayOf(from), to: dayOf(to) };
  });
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

export const reportPages: readonly WebPage[] = [
  cabinet.page({
    path: "/my/reports",
    async show(sight) {
      const { say, ask, formOf } = sight;
      // Who may not see what is in them is not shown them.
      await ask(readOwnBalance, {});
      const title = say({ en: "Reports", ru: "Отчёты" });
      const rows = table({
        caption: title,
        rows: monthsOf(sight),
        columns: [
          { label: say({ en: "Month", ru: "Месяц" }), cell: ({ name }) => name },
          ...FILES.map(([path, words]) => ({
            label: say(words),
            cell: ({ name, from, to }: { name: string; from: string; to: string }) =>
              html`<a href="${path}?from=${from}&to=${to}&of=${formOf}">CSV<span class="unseen">: ${say(words)}, ${name}</span></a>`,
          })),
        ],
      });
      const note = say({
        en: "Files open in a spreadsheet as they are. Another period: set it on the page of the list, both days included, and take that page as CSV.",
        ru: "Файлы открываются в таблице как есть. Другой период: задайте его на странице списка, обе даты включительно, и возьмите её в CSV.",
      });
      const lists = FILES.map(([path, words]) =>
        link(say(words), path.replace(".csv", ""), "plain"),
      );
      return {
        title,
        body: html`<p>${note}</p>${retentionNote(sight)}${card(undefined, rows)}<p class="acts">${lists}</p>`,
      };
    },
  }),
];
