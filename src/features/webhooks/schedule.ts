// What follows from an attempt: delivered, another attempt at a known moment, or the end. Guards that
// every event is delivered, or ends as exhausted or without an address (invariant 19).

import type { AttemptOutcome } from "./queries.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long to wait after the first failure, the second, … */
const RETRY_DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

const GONE = 410;

/** A status of null is an attempt without an answer; the failures count this one. */
export function nextStep(
  { status, error }: Pick<AttemptOutcome, "status" | "error">,
  failures: number,
  endedAt: Date,
): Pick<AttemptOutcome, "state" | "nextAttemptAt"> {
  if (status !== null && status >= 200 && status < 300) {
    return { state: "delivered", nextAttemptAt: null };
  }
  if (error === "no address") return { state: "no_address", nextAttemptAt: null };
  const delayMs = RETRY_DELAYS_MS[failures - 1];
  // A receiver that says it is gone wants to hear no more.
  if (status === GONE || delayMs === undefined) return { state: "exhausted", nextAttemptAt: null };
  return { state: "waiting", nextAttemptAt: new Date(endedAt.getTime() + delayMs) };
}
