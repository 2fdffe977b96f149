// Payouts as figures that can be watched: how many came to each state.

import type { PayoutState } from "../../domain/payout.ts";
import type { App } from "../../platform/app.ts";

export function countConflicts({ metrics }: App, rail: string, count = 1): void {
  const help = "Answers about payouts that contradict what is known.";
  metrics.count("kopeck_payout_conflicts_total", help, count, { rail });
}

export function countUnexplained({ metrics }: App, count = 1): void {
  const help = "Lines that show a payout to have left which by the books has not.";
  metrics.count("kopeck_lines_unexplained_total", help, count);
}

export function countPayouts({ metrics }: App, state: PayoutState, count = 1): void {
  if (count === 0) return;
  metrics.count("kopeck_payouts_total", "Payouts that came to a state.", count, { state });
}
