// Money that arrived: whose is it? Guards that a payment is credited at most once, and that late
// money is a policy of the shop's and not an accident.

import { type InvoiceState, isOver } from "./invoice.ts";
import type { PaymentState } from "./payment.ts";

export const TRANSFER_STATES = ["matched", "suspense", "returned"] as const;

export type TransferState = (typeof TRANSFER_STATES)[number];

export const LATE_POLICIES = ["credit", "hold"] as const;

export type LatePolicy = (typeof LATE_POLICIES)[number];

/** The payment that holds the slot which the money arrived on. */
export interface SlotHolder {
  readonly paymentState: PaymentState;
  readonly endsAt: Date;
  readonly invoiceState: InvoiceState;
  readonly latePolicy: LatePolicy;
  /** Whether somebody else has live details so near that late money may be theirs, off by a slip. */
  readonly isContested: boolean;
}

export type Match =
  | { readonly matched: false }
  | { readonly matched: true; readonly late: boolean };

const SUSPENSE: Match = { matched: false };

export function matchTransfer(holder: SlotHolder | undefined, now: Date): Match {
  if (holder === undefined || !canBePaid(holder)) return SUSPENSE;
  const late = isLate(holder, now);
  const isHeld = holder.latePolicy === "hold" || holder.isContested;
  return late && isHeld ? SUSPENSE : { matched: true, late };
}

/** Late is what came after the details' end, also before a job has said so in their row. */
export function isLate(
  holder: Pick<SlotHolder, "paymentState" | "invoiceState" | "endsAt">,
  now: Date,
): boolean {
  return (
    holder.paymentState === "lapsed" ||
    holder.invoiceState === "expired" ||
    isOver(holder.endsAt, now)
  );
}

/** An invoice that was paid by other details, refunded or closed takes no more money. */
export function canBePaid(holder: Pick<SlotHolder, "paymentState" | "invoiceState">): boolean {
  const open = holder.invoiceState === "pending" || holder.invoiceState === "expired";
  return open && holder.paymentState !== "paid";
}
