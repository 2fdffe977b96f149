// One attempt to send a payout, and what an answer about it means. Guards that an answer is never taken for
// more than it says: only who knows that nothing has left may say so, and what has left stays so.

import type { Edges } from "./edge.ts";
import type { PayoutState } from "./payout.ts";

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
      /** What else shows it. */
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
      // Once nobody knew, it stays so until somebody knows the end.
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
