// Statistics as a page shows them, the same at the desk and in the cabinet: filters, totals, charts, a table by method.
// Every bar leads to the rows that it counts, or nowhere.

import { type Html, html, type Part } from "../../platform/html.ts";
import { barChart, type Days, dayAfter, lineChart, periodLine, placesOf } from "./chart.ts";
import { type Look, numberText } from "./locale.ts";
import { type Column, card, figures, money, moneyText, table } from "./pieces.ts";
import { wordOf } from "./words.ts";

/** As the endpoints answer them. */
export interface Sums {
  readonly created: number;
  readonly converted: number;
  readonly expired: number;
  readonly paid: number;
  readonly paid_in_time: number;
  readonly received: number;
  readonly credited: number;
  readonly fee: number;
  readonly refunded: number;
}

type Item = Sums & { readonly key: string };

export interface Statistics {
  readonly items: readonly Item[];
  readonly total: Sums;
  readonly as_of: string;
  readonly currency: string;
  readonly currencies: readonly string[];
}

type RowsOf = (from: string, to: string) => string;

/** Where the rows of some days are, the last of them included. */
export interface RowLinks {
  /** Invoices created then. */
  readonly invoices: RowsOf;
  /** Money credited then; undefined where no list has just that. */
  readonly money?: RowsOf | undefined;
  /** Money that came then, fees included. */
  readonly received?: RowsOf | undefined;
}

const EN = {
  money: "Money",
  before: "the period before",
  credited: "Credited",
  fee: "Fees",
  refunded: "Refunded",
  received: "Received",
  invoices: "Invoices by the day of creation",
  created: "Created",
  paid: "Paid",
  paidOnes: "Payments",
  inTime: "Paid in time",
  expired: "Expired",
  open: "Still open",
  conversion: "Conversion",
  methods: "Methods",
  method: "Method",
  anyMethod: "the payer chooses",
  today: "Today",
  yesterday: "yesterday",
  paidOfCreated: "Paid / created",
  currency: "Currency",
  shop: "Shop",
};

const RU: typeof EN = {
  money: "Деньги",
  before: "за прошлый период",
  credited: "Зачислено",
  fee: "Комиссия",
  refunded: "Возвращено",
  received: "Получено",
  invoices: "Счета по дню создания",
  created: "Создано",
  paid: "Оплачено",
  paidOnes: "Платежи",
  inTime: "Оплачено вовремя",
  expired: "Истекло",
  open: "Ещё открыты",
  conversion: "Конверсия",
  methods: "Способы оплаты",
  method: "Способ",
  anyMethod: "на выбор плательщика",
  today: "Сегодня",
  yesterday: "вчера",
  paidOfCreated: "Оплачено / создано",
  currency: "Валюта",
  shop: "Магазин",
};

const WORDS = { en: EN, ru: RU };

function sumOf(items: readonly Sums[], name: keyof Sums): number {
  // Kopecks are added, not fractions of a rouble.
  return items.reduce((sum, item) => sum + Math.round(item[name] * 100), 0) / 100;
}

/** In percent; null of nothing. */
function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : (100 * part) / whole;
}

function percentText(value: number | null): string {
  return value === null ? "—" : `${Math.round(value)}\u00a0%`;
}

function choiceLine(
  label: string,
  choices: readonly { readonly name: Part; readonly href: string; readonly isHere: boolean }[],
): Html | false {
  if (choices.length < 2) return false;
  const links = choices.map(
    ({ name, href, isHere }) =>
      html`<a class="button plain" href="${href}"${isHere && html` aria-current="true"`}>${name}</a>`,
  );
  return html`<nav class="pages" aria-label="${label}">${links}</nav>`;
}

/** Period, currency and shop: links that change one of them in the address. */
export function filterLines(
  days: Days,
  { as_of, currency, currencies }: Statistics,
  shops: readonly { readonly id: string; readonly name: string; readonly isChosen: boolean }[],
  look: Look,
  hrefOf: (change: Record<string, string>) => string,
): Html {
  const words = WORDS[look.language];
  const inCurrency = currencies.map((one) => ({
    name: one,
    href: hrefOf({ currency: one }),
    isHere: one === currency,
  }));
  const ofShop = shops.map(({ id, name, isChosen }) => ({
    name: html`<bdi>${name}</bdi>`,
    href: hrefOf({ shop_id: id }),
    isHere: isChosen,
  }));
  return html`${periodLine(days, as_of, look, (count) => hrefOf({ days: String(count) }))}${choiceLine(words.currency, inCurrency)}${choiceLine(words.shop, ofShop)}`;
}

/** Totals with what the period before has received, charts, and a table by method. */
export function statisticsBody(
  byDay: Statistics,
  byMethod: Statistics,
  before: Sums,
  look: Look,
  links: RowLinks,
): Html {
  const words = WORDS[look.language];
  const { total, currency } = byDay;
  const inMoney = (name: "received" | "credited" | "fee" | "refunded") =>
    money(total[name], look, currency);
  const totals = figures([
    [
      words.received,
      inMoney("received"),
      html`${words.before}: ${money(before.received, look, currency)}`,
    ],
    [words.credited, inMoney("credited")],
    [words.fee, inMoney("fee")],
    [words.refunded, inMoney("refunded")],
    [
      words.paidOfCreated,
      `${total.converted} / ${total.created}`,
      percentText(shareOf(total.converted, total.created)),
    ],
    [
      words.inTime,
      `${total.paid_in_time} / ${total.paid}`,
      percentText(shareOf(total.paid_in_time, total.paid)),
    ],
  ]);
  const methods = table({
    caption: words.methods,
    rows: byMethod.items.filter(({ created, paid }) => created + paid > 0),
    columns: [
      {
        label: words.method,
        cell: ({ key }) => (key === "" ? words.anyMethod : wordOf(key, look.language)),
      },
      ...sumColumns(look, currency),
    ],
  });
  return html`${card(undefined, totals)}${card(undefined, moneyChart(byDay, look, links))}<div class="grid">${invoiceCharts(byDay, look, links)}</div>${card(words.methods, methods)}`;
}

/** The columns of a table by method or by shop. */
export function sumColumns(look: Look, currency: string): Column<Item>[] {
  const words = WORDS[look.language];
  const inMoney = (label: string, name: "received" | "fee"): Column<Item> => ({
    label,
    align: "end",
    cell: (row) => money(row[name], look, currency),
  });
  return [
    { label: words.created, align: "end", cell: ({ created }) => created },
    { label: words.paidOnes, align: "end", cell: ({ paid }) => paid },
    inMoney(words.received, "received"),
    inMoney(words.fee, "fee"),
    {
      label: words.conversion,
      align: "end",
      cell: ({ converted, created }) => percentText(shareOf(converted, created)),
    },
  ];
}

/** What shops got and what was kept stand on each other; what went back hangs down. */
function moneyChart({ items, currency }: Statistics, look: Look, links: RowLinks): Html {
  const words = WORDS[look.language];
  return barChart({
    title: `${words.money}, ${currency}`,
    bars: placesOf(items, look).map(({ items: own, label, from, to, isUnfinished }) => ({
      label,
      isUnfinished,
      ...(links.money && { href: links.money(from, to) }),
      parts: [sumOf(own, "credited"), sumOf(own, "fee"), -sumOf(own, "refunded")],
    })),
    series: [words.credited, words.fee, words.refunded],
    format: (value) => moneyText(value, look.language),
    look,
  });
}

/** Invoices by the day of their creation: paid since, expired, or still open. */
function invoiceCharts({ items }: Statistics, look: Look, { invoices }: RowLinks): Html {
  const words = WORDS[look.language];
  const places = placesOf(items, look).map((place) => {
    const [created, paid, expired] = (["created", "converted", "expired"] as const).map((name) =>
      sumOf(place.items, name),
    ) as [number, number, number];
    return { ...place, created, paid, expired, href: invoices(place.from, place.to) };
  });
  const bars = barChart({
    title: words.invoices,
    bars: places.map(({ label, href, isUnfinished, created, paid, expired }) => ({
      label,
      href,
      isUnfinished,
      parts: [paid, expired, created - paid - expired],
    })),
    series: [words.paid, words.expired, words.open],
    format: (value) => numberText(value, look.language),
    look,
  });
  const line = lineChart({
    title: words.conversion,
    // Today's invoices may still be paid.
    points: places.map(({ label, href, isUnfinished, created, paid }) => ({
      label,
      href,
      values: [isUnfinished ? null : shareOf(paid, created)],
    })),
    series: [words.conversion],
    format: percentText,
    look,
  });
  return html`${card(undefined, bars)}${card(undefined, line)}`;
}

/** Today beside yesterday, in the usual currency and in each other one that has something. */
export async function todayCards(
  usual: Statistics,
  ask: (currency: string) => Promise<Statistics>,
  look: Look,
  linksOf: (told: Statistics) => RowLinks,
  kept: "fee" | "credited",
): Promise<Html[]> {
  const others = usual.currencies.filter((one) => one !== usual.currency);
  const told = await Promise.all(others.map(ask));
  return [usual, ...told.filter(({ total }) => Object.values(total).some((sum) => sum !== 0))].map(
    (one) => todayCard(one, look, linksOf(one), kept),
  );
}

/** The last two items are yesterday and today. */
function todayCard(
  { items, currency, currencies }: Statistics,
  look: Look,
  links: RowLinks,
  kept: "fee" | "credited",
): Html {
  const words = WORDS[look.language];
  const [yesterday, today] = items.slice(-2);
  if (today === undefined || yesterday === undefined) return html``;
  const one = (
    name: string,
    rows: RowsOf | undefined,
    text: (day: Sums) => Part,
  ): readonly [string, Part, Part] => [
    name,
    rows === undefined
      ? text(today)
      : html`<a href="${rows(today.key, today.key)}">${text(today)}</a>`,
    html`${words.yesterday} ${text(yesterday)}`,
  ];
  return card(
    currencies.length > 1 ? `${words.today}, ${currency}` : words.today,
    figures([
      one(words.received, links.received, (day) => money(day.received, look, currency)),
      one(
        words.paidOfCreated,
        links.invoices,
        ({ converted, created }) => `${converted} / ${created}`,
      ),
      one(words.conversion, links.invoices, ({ converted, created }) =>
        percentText(shareOf(converted, created)),
      ),
      one(words[kept], links.money, (day) => money(day[kept], look, currency)),
    ]),
  );
}

type Asked = {
  from: string;
  to?: string;
  currency?: string;
  shop_id?: string;
  by?: "day" | "method";
};

/** Statistics of the chosen days, by day and by method, and what the period before them had. */
export async function readDays(
  { currency, shop_id }: Readonly<Record<string, string | undefined>>,
  days: Days,
  ask: (wish: Asked) => Promise<Statistics>,
) {
  const wish = {
    from: days.from,
    ...(currency !== undefined && { currency }),
    ...(shop_id !== undefined && { shop_id }),
  };
  const byDay = await ask(wish);
  const of = { ...wish, currency: byDay.currency };
  const before = { ...of, from: dayAfter(days.from, -days.count), to: days.from };
  const [byMethod, earlier] = await Promise.all([
    ask({ ...of, by: "method" }),
    ask({ ...before, by: "method" }),
  ]);
  return { of, byDay, byMethod, before: earlier.total };
}
