// Which of its screens the payment page shows, from how invoice and payment stand now, and what a screen is
// drawn from.

import { isOver } from "../../domain/invoice.ts";
import type { BankCode, TransferService } from "../../domain/requisite.ts";
import type { Config } from "../../platform/config.ts";
import type { Language } from "../../platform/failure.ts";
import { MAX_DETAILS_ON_PAGE } from "../payments/details.ts";
import type { CheckoutRow } from "./queries.ts";

export type Screen = "choose" | "details" | "lapsed" | "paid" | "expired" | "failed" | "refunded";

/** A method that can be chosen: its banks, and what it costs the payer. */
export interface Method {
  readonly service: TransferService;
  readonly feeMinor: bigint;
  readonly toPayMinor: bigint;
  readonly banks: readonly BankCode[];
}

export interface Checkout {
  readonly config: Config;
  readonly language: Language;
  readonly now: Date;
  readonly row: CheckoutRow;
  readonly screen: Screen;
  /** The card or phone to pay to, on the screen that shows it. */
  readonly wallet: string | null;
  readonly methods: readonly Method[];
  /** The method that was chosen, where there are several. */
  readonly chosen: string | undefined;
  /** The payer wants to choose again, though there were details already. */
  readonly isChange: boolean;
  /** Whether there are details that the payer may go back to. */
  readonly hasDetails: boolean;
  /** Why the last wish could not be met. */
  readonly problem: string | undefined;
}

/** What the rows say counts; between a moment and the job that writes it, the moment does. */
export function screenOf(row: CheckoutRow, now: Date): Screen {
  if (row.state !== "created" && row.state !== "pending") return row.state;
  if (isOver(row.expires_at, now)) return "expired";
  if (row.payment_state === null || row.ends_at === null) return "choose";
  const isLive = row.payment_state === "live" && !isOver(row.ends_at, now);
  // A card that was switched off is shown to nobody any more; money that is under way is found all the same.
  return isLive && row.is_given_out ? "details" : "lapsed";
}

/** Whether the order has had its last details: then no button offers more of them. */
export function isSpent({ details }: CheckoutRow): boolean {
  return details >= MAX_DETAILS_ON_PAGE;
}

/** Whether there were details, and their money may still come. */
export function mayWait(screen: Screen): boolean {
  return screen === "details" || screen === "lapsed" || screen === "expired";
}

/** Whether money that comes now is no longer recognised by itself, whoever sent it. */
export function isTooLate({ row, now }: Pick<Checkout, "row" | "now">): boolean {
  return row.slot_until !== null && isOver(row.slot_until, now);
}

/** Banks tell of most transfers sooner; whoever has waited so long is asked what was sent. */
const ASK_AFTER_MS = 2 * 60_000;

/** How far a payer is who says to have paid: not said, said, long ago enough to be asked what was sent. */
export function saidOf({ row, now }: Pick<Checkout, "row" | "now">): "no" | "now" | "before" {
  if (row.paid_said_at === null) return "no";
  return now.getTime() - row.paid_said_at.getTime() < ASK_AFTER_MS ? "now" : "before";
}
