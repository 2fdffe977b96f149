// The note above lists of invoices and of webhooks: retention removes rows that statistics still count.

import type { Config } from "../../platform/config.ts";
import { type Html, html } from "../../platform/html.ts";
import type { Look } from "./locale.ts";

interface Sight {
  readonly app: { readonly config: Pick<Config, "retainDays"> };
  readonly look: Look;
}

const WORDS = {
  en: (days: number) =>
    `Invoices that ended and never had details are removed after ${days === 1 ? "a day" : `${days} days`}, with their webhooks; statistics go on counting them.`,
  ru: (days: number) =>
    `Счета, которые закончились и реквизитов не получили, удаляются через ${days} дн. вместе с вебхуками; показатели их по-прежнему считают.`,
};

export function retentionNote({ app, look }: Sight): Html | false {
  const days = app.config.retainDays.unusedInvoices;
  return days !== undefined && html`<p class="note">${WORDS[look.language](days)}</p>`;
}
