// Charts as SVG from the server, and the days they are of. Heights begin at zero, what is not over looks
// unfinished, and no two series differ by colour alone.

import { momentFormat } from "../../domain/moment.ts";
import type { Language } from "../../platform/failure.ts";
import { type Html, html } from "../../platform/html.ts";
import { type Look, numberText } from "./locale.ts";
import { empty, momentText } from "./pieces.ts";
import { WORDS } from "./words.ts";

interface Scale {
  readonly ticks: readonly { readonly y: number; readonly text: string }[];
  /** Pixels from the top, of the plot's height. */
  y(value: number): number;
}

const STEPS = [1, 2, 5, 10];
const MOST_TICKS = 4;
/** Above it the axis says thousands and millions. */
const SHORT_FROM = 10_000;

const SHORT: Readonly<Record<Language, readonly (readonly [number, string])[]>> = {
  en: [
    [1e9, "B"],
    [1e6, "M"],
    [1e3, "k"],
  ],
  ru: [
    [1e9, "\u00a0млрд"],
    [1e6, "\u00a0млн"],
    [1e3, "\u00a0тыс."],
  ],
};

export function scaleOf(
  values: readonly number[],
  heightPx: number,
  format: (value: number) => string,
  language: Language,
): Scale {
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const textOf =
    Math.max(high, -low) >= SHORT_FROM ? (n: number) => shortText(n, language) : format;
  let step = niceStep((high - low) / MOST_TICKS);
  if (values.every(Number.isInteger)) step = Math.max(step, 1);
  let marks = marksOf(low, high, step);
  while (new Set(marks.map(textOf)).size < marks.length) {
    step = niceStep(step * 1.5);
    marks = marksOf(low, high, step);
  }
  const [bottom = 0, top = 1] = [marks[0], marks.at(-1)];
  const y = (value: number): number => rounded(heightPx * (1 - (value - bottom) / (top - bottom)));
  return { ticks: marks.map((mark) => ({ y: y(mark), text: textOf(mark) })), y };
}

/** 1, 2 or 5 times a power of ten, and no less than asked for. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * (STEPS.find((step) => step * power >= least * 0.999_999) ?? 10);
}

/** From the last one below everything to the first above it. */
function marksOf(low: number, high: number, step: number): number[] {
  const [first, last] = [Math.floor(low / step), Math.ceil(high / step - 1e-9)];
  return Array.from({ length: last - first + 1 }, (_, at) => tidy((first + at) * step));
}

/** 0.3, and not 0.30000000000000004. */
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}

function shortText(value: number, language: Language): string {
  const found = SHORT[language].find(([size]) => Math.abs(value) >= size);
  if (found === undefined) return numberText(value, language);
  return `${numberText(value / found[0], language)}${found[1]}`;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

const PLOT_PX = 180;
const LABELS_PX = 22;
const LETTER_PX = 7;
const MOST_LABELS = 10;
const MOST_SLOTS = 60;

/** One place on the time axis. */
interface Slot {
  readonly label: string;
  readonly href?: string;
  readonly values: readonly (number | null)[];
  readonly isUnfinished?: boolean;
}

interface Drawn {
  readonly title: string;
  readonly slots: readonly Slot[];
  /** Their names, in the order of a slot's values; a line is drawn as a line. */
  readonly series: readonly { readonly name: string; readonly mark: string }[];
  readonly scale: Scale;
  readonly picture: Html;
  format(value: number): string;
  readonly look: Look;
}

/** The middle of a slot, in percent. */
function middleOf(at: number, count: number): number {
  return rounded(((at + 0.5) * 100) / count);
}

function nothingDrawn(title: string, { language }: Look): Html {
  const { noData, noDataText } = WORDS[language];
  return html`<figure class="chart"><figcaption>${title}</figcaption>${empty(noData, noDataText)}</figure>`;
}

function chartFrame(drawn: Drawn): Html {
  const { title, series, scale, slots, picture } = drawn;
  const heightPx = PLOT_PX + LABELS_PX;
  const gutterPx = Math.max(...scale.ticks.map(({ text }) => text.length)) * LETTER_PX + 10;
  const axis = scale.ticks.map(
    ({ y, text }) => html`<text x="${gutterPx - 8}" y="${y + 4}" class="end">${text}</text>`,
  );
  const lines = scale.ticks.map(
    ({ y, text }) =>
      html`<line x1="0" x2="100%" y1="${y}" y2="${y}" class="${isZero(text) ? "zero" : "grid"}"/>`,
  );
  const legend =
    series.length > 1 &&
    html`<ul class="legend">${series.map(({ name, mark }) => html`<li class="${mark}">${name}</li>`)}</ul>`;
  return html`<figure class="chart"><figcaption>${title}</figcaption>${legend}<div class="plot" aria-hidden="true"><svg width="${gutterPx}" height="${heightPx}">${axis}</svg><svg class="fill" width="100%" height="${heightPx}">${lines}${picture}${slots.map((_, at) => slotLabel(drawn, at))}${slots.map((_, at) => slotLink(drawn, at))}</svg></div>${numbers(drawn)}</figure>`;
}

function isZero(text: string): boolean {
  return !/[1-9]/.test(text);
}

/** As many as can be read, counted from the newest; three of four only where there is room. */
function slotLabel({ slots }: Drawn, at: number): Html | false {
  const every = Math.ceil(slots.length / MOST_LABELS);
  const fromEnd = slots.length - 1 - at;
  if (fromEnd % every !== 0) return false;
  const turn = slots.length > MOST_LABELS / 2 ? (fromEnd / every) % 4 : 0;
  const room = ["", " spare", " rare", " spare"][turn];
  return html`<text x="${middleOf(at, slots.length)}%" y="${PLOT_PX + 17}" class="middle${room}">${slots[at]?.label}</text>`;
}

/** The whole height of a slot, for the mouse; the keyboard has the same link in the table. */
function slotLink({ slots, series, format, look }: Drawn, at: number): Html | false {
  const slot = slots[at];
  if (slot === undefined) return false;
  const told = series.flatMap(({ name }, index) => {
    const value = slot.values[index];
    return value === null || value === undefined ? [] : [`${name}: ${format(value)}`];
  });
  const head = slot.isUnfinished ? `${slot.label}, ${WORDS[look.language].soFar}` : slot.label;
  const area = html`<title>${[head, ...told].join("\n")}</title><rect class="hit" x="${rounded((at * 100) / slots.length)}%" y="0" width="${rounded(100 / slots.length)}%" height="${PLOT_PX}"/>`;
  return slot.href === undefined
    ? html`<g>${area}</g>`
    : html`<a href="${slot.href}" tabindex="-1">${area}</a>`;
}

function numbers({ title, slots, series, format, look }: Drawn): Html {
  const words = WORDS[look.language];
  const rows = slots.map(
    ({ label, href, values, isUnfinished }) =>
      html`<tr><th scope="row">${href === undefined ? label : html`<a href="${href}">${label}</a>`}${
        isUnfinished && html` <small>${words.soFar}</small>`
      }</th>${series.map((_, index) => {
        const value = values[index];
        return html`<td class="end">${value === null || value === undefined ? "—" : format(value)}</td>`;
      })}</tr>`,
  );
  return html`<details class="numbers"><summary>${words.numbers}</summary><div class="wide" role="region" tabindex="0" aria-label="${title}"><table><caption class="unseen">${title}</caption><thead><tr><td></td>${series.map(({ name }) => html`<th scope="col" class="end">${name}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div></details>`;
}

interface Bar {
  readonly label: string;
  readonly href?: string;
  /** One on top of the other; what is below zero hangs down. */
  readonly parts: readonly number[];
  readonly isUnfinished?: boolean;
}

interface BarChart {
  readonly title: string;
  readonly bars: readonly Bar[];
  readonly series: readonly string[];
  format(value: number): string;
  readonly look: Look;
}

/** Percent of the width; a bar alone is no wall. */
const WIDEST_BAR = 6;
const HATCH = "M-1 1l2-2M0 6l6-6M5 7l2-2";

export function barChart({ title, bars: all, series, format, look }: BarChart): Html {
  const bars = all.slice(-MOST_SLOTS);
  if (!bars.some(({ parts }) => parts.some((value) => value !== 0))) {
    return nothingDrawn(title, look);
  }
  const ends = bars.flatMap(({ parts }) => [sumOf(parts, 1), sumOf(parts, -1)]);
  const scale = scaleOf(ends, PLOT_PX, format, look.language);
  const hatch = `hatch-${markOf(title)}`;
  const isHatched = bars.some(({ isUnfinished }) => isUnfinished);
  const picture = html`${isHatched && html`<defs><pattern id="${hatch}" width="6" height="6" patternUnits="userSpaceOnUse"><path class="hatch" d="${HATCH}"/></pattern></defs>`}${bars.map((bar, at) => drawnBar(bar, at, bars.length, scale, hatch))}`;
  return chartFrame({
    title,
    scale,
    picture,
    format,
    look,
    slots: bars.map(({ parts, ...bar }): Slot => ({ ...bar, values: parts })),
    series: series.map((name, at) => ({ name, mark: `s${at}` })),
  });
}

function drawnBar(
  { parts, isUnfinished }: Bar,
  at: number,
  count: number,
  scale: Scale,
  hatch: string,
): Html {
  const width = Math.min((100 / count) * 0.72, WIDEST_BAR);
  const [x, wide] = [rounded(middleOf(at, count) - width / 2), rounded(width)];
  let [above, below] = [0, 0];
  return html`${parts.map((part, index) => {
    if (part === 0) return false;
    const from = part > 0 ? above : below;
    if (part > 0) above += part;
    else below += part;
    const [one, other] = [scale.y(from), scale.y(from + part)];
    const [y, high] = [Math.min(one, other), Math.max(rounded(Math.abs(one - other)), 1)];
    const place = html`x="${x}%" y="${y}" width="${wide}%" height="${high}"`;
    return html`<rect class="s${index}" ${place}/>${isUnfinished && html`<rect fill="url(#${hatch})" ${place}/>`}`;
  })}`;
}

function sumOf(parts: readonly number[], sign: 1 | -1): number {
  return parts.reduce((sum, part) => (part * sign > 0 ? sum + part : sum), 0);
}

/** A name for what only this chart refers to. */
function markOf(title: string): string {
  let mark = 7;
  for (const letter of title) mark = (mark * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
  return mark.toString(36);
}

interface LineChart {
  readonly title: string;
  readonly points: readonly {
    readonly label: string;
    readonly href?: string;
    readonly values: readonly (number | null)[];
  }[];
  readonly series: readonly string[];
  format(value: number): string;
  readonly look: Look;
}

export function lineChart({ title, points: all, series, format, look }: LineChart): Html {
  const points = all.slice(-MOST_SLOTS);
  const known = points.flatMap(({ values }) => values.filter((value) => value !== null));
  if (!known.some((value) => value !== 0)) return nothingDrawn(title, look);
  const scale = scaleOf(known, PLOT_PX, format, look.language);
  const picture = html`${series.map((_, at) =>
    drawnLine(
      points.map(({ values }) => values[at] ?? null),
      scale,
      `l${at}`,
    ),
  )}`;
  return chartFrame({
    title,
    scale,
    picture,
    format,
    look,
    slots: points,
    series: series.map((name, at) => ({ name, mark: `l${at}` })),
  });
}

/** Stretched to the width that is there, its stroke is not; a point without neighbours is a dot. */
function drawnLine(values: readonly (number | null)[], scale: Scale, mark: string): Html {
  const count = values.length;
  const at = (index: number): string => `${middleOf(index, count)} ${scale.y(values[index] ?? 0)}`;
  const isKnown = (index: number): boolean => (values[index] ?? null) !== null;
  const path = values
    .map((value, index) => (value === null ? "" : `${isKnown(index - 1) ? "L" : "M"}${at(index)}`))
    .join("");
  const alone = values.map(
    (value, index) =>
      value !== null &&
      !isKnown(index - 1) &&
      !isKnown(index + 1) &&
      html`<circle class="${mark}" cx="${middleOf(index, count)}%" cy="${scale.y(value)}" r="3"/>`,
  );
  return html`<svg viewBox="0 0 100 ${PLOT_PX}" width="100%" height="${PLOT_PX}" preserveAspectRatio="none"><path class="${mark}" d="${path}"/></svg>${alone}`;
}

const CHOICES = [7, 30, 90];
const OTHERWISE = 30;
const DAY_MS = 24 * 60 * 60 * 1000;
const WEEK = 7;

export interface Days {
  readonly count: number;
  /** The first of them; the last is today. */
  readonly from: string;
}

/** What `?days=` says; whatever else it says, a month. */
export function chosenDays(text: string | undefined, look: Look): Days {
  const count = CHOICES.find((one) => String(one) === text) ?? OTHERWISE;
  return lastDays(count, look);
}

export function lastDays(count: number, { now, zone }: Look): Days {
  return { count, from: dayAfter(momentFormat(zone).day(now), 1 - count) };
}

export function dayAfter(day: string, days = 1): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

const DAY_WORDS = {
  en: {
    days: (count: number) => `${count} days`,
    asOf: "as of",
    weekFrom: "from",
    period: "Period",
  },
  ru: {
    days: (count: number) => `${count} дней`,
    asOf: "на",
    weekFrom: "с",
    period: "Период",
  },
};

/** Links to the other periods, and up to when everything is counted. */
export function periodLine(
  { count }: Days,
  asOf: string,
  look: Look,
  hrefOf: (days: number) => string,
): Html {
  const words = DAY_WORDS[look.language];
  const at = new Date(asOf);
  const clock = momentFormat(look.zone).text(at).slice(11, 16);
  const links = CHOICES.map(
    (one) =>
      html`<a class="button plain" href="${hrefOf(one)}"${one === count && html` aria-current="true"`}>${words.days(one)}</a>`,
  );
  return html`<nav class="pages" aria-label="${words.period}">${links}<small>${words.asOf} <time datetime="${at.toISOString()}">${clock}</time></small></nav>`;
}

interface Place<Item> {
  readonly label: string;
  readonly from: string;
  /** Its last day, as lists on pages take it. */
  readonly to: string;
  readonly items: readonly Item[];
  readonly isUnfinished: boolean;
}

/** Days, or weeks where there are more days than a chart can show. */
export function placesOf<Item extends { readonly key: string }>(
  days: readonly Item[],
  look: Look,
): Place<Item>[] {
  const size = days.length > MOST_SLOTS ? WEEK : 1;
  const places: Place<Item>[] = [];
  // From the newest, so that the oldest week is the one that is cut.
  for (let end = days.length; end > 0; end -= size) {
    const items = days.slice(Math.max(0, end - size), end);
    const [first, last] = [items[0], items.at(-1)];
    if (first === undefined || last === undefined) continue;
    const label = momentText(first.key, look);
    places.unshift({
      from: first.key,
      to: last.key,
      items,
      label: size === 1 ? label : `${DAY_WORDS[look.language].weekFrom} ${label}`,
      isUnfinished: end === days.length,
    });
  }
  return places;
}
