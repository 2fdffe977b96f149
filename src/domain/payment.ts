// One attempt to pay an invoice: a requisite, an exact amount and an end. Guards that details never
// outlive their invoice, and that late money still finds its payment for the whole quarantine.

import { addSeconds, earlier } from "./moment.ts";

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

/** Until then nobody else is given the same requisite and amount. */
export function endOfSlot(detailsEndAt: Date): Date {
  return addSeconds(detailsEndAt, QUARANTINE_SECONDS);
}
