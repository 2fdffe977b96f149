// The count rule: what several tellers say of money that came to one requisite with one amount. Such
// tellings are interchangeable, so only their number counts: there are as many transfers as the teller who
// tells of the most has told of. Guards that money told by several is money once, and that equal money told
// twice by one teller is money twice. No text decides.

import type { MadeWithin } from "./made-at.ts";
import { addSeconds, type MomentFormat } from "./moment.ts";
import type { Channel } from "./transfer.ts";

/** Clocks of phones and banks, and how long a message takes. */
const TOLERANCE_SECONDS = 10 * 60;

/** A person who does not say when it was paid speaks of the last day, a program of the last hour. */
const UNTOLD_SECONDS = 60 * 60;
const UNTOLD_BY_HAND_SECONDS = 24 * 60 * 60;

/** A statement's day follows the money's by so many days at most, when no bank works between them. */
const LONGEST_BOOKING_DAYS = 4;

/** Further apart no two tellings can be of the same money. */
export const FARTHEST_SECONDS = (LONGEST_BOOKING_DAYS + 2) * 24 * 60 * 60;

/** When money was paid, by one telling: for certain within, and perhaps as far off as around. */
export interface Span extends MadeWithin {
  readonly around: MadeWithin;
}

/** A day of a statement is the day of booking: the money may be of the banking day before. */
export function spanOf(
  told: { readonly madeAt: string | null; readonly made: MadeWithin; readonly channel: Channel },
  zone: MomentFormat,
): Span {
  const { madeAt, made, channel } = told;
  const to = addSeconds(made.to, TOLERANCE_SECONDS);
  const isDay = madeAt !== null && !madeAt.includes("T");
  if (isDay) return { ...made, around: { from: zone.startOf(bankingDayBefore(madeAt)), to } };
  const untold = channel === "hand" ? UNTOLD_BY_HAND_SECONDS : UNTOLD_SECONDS;
  const seconds = madeAt === null ? untold : TOLERANCE_SECONDS;
  return { ...made, around: { from: addSeconds(made.from, -seconds), to } };
}

function bankingDayBefore(day: string): string {
  const at = new Date(day);
  for (let days = 0; days < LONGEST_BOOKING_DAYS; days++) {
    at.setUTCDate(at.getUTCDate() - 1);
    const isWeekend = at.getUTCDay() === 0 || at.getUTCDay() === 6;
    if (!isWeekend) break;
  }
  return at.toISOString().slice(0, 10);
}

function canBeSame(one: Span, other: Span): boolean {
  return meets(one.around, other) || meets(other.around, one);
}

function meets(one: MadeWithin, other: MadeWithin): boolean {
  return one.from <= other.to && other.from <= one.to;
}

/** A transfer near the tellings, and when it was paid by each who has told of it. */
export interface KnownTransfer {
  readonly id: string;
  readonly told: ReadonlyMap<string, Span>;
}

/**
 * Of one teller's new tellings, all of one requisite and amount, each is of a known transfer, or of new
 * money (undefined). Two tellers who tell of a and b transfers, of which m can be the same by their times,
 * tell of a + b - m: the most that any two tell of is what there has to be. Whoever tells of all there was
 * has it exact, in whatever order everybody speaks; and nothing is counted that was not told.
 */
export function pairTellings(
  known: readonly KnownTransfer[],
  teller: string,
  told: readonly Span[],
): (string | undefined)[] {
  const spansOf = (one: string) => known.flatMap(({ told: by }) => by.get(one) ?? []);
  const others = [...new Set(known.flatMap(({ told: by }) => [...by.keys()]))].filter(
    (one) => one !== teller,
  );
  const withOthers = others.map((one) => openPairs(spansOf(one), spansOf(teller)));
  const among = others.flatMap((one, index) =>
    others.slice(index).map((other) => {
      return one === other ? spansOf(one).length : openPairs(spansOf(one), spansOf(other)).needed();
    }),
  );
  let own = spansOf(teller).length;
  const needed = () => Math.max(0, ...among, own, ...withOthers.map((pairs) => pairs.needed()));
  const free = new Map(known.filter(({ told: by }) => !by.has(teller)).map((one) => [one.id, one]));
  let [there, before] = [known.length, needed()];
  return told.map((span) => {
    own += 1;
    for (const pairs of withOthers) pairs.add(span);
    const now = needed();
    const isNew = now - before > Math.max(0, there - before) || free.size === 0;
    before = now;
    if (isNew) {
      there += 1;
      return undefined;
    }
    const [nearest] = [...free.values()].sort((a, b) => distance(a, span) - distance(b, span));
    if (nearest !== undefined) free.delete(nearest.id);
    return nearest?.id;
  });
}

/** What two tellers have said, and as many pairs of it as can be the same money. */
function openPairs(theirs: readonly Span[], own: readonly Span[]) {
  const partner = new Map<Span, Span>();
  let [added, paired] = [0, 0];
  /** Whoever has the place moves to another, if there is one. */
  const place = (span: Span, tried: Set<Span>): boolean =>
    theirs.some((one) => {
      if (tried.has(one) || !canBeSame(one, span)) return false;
      tried.add(one);
      const before = partner.get(one);
      if (before !== undefined && !place(before, tried)) return false;
      partner.set(one, span);
      return true;
    });
  const add = (span: Span): void => {
    added += 1;
    if (place(span, new Set())) paired += 1;
  };
  for (const span of own) add(span);
  return { add, needed: () => added + theirs.length - paired };
}

function distance({ told }: KnownTransfer, span: Span): number {
  const all = [...told.values()].map(({ from }) => Math.abs(from.getTime() - span.from.getTime()));
  return Math.min(...all);
}
