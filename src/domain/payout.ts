// Payouts: states, fees, policy, attempts, destinations. Only proof ends the state unknown.

import type { Edges } from "./edge.ts";
import { divCeil, PARTS_PER_MILLION } from "./money.ts";
import { hasCheckDigit, maskNumber } from "./requisite.ts";

export const PAYOUT_STATES = [
  ...(["held", "queued", "sending", "unknown"] as const),
  ...(["done", "failed", "canceled", "returned"] as const),
] as const;

export type PayoutState = (typeof PAYOUT_STATES)[number];

export const PAYOUT_EDGES: Edges<PayoutState> = {
  held: ["queued", "canceled"],
  // Nobody knows of one that was tried before, and is shown to have left then.
  queued: ["sending", "canceled", "unknown"],
  // Back in line only where it has not left, for certain.
  sending: ["queued", "done", "failed", "unknown"],
  unknown: ["queued", "done", "failed"],
  // Money may come back after a bank has said that it arrived,
  done: ["returned"],
  // and may turn out to have left after all.
  failed: ["done"],
  canceled: ["done"],
  returned: [],
};

const WIRE_STATES = {
  held: "wait",
  queued: "wait",
  sending: "wait",
  unknown: "wait",
  done: "success",
  failed: "fail",
  canceled: "fail",
  returned: "fail",
} as const satisfies Record<PayoutState, string>;

export type WireState = (typeof WIRE_STATES)[PayoutState];

export function wireState(state: PayoutState): WireState {
  return WIRE_STATES[state];
}

/** What an event's code says of it; a state without one is not told. */
export const EVENT_CODES: Readonly<Partial<Record<PayoutState, number>>> = {
  done: 1,
  failed: 41,
  canceled: 42,
  returned: 43,
};

export const PAYOUT_SERVICES = ["card", "sbp"] as const;

export type PayoutService = (typeof PAYOUT_SERVICES)[number];

/** Where the fee is taken from: on top of the amount, from the balance; or out of the amount. */
export const SUBTRACTS = ["balance", "amount"] as const;

export type Subtract = (typeof SUBTRACTS)[number];

export interface Parts {
  /** What leaves the balance: always the two others together. */
  readonly withdrawMinor: bigint;
  readonly receiveMinor: bigint;
  readonly feeMinor: bigint;
}

export interface PayoutRates {
  readonly percentPpm: number;
  readonly fixMinor: bigint;
}

/** Undefined where the fee would leave nothing to send. */
export function partsOf(
  amountMinor: bigint,
  subtract: Subtract,
  { percentPpm, fixMinor }: PayoutRates,
): Parts | undefined {
  const feeMinor = divCeil(amountMinor * BigInt(percentPpm), PARTS_PER_MILLION) + fixMinor;
  if (subtract === "balance") {
    return { withdrawMinor: amountMinor + feeMinor, receiveMinor: amountMinor, feeMinor };
  }
  if (feeMinor >= amountMinor) return undefined;
  return { withdrawMinor: amountMinor, receiveMinor: amountMinor - feeMinor, feeMinor };
}

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

export const ATTEMPT_STATES = [
  ...(["claimed", "dispatched", "accepted", "unknown", "sent", "not_sent"] as const),
] as const;

export type AttemptState = (typeof ATTEMPT_STATES)[number];

export const ATTEMPT_EDGES: Edges<AttemptState> = {
  // Nothing was sent before the marker.
  claimed: ["dispatched", "not_sent"],
  dispatched: ["accepted", "unknown", "sent", "not_sent"],
  accepted: ["unknown", "sent", "not_sent"],
  unknown: ["sent", "not_sent"],
  sent: [],
  // Said not to have left, and then to have or to be about to, while it stands in line again: nobody knows.
  not_sent: ["unknown"],
};

/** What a rail says of an attempt; whatever it says that nobody has written down is `unknown`. */
export type RailAnswer =
  | {
      readonly kind: "sent";
      readonly railId?: string;
      readonly reference?: string;
      readonly proof?: string;
    }
  | { readonly kind: "accepted"; readonly railId?: string }
  | { readonly kind: "not_sent"; readonly reason: string; readonly retry: boolean }
  | { readonly kind: "unknown"; readonly detail: string };

/** So often a payout that has not left is tried again. */
export const MOST_ATTEMPTS = 5;

interface Consequence {
  readonly attempt: AttemptState;
  /** Undefined where the payout stays as it is. */
  readonly payout?: PayoutState;
}

/** Nothing new, or something that cannot be: then whoever watches is told, and the stronger fact stays. */
export type AfterAnswer = Consequence | "known" | "conflict";

/** How it was heard: somebody told it, a rail was asked just now, or people who know all that was said have decided. */
export type Hearing = "told" | "asked" | "decided";

/**
 * Whether "not sent" proves nothing any more of an attempt that was said not to have left, and then otherwise: the
 * first word told once more, such as a notice that is delivered again, is no news. A late "accepted" may be older than
 * it, so the rail is asked; after "sent" only people or a proof end it.
 */
export function isContradicted(
  reopened: { readonly by: "sent" | "accepted" } | undefined,
  how: Hearing,
): boolean {
  if (reopened === undefined || how === "decided") return false;
  return how === "told" || reopened.by === "sent";
}

export function afterAnswer(
  state: AttemptState,
  number: number,
  { kind, ...answer }: RailAnswer,
  payout: PayoutState = "sending",
  isDoubted = false,
): AfterAnswer {
  if (state === "sent") return kind === "not_sent" ? "conflict" : "known";
  if (state === "not_sent") {
    if (kind === "not_sent" || kind === "unknown") return "known";
    // It has left, or will: it must not be sent again, nor given back, before somebody knows.
    return payout === "queued" ? { attempt: "unknown", payout: "unknown" } : "conflict";
  }
  // Nothing was sent yet, so nobody can have an answer.
  if (state === "claimed") return "conflict";
  switch (kind) {
    case "sent":
      return { attempt: "sent", payout: "done" };
    case "not_sent": {
      if (isDoubted) return "conflict";
      const mayTryAgain = "retry" in answer && answer.retry && number < MOST_ATTEMPTS;
      return { attempt: "not_sent", payout: mayTryAgain ? "queued" : "failed" };
    }
    case "accepted":
      // An unknown outcome stays unknown until the end is known.
      return state === "dispatched" ? { attempt: "accepted" } : "known";
    case "unknown":
      return state === "unknown" ? "known" : { attempt: "unknown", payout: "unknown" };
  }
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** After how many seconds it is asked again, by how often it was; it never ends. */
const LOOKS = [10, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR];

export function secondsToNextLook(looks: number): number {
  return LOOKS[looks] ?? HOUR;
}

/** So long a rail may say that it has accepted a payout without saying what came of it. */
const ACCEPTED_SECONDS = HOUR;

/** A desk and a file know nothing by themselves: people and statements tell of them. */
export function canBeAsked(rail: string): boolean {
  return rail !== "desk" && rail !== "file";
}

/** What a rail that was asked says. That it knows of nothing proves nothing: what was sent may still arrive. */
export type Finding = RailAnswer | { readonly kind: "not_found" };

/** What a look proves; undefined where everything stays as it is until the next one. */
export function afterLook(
  found: Finding,
  attempt: {
    readonly state: AttemptState;
    readonly dispatchedAt: Date | null;
    readonly reopened?: Parameters<typeof isContradicted>[0];
  },
  now: Date,
): RailAnswer | undefined {
  const { state, dispatchedAt, reopened } = attempt;
  if (found.kind === "not_sent" && isContradicted(reopened, "asked")) return undefined;
  if (found.kind === "sent" || found.kind === "not_sent") return found;
  const waitedMs = now.getTime() - (dispatchedAt ?? now).getTime();
  const isTooLong = state === "accepted" && waitedMs >= ACCEPTED_SECONDS * 1000;
  return isTooLong
    ? { kind: "unknown", detail: "It was accepted, and never said to be sent." }
    : undefined;
}

/** What a rail knows an attempt by; the same request under it is the same payout. */
export function attemptKey({ payoutId, number }: AttemptName): string {
  return `${payoutId}.${number}`;
}

interface AttemptName {
  readonly payoutId: string;
  readonly number: number;
}

const KEY = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([1-9]\d{0,8})$/;

export function readAttemptKey(key: string): AttemptName | undefined {
  const [, payoutId, number] = KEY.exec(key) ?? [];
  return payoutId === undefined ? undefined : { payoutId, number: Number(number) };
}

/** A number in its one form, or undefined where it is none. */
export function numberFor(service: PayoutService, written: string): string | undefined {
  return service === "card" ? cardOf(written) : phoneOf(written);
}

/** Thirteen to nineteen digits with their check digit, in groups or not. */
function cardOf(written: string): string | undefined {
  if (!/^[\d\s-]{13,40}$/.test(written)) return undefined;
  const digits = written.replace(/\D/g, "");
  return /^[2-9]\d{12,18}$/.test(digits) && hasCheckDigit(digits) ? digits : undefined;
}

/** A Russian mobile phone as 7 and ten digits: +7 (916) 123-45-67, 8 916 …, 916 …. */
function phoneOf(written: string): string | undefined {
  if (!/^\s*\+?[\d\s().-]{10,40}$/.test(written)) return undefined;
  const digits = written.replace(/\D/g, "");
  const isInternational = written.trimStart().startsWith("+");
  const rest = isInternational
    ? /^7(9\d{9})$/.exec(digits)?.[1]
    : /^[78]?(9\d{9})$/.exec(digits)?.[1];
  return rest === undefined ? undefined : `7${rest}`;
}

const USUAL_LENGTH = 16;

/** What everybody but whoever sends it sees; of a short card too few would be left to guess. */
export function maskDestination(number: string): string {
  const isShort = number.length < USUAL_LENGTH;
  return isShort
    ? `${number.slice(0, 2)}${"*".repeat(number.length - 6)}${number.slice(-4)}`
    : maskNumber(number);
}
