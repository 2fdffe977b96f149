// An attempt to pay an invoice. Details end with their invoice; late money finds its payment for a day.

import type { Edges } from "./edge.ts";
import { addSeconds, earlier, later } from "./moment.ts";

export const PAYMENT_STATES = ["live", "paid", "lapsed"] as const;

export type PaymentState = (typeof PAYMENT_STATES)[number];

/** The edge from lapsed to paid is money that came late. */
export const PAYMENT_EDGES: Edges<PaymentState> = {
  live: ["paid", "lapsed"],
  lapsed: ["paid"],
  paid: [],
};

const DETAILS_SECONDS = 20 * 60;
const QUARANTINE_SECONDS = 24 * 60 * 60;
/** Nothing that was issued before could still be live, or hold its slot. */
export const LONGEST_DETAILS_SECONDS = DETAILS_SECONDS;
export const LONGEST_SLOT_SECONDS = DETAILS_SECONDS + QUARANTINE_SECONDS;
/** So late a bank may tell of money that was sent in time. */
const TELLING_SECONDS = 2 * 60 * 60;

/** Details that may be live now were not issued before, by whatever clock. */
export function firstThatMayLive(now: Date): Date {
  return addSeconds(now, -2 * DETAILS_SECONDS);
}

export function endOfDetails(now: Date, invoiceExpiresAt: Date): Date {
  return earlier(addSeconds(now, DETAILS_SECONDS), invoiceExpiresAt);
}

/** Until then nobody else is given the same requisite and amount. */
export function endOfSlot(promisedEndAt: Date): Date {
  return addSeconds(promisedEndAt, QUARANTINE_SECONDS);
}

/**
 * Details that others have replaced earn a quarantine in proportion to how long they lived: whoever asks
 * and throws away holds little. But what a payer was promised is theirs to the end of it, and a bank may
 * tell of it a while later.
 */
export function endOfReplacedSlot(issuedAt: Date, replacedAt: Date, promisedEndAt: Date): Date {
  const livedSeconds = (replacedAt.getTime() - issuedAt.getTime()) / 1000;
  const earnedSeconds = livedSeconds * (QUARANTINE_SECONDS / DETAILS_SECONDS);
  const earnedAt = addSeconds(replacedAt, Math.min(earnedSeconds, QUARANTINE_SECONDS));
  return later(addSeconds(promisedEndAt, TELLING_SECONDS), earnedAt);
}
