// Writing to the ledger. Guards that postings and balances change together, in one order of locks, and
// with one update a balance however many postings a set has.

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
