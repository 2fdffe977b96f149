// Whether a payout may leave: at once, after somebody has looked at it, or not at all. Asked in the one place
// where payouts are made, so that no entrance goes past it.

import type { Parts, PayoutRates, PayoutService } from "./payout.ts";

export const HELD_REASONS = ["by_hand", "large", "first", "day", "repeat"] as const;

export type HeldReason = (typeof HELD_REASONS)[number];

/** What a payout costs, its limits, and when a person looks at it; null is no limit. */
export interface PayoutTerms extends PayoutRates {
  readonly service: PayoutService;
  readonly currency: string;
  readonly minMinor: bigint;
  readonly maxMinor: bigint;
  readonly daySumMinor: bigint | null;
  readonly dayCount: number | null;
  readonly destinationDaySumMinor: bigint | null;
  readonly destinationDayCount: number | null;
  readonly holdOverMinor: bigint | null;
  readonly holdFirst: boolean;
  readonly holdDaySumMinor: bigint | null;
  readonly fourEyesOverMinor: bigint | null;
  readonly holdSeconds: number;
  readonly refundsFee: boolean;
  readonly enabled: boolean;
}

/** Sums and counts of a day, of what was asked for and has not failed. */
export interface DayTotal {
  readonly sumMinor: bigint;
  readonly payouts: number;
}

export interface PayoutCase {
  readonly terms: PayoutTerms;
  readonly parts: Parts;
  readonly amountMinor: bigint;
  readonly availableMinor: bigint;
  /** Asked for by somebody who may not let it leave alone, and not by the user's program. */
  readonly isByHand: boolean;
  /** Before this one. */
  readonly day: DayTotal;
  readonly destination: {
    readonly day: DayTotal;
    /** Money has arrived there before. */
    readonly isProven: boolean;
    /** It may be one that was asked for already: see isLikelyRepeat. */
    readonly mayBeRepeat: boolean;
  };
}

export type Verdict =
  | { readonly refused: "balance_too_small" | "payout_day_limit" | "payout_destination_limit" }
  | { readonly held: HeldReason; readonly approvals: 1 | 2 }
  | { readonly held: undefined };

export function hasDestinationLimit(terms: PayoutTerms | undefined): boolean {
  return terms?.destinationDaySumMinor != null || terms?.destinationDayCount != null;
}

/** Limits count the day's payouts with this one. */
export function judgePayout(one: PayoutCase): Verdict {
  const { terms, parts, amountMinor, day, destination } = one;
  if (isBeyond(day, amountMinor, terms.daySumMinor, terms.dayCount)) {
    return { refused: "payout_day_limit" };
  }
  const { destinationDaySumMinor, destinationDayCount } = terms;
  if (isBeyond(destination.day, amountMinor, destinationDaySumMinor, destinationDayCount)) {
    return { refused: "payout_destination_limit" };
  }
  if (parts.withdrawMinor > one.availableMinor) return { refused: "balance_too_small" };
  const held = reasonToHold(one);
  if (held === undefined) return { held };
  return { held, approvals: isOver(amountMinor, terms.fourEyesOverMinor) ? 2 : 1 };
}

function reasonToHold({
  terms,
  amountMinor,
  isByHand,
  day,
  destination,
}: PayoutCase): HeldReason | undefined {
  if (isByHand) return "by_hand";
  // Two eyes more are asked for where four have to look, whatever else is set.
  if (isOver(amountMinor, terms.holdOverMinor)) return "large";
  if (isOver(amountMinor, terms.fourEyesOverMinor)) return "large";
  if (destination.mayBeRepeat) return "repeat";
  if (terms.holdFirst && !destination.isProven) return "first";
  if (isOver(day.sumMinor + amountMinor, terms.holdDaySumMinor)) return "day";
  return undefined;
}

function isOver(amountMinor: bigint, limit: bigint | null): boolean {
  return limit !== null && amountMinor > limit;
}

function isBeyond(
  { sumMinor, payouts }: DayTotal,
  amountMinor: bigint,
  daySum: bigint | null,
  dayCount: number | null,
): boolean {
  return isOver(sumMinor + amountMinor, daySum) || (dayCount !== null && payouts >= dayCount);
}

const REPEAT_MS = 24 * 60 * 60 * 1000;

/** Another payout of the same amount to the same destination. */
export interface Likeness {
  readonly isUnknown: boolean;
  readonly createdAt: Date;
}

/**
 * Whether a payout may be one of these, asked for again: a program that got no answer, or does not know what
 * became of the first. An order id of its own says that it is another one, unless nobody knows of the first.
 */
export function isLikelyRepeat(
  alike: readonly Likeness[],
  hasOrderId: boolean,
  now: Date,
): boolean {
  return alike.some(
    ({ isUnknown, createdAt }) =>
      isUnknown || (!hasOrderId && now.getTime() - createdAt.getTime() < REPEAT_MS),
  );
}
