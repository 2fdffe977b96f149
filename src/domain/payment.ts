// One attempt to pay an invoice: a requisite, an exact amount and an end. Guards that details never
// outlive their invoice, and that late money still finds its payment for the whole quarantine.

import { addSeconds, earlier, later } from "./moment.ts";

export const PAYMENT_STATES = ["live", "paid", "lapsed"] as const;

export type PaymentState = (typeof PAYMENT_STATES)[number];

/** The edge from lapsed to paid is money that came late. */
export const PAYMENT_EDGES: Readonly<Record<PaymentState, readonly PaymentState[]>> = {
  live: ["paid", "lapsed"],
  lapsed: ["paid"],
  paid: [],
};

const DETAILS_SECONDS = 20 * 60;
const QUARANTINE_SECONDS = 24 * 60 * 60;

export function endOfDetails(now: Date, invoiceExpiresAt: Date): Date {
  return earlier(addSeconds(now, DETAILS_SECONDS), invoiceExpiresAt);
}

/**
 * Until then nobody else is given the same requisite and amount. Details that lived their full time
 * earn the whole quarantine, others in proportion: whoever asks and throws away holds little. But what
 * a payer was promised is theirs to the end of it, also when other details have replaced it.
 */
export function endOfSlot(issuedAt: Date, endedAt: Date, promisedEndAt: Date): Date {
  const livedSeconds = (endedAt.getTime() - issuedAt.getTime()) / 1000;
  const earnedSeconds = livedSeconds * (QUARANTINE_SECONDS / DETAILS_SECONDS);
  return later(promisedEndAt, addSeconds(endedAt, Math.min(earnedSeconds, QUARANTINE_SECONDS)));
}
