// What a shop asks for, and the only ways its state may change. Every statement that changes a state takes
// the states it may leave from this table.

import type { Edges } from "./edge.ts";

export const INVOICE_STATES = [
  "created",
  "pending",
  "paid",
  "expired",
  "failed",
  "refunded",
] as const;

export type InvoiceState = (typeof INVOICE_STATES)[number];

export const INVOICE_TYPES = ["direct", "link"] as const;

export type InvoiceType = (typeof INVOICE_TYPES)[number];

/** The one edge back, expired to paid, is money that came late. */
export const INVOICE_EDGES: Edges<InvoiceState> = {
  created: ["pending", "expired", "failed"],
  pending: ["paid", "expired", "failed"],
  paid: ["refunded"],
  expired: ["paid"],
  failed: [],
  refunded: [],
};

/** An invoice past its end takes no new payment, also before its row says so. */
export function isOver(expiresAt: Date, now: Date): boolean {
  return expiresAt.getTime() <= now.getTime();
}

export const EXPIRE_MINUTES = { min: 1, max: 7200, default: 300 } as const;
