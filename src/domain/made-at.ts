// When money was paid, exactly as the report says it: a moment, a minute or a day.

import { addSeconds, clockTime, earlier, lastShown, type MomentFormat } from "./moment.ts";
import { LONGEST_DETAILS_SECONDS, LONGEST_SLOT_SECONDS } from "./payment.ts";
import type { StatementLine } from "./statement.ts";

/** From the first to the last moment that it can have been. */
export interface MadeWithin {
  readonly from: Date;
  readonly to: Date;
  /** Where several have told of it: before this moment it was not, by whoever says so of the latest one. */
  readonly notBefore?: Date;
}

/** Two gateways' clocks may differ by so much: details may seem younger than the money for them. */
export const CLOCKS_APART_SECONDS = 5;

/** A bank's clock may be off by so much; what is further ahead is a mistake. */
const BANKS_CLOCK_SECONDS = 5 * 60;

/**
 * A text in ISO 8601, a day of the service's time zone, a moment with an offset, or the first and the last of
 * several; undefined where it lies ahead. What is told was paid before it is told.
 */
export function readMadeAt(told: string, zone: MomentFormat, now: Date): MadeWithin | undefined {
  const [first = told, last] = told.split("/");
  if (last !== undefined) {
    const made = readMadeAt(first, zone, now);
    return made && { from: made.from, to: readMadeAt(last, zone, now)?.to ?? now };
  }
  const isDay = !told.includes("T");
  const from = isDay ? zone.startOf(told) : new Date(told);
  if (from > addSeconds(now, BANKS_CLOCK_SECONDS)) return undefined;
  const next = isDay ? zone.startOf(dayAfter(told)) : addSeconds(from, secondsOf(told));
  const to = next > from ? new Date(next.getTime() - 1) : from;
  return { from: earlier(from, now), to: earlier(to, now) };
}

/**
 * As a statement's line says it: its moment in UTC, as exact as it is written, or its day. The day that another
 * clock shows may not be the one that it is here: money without a time of its own can be of either.
 */
export function madeAtOfLine(
  { day, time, instant }: Pick<StatementLine, "day" | "time" | "instant">,
  zone: MomentFormat,
): string {
  if (time !== null) {
    const at = instant === undefined ? clockTime(day, time, zone) : new Date(instant);
    const last = instant === undefined ? lastShown(at, zone) : at;
    return last > at ? eitherMinute(at, last) : `${at.toISOString().slice(0, 11 + time.length)}Z`;
  }
  const here = instant === undefined ? day : zone.day(new Date(instant));
  return here === day ? day : [day, here].toSorted().join("/");
}

/** A clock that is set back shows an hour twice: nobody knows which of the two is meant. */
export function eitherMinute(first: Date, last: Date): string {
  return [first, last].map(minuteText).join("/");
}

export function minuteText(at: Date): string {
  return `${at.toISOString().slice(0, 16)}Z`;
}

/** What a transfer says: of several days or minutes the first, beside the span that it has. */
export function firstDayOf(told: string): string {
  return told.split("/", 1)[0] ?? told;
}

function dayAfter(day: string): string {
  return addSeconds(new Date(day), 24 * 60 * 60)
    .toISOString()
    .slice(0, 10);
}

/** How long a moment is that says the minute, the second, or less than that. */
function secondsOf(told: string): number {
  if (/T\d\d:\d\d(?:Z|[+-])/.test(told)) return 60;
  return told.includes(".") ? 0 : 1;
}

/** When details were issued that such money can be for: no others need to be looked at. */
export function issuedWithin({ from, to }: MadeWithin) {
  return {
    issuedAfter: addSeconds(from, -LONGEST_SLOT_SECONDS),
    issuedBy: addSeconds(to, CLOCKS_APART_SECONDS),
    /** Those that were still live then are younger. */
    liveIssuedAfter: addSeconds(from, -LONGEST_DETAILS_SECONDS),
    /** By a bank's clock that is behind, money for these seems older than they are. */
    liveIssuedBy: addSeconds(to, BANKS_CLOCK_SECONDS),
  };
}
