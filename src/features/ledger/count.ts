// Money as figures that can be watched. They are of one process since its start: the books are the ledger.

import { toDecimalNumber } from "../../domain/money.ts";
import type { App } from "../../platform/app.ts";

/** What users were credited with, what was taken from them again, what came and belongs to nobody yet. */
type Movement = "credited" | "refunded" | "suspense";

interface Amount {
  readonly currency: string;
  readonly amountMinor: bigint;
}

export function countMoney({ metrics }: App, movement: Movement, amounts: readonly Amount[]): void {
  const sums = new Map<string, bigint>();
  for (const { currency, amountMinor } of amounts) {
    sums.set(currency, (sums.get(currency) ?? 0n) + amountMinor);
  }
  for (const [currency, minor] of sums) {
    const labels = { movement, currency };
    const help = "Money that moved, in the currency's whole units.";
    metrics.count("kopeck_money_total", help, toDecimalNumber(minor), labels);
  }
}
