// When the money was paid that a message tells of: by the time that the bank printed, else by the phone's
// stamp, else by the moment it was told to us. Guards that a clock which is wrong decides about nobody's money.

import { eitherMinute, minuteText } from "./made-at.ts";
import { addSeconds, clockTime, earlier, lastShown, type MomentFormat } from "./moment.ts";

/** A bank's or a phone's clock may be ahead by so much. */
const AHEAD_SECONDS = 5 * 60;
/** What is older waits for a statement: too much has been given out since. */
const OLDEST_SECONDS = 72 * 60 * 60;
/** No bank's message is of another time, and no other clock could hold it. */
const FIRST_DAY = "1990-01-01";
const LAST_DAY = "2100-12-31";
const FIRST = new Date(FIRST_DAY);

export interface Stamps {
  /** HH:MM, and YYYY-MM-DD or --MM-DD. */
  readonly printedTime: string | null;
  readonly printedDay: string | null;
  /** By the phone's clock. */
  readonly sentAt: Date | null;
  readonly receivedAt: Date;
}

export interface ToldAt {
  /** As the moment of a transfer is written: a minute or either of two, a moment or a day. */
  readonly madeAt: string;
  readonly at: Date;
}

/** Undefined where it lies ahead, or too far back. */
export function toldAt(stamps: Stamps, zone: MomentFormat): ToldAt | undefined {
  const { sentAt, receivedAt, printedTime } = stamps;
  const latest = addSeconds(receivedAt, AHEAD_SECONDS);
  if (sentAt !== null && (sentAt > latest || sentAt < FIRST)) return undefined;
  const stamp = earlier(sentAt ?? receivedAt, receivedAt);
  const day = dayOf(stamps, stamp, zone);
  if (day !== undefined && (day < FIRST_DAY || day > LAST_DAY)) return undefined;
  const told =
    printedTime === null
      ? dayOrStamp(day, stamp, zone)
      : nearest(day, printedTime, addSeconds(stamp, AHEAD_SECONDS), zone);
  const isOld = addSeconds(told.at, OLDEST_SECONDS) < receivedAt;
  return told.at > latest || isOld ? undefined : told;
}

/** The day that was printed; without a year the last one of it. */
function dayOf({ printedDay }: Stamps, stamp: Date, zone: MomentFormat): string | undefined {
  if (printedDay === null || !printedDay.startsWith("-")) return printedDay ?? undefined;
  const today = zone.day(addSeconds(stamp, AHEAD_SECONDS));
  const ofYear = (year: number) => `${year}${printedDay.slice(1)}`;
  const year = Number(today.slice(0, 4));
  return ofYear(year) <= today ? ofYear(year) : ofYear(year - 1);
}

function dayOrStamp(day: string | undefined, stamp: Date, zone: MomentFormat): ToldAt {
  if (day === undefined || day === zone.day(stamp))
    return { madeAt: stamp.toISOString(), at: stamp };
  return { madeAt: day, at: zone.startOf(day) };
}

/** That time of the day, or of the last day on which it had come by then. */
function nearest(day: string | undefined, time: string, by: Date, zone: MomentFormat): ToldAt {
  const ofDay = (one: string): Date => clockTime(one, time, zone);
  const today = ofDay(day ?? zone.day(by));
  const isAhead = day === undefined && today > by;
  const at = isAhead ? ofDay(zone.day(addSeconds(zone.startOf(zone.day(by)), -1))) : today;
  const last = lastShown(at, zone);
  return last > at && last <= by
    ? { madeAt: eitherMinute(at, last), at: last }
    : { madeAt: minuteText(at), at };
}
