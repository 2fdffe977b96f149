// Moments and days in the service's time zone.

export interface MomentFormat {
  readonly text: (instant: Date) => string;
  readonly day: (instant: Date) => string;
  /** The first moment of a day, "YYYY-MM-DD". */
  readonly startOf: (day: string) => Date;
  /** How far it is from UTC in a period, and since when: one, and one more for each time that its clocks are changed. */
  readonly offsets: (from: Date, to: Date) => readonly Offset[];
}

export interface Offset {
  readonly since: Date;
  readonly seconds: number;
}

const QUARTER_MS = 15 * 60 * 1000;
const DAY_QUARTERS = 96;
/** A hundred days of them, or one of each day of many years; past that it is begun anew. */
const MAX_OFFSETS = 10_000;

/** Made once a time zone: making one takes about 40 µs, which every answer would pay. */
const formats = new Map<string, MomentFormat>();

export function momentFormat(timeZone: string): MomentFormat {
  const known = formats.get(timeZone) ?? makeFormat(timeZone);
  formats.set(timeZone, known);
  return known;
}

function makeFormat(timeZone: string): MomentFormat {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  });
  // Intl takes about 3 µs each time. How far a zone is from UTC changes at quarters of an hour only.
  const known = new Map<number, number>();
  const offsetIn = (quarter: number): number => {
    let offset = known.get(quarter);
    if (offset === undefined) {
      const start = quarter * QUARTER_MS;
      offset = Date.parse(`${format.format(start).replace(" ", "T")}Z`) - start;
      if (known.size >= MAX_OFFSETS) known.clear();
      known.set(quarter, offset);
    }
    return offset;
  };
  const text = (instant: Date): string => {
    const time = instant.getTime();
    const there = new Date(time + offsetIn(Math.floor(time / QUARTER_MS))).toISOString();
    return `${there.slice(0, 10)} ${there.slice(11, 19)}`;
  };
  const day = (instant: Date): string => text(instant).slice(0, 10);
  // No zone is further from UTC; a day begins at a quarter of an hour, where it has no midnight, too.
  const startOf = (wanted: string): Date => {
    const midnight = Date.parse(wanted);
    const isBefore = (quarter: number) => day(new Date(midnight + quarter * QUARTER_MS)) < wanted;
    return new Date(midnight + firstPast(-64, 64, isBefore) * QUARTER_MS);
  };
  const offsets = (from: Date, to: Date): Offset[] => {
    const found: Offset[] = [];
    const add = (quarter: number) =>
      found.push({ since: new Date(quarter * QUARTER_MS), seconds: offsetIn(quarter) / 1000 });
    // Days of UTC, so that who asks for others finds what is known.
    let quarter = Math.floor(from.getTime() / QUARTER_MS / DAY_QUARTERS) * DAY_QUARTERS;
    add(quarter);
    for (; quarter * QUARTER_MS < to.getTime(); quarter += DAY_QUARTERS) {
      const isSame = (other: number) => offsetIn(other) === offsetIn(quarter);
      const next = quarter + DAY_QUARTERS;
      if (!isSame(next)) add(firstPast(quarter, next, isSame));
    }
    return found;
  };
  return { text, day, startOf, offsets };
}

/** The first that is not before: of the lowest it is known that it is, of the highest that it is not. */
function firstPast(lowest: number, highest: number, isBefore: (middle: number) => boolean): number {
  let [before, after] = [lowest, highest];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (isBefore(middle)) before = middle;
    else after = middle;
  }
  return after;
}

const DAY_SECONDS = 24 * 60 * 60;
/** At one of the poles; elsewhere an hour, or half of one. */
const MOST_SET_BACK_SECONDS = 2 * 60 * 60;

/** When the clocks of a day show a time, "HH:MM" or "HH:MM:SS": also where they are changed on that day. */
export function clockTime(day: string, time: string, { startOf, text }: MomentFormat): Date {
  const at = addSeconds(startOf(day), secondsOfClock(time));
  const ahead = secondsOfClock(text(at).slice(11)) - secondsOfClock(time);
  // Past midnight a clock begins anew.
  const days = Math.round(ahead / DAY_SECONDS);
  return addSeconds(at, days * DAY_SECONDS - ahead);
}

/** The last moment at which a day's clocks show the same: later where they are set back over it. */
export function lastShown(at: Date, { text }: MomentFormat): Date {
  const ahead = (one: Date) => Date.parse(`${text(one).replace(" ", "T")}Z`) - one.getTime();
  const again = new Date(at.getTime() + ahead(at) - ahead(addSeconds(at, MOST_SET_BACK_SECONDS)));
  return again > at && text(again) === text(at) ? again : at;
}

function secondsOfClock(time: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(":").map(Number);
  return hours * 3600 + minutes * 60 + seconds;
}

export function addSeconds(instant: Date, seconds: number): Date {
  return new Date(instant.getTime() + seconds * 1000);
}

export function earlier(left: Date, right: Date): Date {
  return left.getTime() <= right.getTime() ? left : right;
}

export function later(left: Date, right: Date): Date {
  return left.getTime() >= right.getTime() ? left : right;
}

/** ISO 8601 in UTC, for whoever manages the gateway; null stays null. */
export function isoOrNull(moment: Date | null): string | null {
  return moment === null ? null : moment.toISOString();
}
