// Which of its screens the payment page shows, from how invoice and payment stand now.

import { isOver } from "../../domain/invoice.ts";
import type { CheckoutRow } from "./queries.ts";

export type Screen = "choose" | "details" | "lapsed" | "paid" | "expired" | "failed" | "refunded";

/** What the rows say counts; between a moment and the job that writes it, the moment does. */
export function screenOf(row: CheckoutRow, now: Date): Screen {
  if (row.state !== "created" && row.state !== "pending") return row.state;
  if (isOver(row.expires_at, now)) return "expired";
  if (row.payment_state === null || row.ends_at === null) return "choose";
  const isLive = row.payment_state === "live" && !isOver(row.ends_at, now);
  // A card that was switched off is shown to nobody any more; money that is under way is found all the same.
  return isLive && row.is_given_out ? "details" : "lapsed";
}
