// Figures as charts, the same for a merchant and for whoever runs the gateway: money, invoices and what became of
// them, how fast payers are, methods. Guards that every place leads to the rows that it counts, or nowhere.

import { type Html, html, type Part } from "../../platform/html.ts";
import { barChart, heatGrid, lineChart, sparkline } from "./chart.ts";
import { MOST_SLOTS } from "./chart-frame.ts";
import { numberText } from "./locale.ts";
import type { Look } from "./look.ts";
import { card, figures, meter, money, moneyText } from "./pieces.ts";
import { table } from "./table.ts";
import { dayNote, type Place, placesOf } from "./tally-period.ts";
import { TALLY_WORDS } from "./tally-words.ts";
import { wordOf } from "./words.ts";

/** As the doors of tallies tell it. */
export interface Tally {
  readonly key: string;
  readonly created: number;
  readonly issued: number;
  readonly paid: number;
  readonly cohort_paid: number;
  readonly received: number;
  readonly credited: number;
  readonly fee: number;
  readonly refunded: number;
}

type Sum = Exclude<keyof Tally, "key">;

export interface TallySight {
  readonly look: Look;
  readonly currency: string;
  /** Whether there are figures in others, too. */
  readonly isOneOfSeveral?: boolean;
  /** The rows of some days, the last of them included. */
  invoices(from: string, to: string): string;
  /** What was credited then; without it no list has just these. */
  readonly moneyRows?: ((from: string, to: string) => string) | undefined;
  /** What came then, before anything was kept of it; without it no list has that. */
  readonly receivedRows?: ((from: string, to: string) => string) | undefined;
}

function sumOf(items: readonly Tally[], name: Sum): number {
  // Kopecks are added, not their parts of a rouble.
  return items.reduce((sum, item) => sum + Math.round(item[name] * 100), 0) / 100;
}

/** Paid of what was created then; null where nothing was. */
export function conversionOf(items: readonly Tally[]): number | null {
  const created = sumOf(items, "created");
  return created === 0 ? null : (100 * sumOf(items, "cohort_paid")) / created;
}

export function percentText(value: number | null): string {
  return value === null ? "—" : `${Math.round(value)}\u00a0%`;
}

/** What came, day by day: what shops got and what was kept stand on each other; what went back hangs down. */
export function moneyChart(
  days: readonly Tally[],
  before: readonly Tally[],
  { look, currency, moneyRows }: TallySight,
): Html {
  const words = TALLY_WORDS[look.language];
  const places = placesOf(days, look);
  const earlier = placesOf(before, look);
  return barChart({
    title: `${words.money}, ${currency}`,
    bars: places.map(({ items, ...place }) => ({
      ...barOf(place, moneyRows),
      parts: [sumOf(items, "credited"), sumOf(items, "fee"), -sumOf(items, "refunded")],
    })),
    series: [words.credited, words.fee, words.refunded],
    line: {
      label: words.before,
      values: places.map((_, at) => {
        const place = earlier[earlier.length - places.length + at];
        return place === undefined ? null : sumOf(place.items, "received");
      }),
    },
    format: (value) => moneyText(value, look.language),
    look,
  });
}

function barOf(
  { label, from, to, isUnfinished }: Omit<Place<Tally>, "items">,
  rows: TallySight["moneyRows"],
) {
  return { label, isUnfinished, ...(rows && { href: rows(from, to) }) };
}

/** Invoices by the day that they were created on, and what of them was paid, whenever that was. */
export function invoiceCharts(days: readonly Tally[], { look, invoices }: TallySight): Html {
  const words = TALLY_WORDS[look.language];
  const places = placesOf(days, look);
  const bars = barChart({
    title: words.invoices,
    bars: places.map(({ items, ...place }) => {
      const paid = sumOf(items, "cohort_paid");
      return { ...barOf(place, invoices), parts: [paid, sumOf(items, "created") - paid] };
    }),
    series: [words.paid, words.unpaid],
    format: (value) => numberText(value, look.language),
    look,
  });
  const line = lineChart({
    title: words.conversion,
    // What was created today may still be paid: it says nothing yet.
    points: places.map(({ label, from, to, items, isUnfinished }) => ({
      ...{ label, href: invoices(from, to), values: [isUnfinished ? null : conversionOf(items)] },
    })),
    series: [words.conversion],
    format: percentText,
    look,
  });
  return html`${card(undefined, bars)}${card(undefined, line)}`;
}

/** Created, details given, paid as a part of the first: an invoice may get details several times, each counts. */
export function funnel(days: readonly Tally[], { look }: TallySight): Html {
  const words = TALLY_WORDS[look.language];
  const created = sumOf(days, "created");
  const step = (name: string, count: number): readonly [string, Part, Part] => {
    const share = created === 0 ? null : (100 * count) / created;
    return [name, numberText(count, look.language), percentText(share)];
  };
  return card(
    words.funnel,
    figures([
      step(words.created, created),
      [words.issued, numberText(sumOf(days, "issued"), look.language)],
      step(words.paid, sumOf(days, "cohort_paid")),
    ]),
  );
}

export interface Speed {
  readonly day: string;
  readonly p50_seconds: number | null;
  readonly p90_seconds: number | null;
}

/** Percentiles of days do not add up to one of a week: of many days the last are shown. */
export function speedChart(speeds: readonly Speed[], { look, moneyRows }: TallySight): Html {
  const words = TALLY_WORDS[look.language];
  const days = speeds.slice(-MOST_SLOTS).map((speed) => ({ ...speed, key: speed.day }));
  return lineChart({
    title: words.speed,
    points: placesOf(days, look).map(({ label, from, to, items: [one] }) => ({
      ...{ label, ...(moneyRows && { href: moneyRows(from, to) }) },
      values: [minutesOf(one?.p50_seconds), minutesOf(one?.p90_seconds)],
    })),
    series: [words.half, words.most],
    format: (minutes) => durationText(minutes, look),
    look,
  });
}

/** Minutes on the axis: an hour in seconds is a number that nobody knows. */
function minutesOf(seconds: number | null | undefined): number | null {
  return seconds === null || seconds === undefined ? null : seconds / 60;
}

function durationText(minutes: number, { language }: Look): string {
  const { second, minute } = TALLY_WORDS[language];
  if (minutes < 1) return `${Math.round(minutes * 60)}\u00a0${second}`;
  return `${numberText(Math.round(minutes * 10) / 10, language)}\u00a0${minute}`;
}

/** By which methods, and at which banks: how many, and how much of the money. */
export function methodTables(
  methods: readonly Tally[],
  banks: readonly Tally[],
  { look, currency }: TallySight,
): Html {
  const words = TALLY_WORDS[look.language];
  const sharesOf = (
    title: string,
    name: string,
    rows: readonly Tally[],
    counts: readonly Sum[],
  ) => {
    const all = sumOf(rows, "received");
    return card(
      title,
      table({
        caption: title,
        rows: rows.filter(({ created, paid }) => created + paid > 0),
        columns: [
          {
            label: name,
            cell: ({ key }) => (key === "" ? words.anyMethod : wordOf(key, look.language)),
          },
          ...counts.map((sum) => ({
            label: sum === "paid" ? words.paidOnes : words.created,
            align: "end" as const,
            cell: (row: Tally) => row[sum],
          })),
          {
            ...{ label: words.received, align: "end" },
            cell: ({ received }) => money(received, look, currency),
          },
          {
            label: words.share,
            cell: ({ received }) =>
              all > 0 && meter(received, all, percentText((100 * received) / all)),
          },
        ],
      }),
    );
  };
  return html`<div class="grid">${sharesOf(words.methods, words.method, methods, ["created", "paid"])}${
    banks.length > 0 && sharesOf(words.banks, words.bank, banks, ["paid"])
  }</div>`;
}

/** By weekday and hour of creation; the door gives all of them, from Monday at midnight on. */
export function weekGrid(hours: readonly Tally[], { look }: TallySight): Html {
  const words = TALLY_WORDS[look.language];
  const byKey = new Map(hours.map((hour) => [hour.key, hour]));
  const columns = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"));
  return heatGrid({
    ...{ title: words.week, rows: words.weekdays, columns },
    cells: words.weekdays.map((_, day) =>
      columns.map((hour) => {
        const found = byKey.get(`${day + 1}-${hour}`);
        return found === undefined ? null : conversionOf([found]);
      }),
    ),
    format: (value) => String(Math.round(value)),
    look,
  });
}

/** Today beside yesterday, and the days before it as a line. The last of the days is today. */
export function todayFigures(
  days: readonly Tally[],
  { look, currency, isOneOfSeveral, invoices, moneyRows, receivedRows }: TallySight,
  kept: "fee" | "credited",
): Html {
  const words = TALLY_WORDS[look.language];
  const [yesterday, today] = days.slice(-2);
  if (today === undefined || yesterday === undefined) return html``;
  const { key: day } = today;
  const one = (
    name: string,
    href: string | undefined,
    text: (day: Tally) => Part,
    value: (day: Tally) => number | null,
  ): readonly [string, Part, Part] => [
    name,
    href === undefined ? text(today) : html`<a href="${href}">${text(today)}</a>`,
    html`${words.yesterday} ${text(yesterday)}${sparkline(days.slice(0, -1).map(value))}`,
  ];
  const rubles = (name: Sum) => (day: Tally) => money(day[name], look, currency);
  return card(
    isOneOfSeveral ? `${words.today}, ${currency}` : words.today,
    html`${figures([
      one(words.received, receivedRows?.(day, day), rubles("received"), ({ received }) => received),
      one(
        words.paidOfCreated,
        invoices(day, day),
        (day) => `${day.cohort_paid} / ${day.created}`,
        ({ created }) => created,
      ),
      one(
        words.conversion,
        invoices(day, day),
        (day) => percentText(conversionOf([day])),
        (day) => conversionOf([day]),
      ),
      one(words[kept], moneyRows?.(day, day), rubles(kept), (day) => day[kept]),
    ])}${dayNote(look)}`,
  );
}
