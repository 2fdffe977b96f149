// Writing to the ledger. Postings and balances change together, with one update a balance.

import { toDecimalNumber } from "../../domain/money.ts";
import type { Posting } from "../../domain/posting.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { addPostings, type Balances, type Move, moveBalances } from "./queries.ts";

/** Balances that the caller has locked are there, and are not looked for and locked once more. */
export async function post(
  tx: Tx,
  app: App,
  postings: readonly Posting[],
  balances: Balances = "as they are",
): Promise<void> {
  if (postings.length === 0) return;
  const rows = postings.map((posting) => ({ ...posting, id: app.newId() }));
  await Promise.all([
    addPostings(tx, rows, app.clock.now(), balances),
    moveBalances(tx, movesOf(postings), balances),
  ]);
}

/** What users' balances gain in sum; what everybody's money flows through keeps none. */
function movesOf(postings: readonly Posting[]): Move[] {
  const moves = new Map<string, Move>();
  for (const { userId, currency, gains } of postings) {
    if (userId === null) continue;
    const key = `${userId} ${currency}`;
    const { available = 0n, frozen = 0n, reserved = 0n } = moves.get(key) ?? {};
    moves.set(key, {
      userId,
      currency,
      available: available + (gains.available ?? 0n),
      frozen: frozen + (gains.frozen ?? 0n),
      reserved: reserved + (gains.reserved ?? 0n),
    });
  }
  return [...moves.values()];
}

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
