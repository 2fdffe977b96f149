// Counts money that several sources report: as many transfers as the source with the most reports.
// One report from each of two sources is money once; two reports from one source are money twice.

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
  /** Whether no moment was told, but a day, or that it has been. */
  readonly isVague: boolean;
}

/** A day of a statement is the day of booking: the money may be of the banking day before. */
export function spanOf(
  told: { readonly madeAt: string | null; readonly made: MadeWithin; readonly channel: Channel },
  zone: MomentFormat,
): Span {
  const { madeAt, made, channel } = told;
  const to = addSeconds(made.to, TOLERANCE_SECONDS);
  const isDay = madeAt !== null && !madeAt.includes("T");
  if (isDay) {
    const from = zone.startOf(bankingDayBefore(madeAt));
    return { ...made, around: { from, to }, isVague: true };
  }
  const untold = channel === "hand" ? UNTOLD_BY_HAND_SECONDS : UNTOLD_SECONDS;
  const seconds = madeAt === null ? untold : TOLERANCE_SECONDS;
  const around = { from: addSeconds(made.from, -seconds), to };
  return { ...made, around, isVague: madeAt === null && channel === "hand" };
}

function bankingDayBefore(day: string): string {
  const at = new Date(day);
  do at.setUTCDate(at.getUTCDate() - 1);
  while (at.getUTCDay() === 0 || at.getUTCDay() === 6);
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
  /** Broken: its balance did not follow, and it may be made up. Returned: its money has gone back. */
  readonly standing: "plain" | "broken" | "returned";
}

/** Of which transfer a telling is; else it is new money, or perhaps new: that waits for a person. */
export type Paired = { readonly transferId: string } | "new" | "doubtful";

/**
 * Of one teller's new tellings, all of one requisite and amount, each is of a transfer that others have told
 * of at times that can be the same, or of new money. As many as can be paired are (a maximum matching: where
 * a place is taken, whoever has it moves to another, in thought): so whoever tells of all there was has it
 * exact, in whatever order everybody speaks. A text that may be made up is paired last, and with who knows no
 * moment only where that has the very time that it tells.
 */
export function pairTellings(
  known: readonly KnownTransfer[],
  teller: string,
  told: readonly Span[],
): Paired[] {
  const holderOf = new Map<KnownTransfer, Span>();
  for (const one of known) {
    const own = one.told.get(teller);
    if (own !== undefined) holderOf.set(one, own);
  }
  /** The transfer that has somebody since, where all who had to move could. */
  const place = (span: Span, tried: Set<KnownTransfer>): KnownTransfer | undefined => {
    for (const one of bestFirst(known, span)) {
      if (tried.has(one)) continue;
      tried.add(one);
      const holder = holderOf.get(one);
      const last = holder === undefined ? one : place(holder, tried);
      if (last === undefined) continue;
      holderOf.set(one, span);
      return last;
    }
    return undefined;
  };
  return told.map((span) => {
    const last = place(span, new Set());
    if (last !== undefined) return { transferId: last.id };
    return known.some((one) => isLikeIt(one, teller, span)) ? "doubtful" : "new";
  });
}

/** Which of these it is where a person says that it is one of them: the nearest that this teller has not told of. */
export function likeliest(
  known: readonly KnownTransfer[],
  teller: string,
  span: Span,
): string | undefined {
  const [first] = known
    .filter((one) => !one.told.has(teller))
    .filter((one) => canBeOf(one, span) || isLikeIt(one, teller, span))
    .sort((a, b) => distance(a, span) - distance(b, span));
  return first?.id;
}

/** Those that it can be of: what may be made up last, the nearest first. */
function bestFirst(known: readonly KnownTransfer[], span: Span): KnownTransfer[] {
  return known
    .filter((one) => canBeOf(one, span))
    .sort((a, b) => {
      const broken = Number(a.standing === "broken") - Number(b.standing === "broken");
      return broken || distance(a, span) - distance(b, span);
    });
}

function canBeOf({ told, standing }: KnownTransfer, span: Span): boolean {
  if (standing === "returned") return false;
  const isSame = standing === "broken" && span.isVague ? meets : canBeSame;
  return [...told.values()].some((one) => isSame(one, span));
}

/**
 * What nobody should be credited with by itself: money like it has gone back, or was told of a few days before
 * (no calendar of holidays is known here) and by nobody since who tells what this one tells.
 */
function isLikeIt({ told, standing }: KnownTransfer, teller: string, span: Span): boolean {
  if (told.has(teller)) return false;
  const tellings = [...told.values()];
  if (standing === "returned") return tellings.some((one) => canBeSame(one, span));
  if (!span.isVague || standing === "broken") return false;
  const earliest = addSeconds(span.from, -FARTHEST_SECONDS);
  return tellings.some((one) => one.to >= earliest && one.from <= span.to);
}

/** None where the times meet. */
function distance({ told }: KnownTransfer, span: Span): number {
  const apart = [...told.values()].map((one) =>
    Math.max(0, span.from.getTime() - one.to.getTime(), one.from.getTime() - span.to.getTime()),
  );
  return Math.min(...apart);
}
