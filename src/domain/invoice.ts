// Invoices: states, their edges, and when an invoice closes.

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

/** The one edge back, expired to paid, is money that came late. Failed is what its shop or an operator has canceled. */
export const INVOICE_EDGES: Edges<InvoiceState> = {
  created: ["pending", "expired", "failed"],
  pending: ["paid", "expired", "failed"],
  paid: ["refunded"],
  expired: ["paid"],
  failed: [],
  refunded: [],
};

/** Why it takes no details any more and cannot be canceled; undefined while it is open. */
export function whyNotOpen(
  { state, expiresAt }: { readonly state: InvoiceState; readonly expiresAt: Date },
  now: Date,
): "invoice_paid" | "invoice_closed" | "invoice_expired" | undefined {
  switch (state) {
    case "paid":
    case "refunded":
      return "invoice_paid";
    case "failed":
      return "invoice_closed";
    case "expired":
      return "invoice_expired";
    case "created":
    case "pending":
      return isOver(expiresAt, now) ? "invoice_expired" : undefined;
  }
}

/** An invoice past its end takes no new payment, also before its row says so. */
export function isOver(expiresAt: Date, now: Date): boolean {
  return expiresAt.getTime() <= now.getTime();
}

export const EXPIRE_MINUTES = { min: 1, max: 7200, default: 300 } as const;
