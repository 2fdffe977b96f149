// The count rule: what several tellers say of money that came to one requisite with one amount. Such
// tellings are interchangeable, so only their number counts: there are as many transfers as the teller who
// tells of the most has told of. Guards that money told by several is money once, and that equal money told
// twice by one teller is money twice. No text decides.

import type { MadeWithin } from "./made-at.ts";
import { addSeconds, type MomentFormat } from "./moment.ts";

/** Clocks of phones and banks, and how long a message takes. */
const TOLERANCE_SECONDS = 10 * 60;

/** Whoever does not say when it was paid speaks of the last day. */
const UNTOLD_SECONDS = 24 * 60 * 60;

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
  told: { readonly madeAt: string | null; readonly made: MadeWithin },
  zone: MomentFormat,
): Span {
  const { madeAt, made } = told;
  const to = addSeconds(made.to, TOLERANCE_SECONDS);
  const isDay = madeAt !== null && !madeAt.includes("T");
  if (isDay) return { ...made, around: { from: zone.startOf(bankingDayBefore(madeAt)), to } };
  const seconds = madeAt === null ? UNTOLD_SECONDS : TOLERANCE_SECONDS;
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

export function canBeSame(one: Span, other: Span): boolean {
  return meets(one.around, other) || meets(other.around, one);
}

function meets(one: MadeWithin, other: MadeWithin): boolean {
  return one.from <= other.to && other.from <= one.to;
}

/** A transfer near the tellings, and what this teller has said of it already, if anything. */
export interface KnownTransfer {
  readonly id: string;
  readonly span: Span;
  readonly own: Span | null;
}

/**
 * Of one teller's new tellings, all of one requisite and amount, each is of a known transfer, or of new
 * money (undefined). As many as can be paired are; where its own nearest is taken, the tellings before it
 * move up, in thought: which of equal ones is called whose changes nothing.
 */
export function pairTellings(
  known: readonly KnownTransfer[],
  told: readonly Span[],
): (string | undefined)[] {
  const holderOf = new Map<KnownTransfer, Span>();
  const nearestFirst = (span: Span) =>
    known
      .filter((one) => canBeSame(one.span, span))
      .sort((a, b) => distance(a.span, span) - distance(b.span, span));
  const place = (span: Span, tried: Set<KnownTransfer>): boolean =>
    nearestFirst(span).some((one) => {
      if (tried.has(one)) return false;
      tried.add(one);
      const holder = holderOf.get(one);
      if (holder !== undefined && !place(holder, tried)) return false;
      holderOf.set(one, span);
      return true;
    });
  for (const { own } of known) if (own !== null) place(own, new Set());
  const free = new Set(known.filter(({ own }) => own === null));
  return told.map((span) => {
    if (free.size === 0 || !place(span, new Set())) return undefined;
    const [nearest] = [...free].sort((a, b) => distance(a.span, span) - distance(b.span, span));
    if (nearest !== undefined) free.delete(nearest);
    return nearest?.id;
  });
}

function distance(one: MadeWithin, other: MadeWithin): number {
  return Math.abs(one.from.getTime() - other.from.getTime());
}
