// Which days statistics are of: chosen in the address, told on the page, and cut into as many places as a chart has.
// Guards that what a place leads to is exactly the days that it counts.

import { momentFormat } from "../../domain/moment.ts";
import { type Html, html } from "../../platform/html.ts";
import { MOST_SLOTS } from "./chart.ts";
import type { Look } from "./locale.ts";
import { momentText } from "./pieces.ts";

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

const WORDS = {
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
  const words = WORDS[look.language];
  const at = new Date(asOf);
  const clock = momentFormat(look.zone).text(at).slice(11, 16);
  const links = CHOICES.map(
    (one) =>
      html`<a class="button plain" href="${hrefOf(one)}"${one === count && html` aria-current="true"`}>${words.days(one)}</a>`,
  );
  return html`<nav class="pages" aria-label="${words.period}">${links}<small>${words.asOf} <time datetime="${at.toISOString()}">${clock}</time></small></nav>`;
}

export interface Place<Item> {
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
      label: size === 1 ? label : `${WORDS[look.language].weekFrom} ${label}`,
      isUnfinished: end === days.length,
    });
  }
  return places;
}
