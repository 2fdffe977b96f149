// /my/balance: what the merchant has, in three parts, and when what is frozen is released; /my/balance/entries: every
// posting that has moved it.

import { momentFormat } from "../../domain/moment.ts";
import { type Html, html } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { readOwnBalance, readOwnEntries, readOwnReleases } from "../ledger/get-balance.endpoint.ts";
import { askOwnPayout } from "../payouts/manage-payouts.endpoint.ts";
import { listPages } from "../people/list-page.ts";
import { sheetsOf } from "../people/parts.ts";
import { barChart, dayAfter } from "../screens/chart.ts";
import {
  card,
  empty,
  figures,
  link,
  momentText,
  money,
  moneyText,
  shortId,
} from "../screens/pieces.ts";
import { labelOf, wordOf } from "../screens/words.ts";
import { cabinet, type MySight } from "./site.ts";

const ASK = { en: "Ask for a payout", ru: "Запросить вывод" };
const ENTRIES = { en: "Statement", ru: "Движение средств" };

/** The three parts, each with the way to what it is the sum of. */
export async function balanceFigures(sight: MySight): Promise<Html | undefined> {
  const { say, look } = sight;
  const balance = await sight.askIfAllowed(readOwnBalance, {});
  if (balance === undefined) return undefined;
  if (balance.items.length === 0) {
    return empty(
      say({ en: "No money yet", ru: "Денег пока нет" }),
      say({
        en: "What payers send stands here: first frozen, then available for payouts and refunds.",
        ru: "Здесь будут деньги плательщиков: сначала заморожены, потом доступны для вывода и возвратов.",
      }),
    );
  }
  const parts = [
    [
      "available",
      "/my/balance/entries",
      { en: "for payouts and refunds", ru: "для вывода и возвратов" },
    ],
    [
      "frozen",
      "/my/balance#frozen",
      { en: "paid, released after the freeze", ru: "оплачено, станет доступно после заморозки" },
    ],
    ["reserved", "/my/payouts", { en: "set aside for payouts", ru: "под выводы" }],
  ] as const;
  // Rows are of the currency that is counted, where there are several.
  const isOneOfSeveral = balance.items.length > 1;
  return html`${balance.items.map((one) =>
    figures(
      parts.map(([part, href, words]) => [
        wordOf(part, look.language),
        html`<a class="figure" href="${isOneOfSeveral && part !== "frozen" ? `${href}?currency=${one.currency}` : href}">${money(one[part], look, one.currency)}</a>`,
        say(words),
      ]),
    ),
  )}`;
}

/** Days that have a bar of their own; what is released after them is one more. */
const DAYS = 30;

/** All that is frozen, by the day on which it can be had. */
async function releaseCharts(sight: MySight): Promise<readonly Html[]> {
  const { say, look } = sight;
  const { items } = await sight.ask(readOwnReleases, {});
  const today = momentFormat(look.zone).day(look.now);
  const currencies = [...new Set(items.map(({ currency }) => currency))];
  return currencies.map((currency) => {
    const own = items.filter((one) => one.currency === currency);
    const last = own.reduce((day, one) => (one.day !== null && one.day > day ? one.day : day), "");
    const bars: { label: string; from: string; to: string }[] = [];
    for (let day = today; day <= last && bars.length < DAYS; day = dayAfter(day)) {
      bars.push({ label: momentText(day, look), from: day, to: day });
    }
    const end = bars.at(-1)?.to ?? today;
    if (last > end) {
      bars.push({ label: say({ en: "later", ru: "позже" }), from: dayAfter(end), to: last });
    }
    const sumOf = (isIn: (day: string | null) => boolean): number =>
      own.reduce((sum, { day, amount }) => (isIn(day) ? sum + Math.round(amount * 100) : sum), 0) /
      100;
    const unproven = sumOf((day) => day === null);
    const wait = say({
      en: "stays frozen until the bank's statement proves it",
      ru: "заморожено, пока не подтвердит выписка банка",
    });
    return html`${barChart({
      title: say({
        en: `What becomes available on each day, ${currency}`,
        ru: `Сколько станет доступно по дням, ${currency}`,
      }),
      bars: bars.map(({ label, from, to }) => ({
        label,
        parts: [sumOf((day) => day !== null && day >= from && day <= to)],
      })),
      series: [say({ en: "Becomes available", ru: "Станет доступно" })],
      format: (value) => moneyText(value, look.language),
      look,
    })}${unproven > 0 && html`<p>${money(unproven, look, currency)} ${wait}.</p>`}`;
  });
}

async function releases(sight: MySight): Promise<Html> {
  const { say } = sight;
  const title = say({
    en: "When frozen money is released",
    ru: "Когда деньги разморозятся",
  });
  const rule = html`<p>${say({ en: "What is paid stays frozen for as long as its payment method says, and then becomes available by itself.", ru: "Оплата заморожена на срок, заданный для её способа, и потом сама становится доступной." })}</p>`;
  const none = html`<p class="muted">${say({ en: "Nothing is frozen.", ru: "Ничего не заморожено." })}</p>`;
  const charts = await releaseCharts(sight);
  return html`<div id="frozen">${card(title, html`${rule}${charts.length === 0 ? none : charts}`)}</div>`;
}

const balance = cabinet.page({
  path: "/my/balance",
  async show(sight) {
    const { say } = sight;
    const [newest, parts, frozen] = await Promise.all([
      sight.ask(readOwnEntries, { limit: 10 }),
      balanceFigures(sight),
      releases(sight),
    ]);
    const acts = html`<p class="acts">${sight.may(askOwnPayout) && link(say(ASK), "/my/payouts/new", "main")}${link(say(ENTRIES), "/my/balance/entries", "plain")}</p>`;
    const body = html`${card(undefined, parts)}${acts}${frozen}${sheetsOf(
      sight,
      readOwnEntries,
      newest,
    )("items", [...COLUMNS, sourceColumn(sight)], {
      title: say(ENTRIES),
      acts: link(say({ en: "All", ru: "Все" }), "/my/balance/entries"),
    })}`;
    const live = { of: "events,payouts", mode: "figures" } as const;
    return {
      title: say({ en: "Balance", ru: "Баланс" }),
      body,
      command: "kopeck my balance",
      live,
    };
  },
});

const COLUMNS = ["created_at", "kind", "available", "frozen", "reserved"] as const;

/** What it happened to; a payout has a page of its own. */
function sourceColumn({ look }: MySight) {
  return {
    label: labelOf("source_id", look.language),
    cell: ({ kind, source_id: id }: { kind: string; source_id: string }) =>
      kind.startsWith("payout_") ? shortId(id, `/my/payouts/${id}`) : shortId(id),
    text: ({ source_id: id }: { source_id: string }) => id,
  };
}

const entries = listPages(cabinet, {
  path: "/my/balance/entries",
  title: ENTRIES,
  door: readOwnEntries,
  columns: (sight) => [...COLUMNS, sourceColumn(sight)],
  filters: ["from", "to", "currency"],
  nothing: {
    en: "Nothing has moved the balance in this period",
    ru: "За этот период баланс не менялся",
  },
  command: "kopeck my statement",
});

export const balancePages: readonly WebPage[] = [balance, ...entries];
