// The requisites as they are set, kept while the settings stand, and who of them has rested longest. All
// of it only says whom to try: what a requisite has room for is decided under the lock of its usage.

import { ANY_BANK, type WalletKind, type WantedBank } from "../../domain/requisite.ts";
import type { App } from "../../platform/app.ts";
import { type Proven, remembering } from "../../platform/remember.ts";
import { type PoolRow, readPool } from "./queries.ts";

interface Need {
  readonly bank: WantedBank;
  readonly currency: string;
  readonly wallet: WalletKind;
}

export type Pool = ReturnType<typeof openPool>;

const recall = remembering(async (db) => new Map([["all", openPool(await readPool(db))]]));

/** As they were when these callers were proven, or later. */
export async function poolOf(app: App, callers: readonly Proven[]): Promise<Pool> {
  const pool = (await recall(app, callers, ["all"])).get("all");
  if (pool === undefined) throw new Error("The requisites were not read.");
  return pool;
}

function openPool(rows: readonly PoolRow[]) {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const alike = new Map<string, PoolRow[]>();
  const inLine = rows.filter(({ enabled }) => enabled).toSorted(longestUnusedFirst);
  for (const row of inLine) {
    for (const wallet of row.wallets) {
      for (const bank of [row.bank, ANY_BANK]) {
        const key = `${bank} ${row.currency} ${wallet}`;
        const own = alike.get(key) ?? [];
        own.push(row);
        alike.set(key, own);
      }
    }
  }
  const begins = new WeakMap<readonly PoolRow[], number>();
  return {
    /**
     * Of these the ids of so many that have rested longest, as far as this process knows, which now go to
     * the back of the line.
     */
    nextInLine(suiting: readonly PoolRow[], wanted: number): string[] {
      const from = begins.get(suiting) ?? 0;
      begins.set(suiting, (from + wanted) % suiting.length);
      // All the way round, and never twice the same.
      return [...suiting.slice(from), ...suiting.slice(0, from)]
        .slice(0, wanted)
        .map(({ id }) => id);
    },
    byId: (id: string): PoolRow | undefined => byId.get(id),
    /** Those that are given out at all, and can take this kind of money. */
    suiting: ({ bank, currency, wallet }: Need): readonly PoolRow[] =>
      alike.get(`${bank} ${currency} ${wallet}`) ?? [],
  };
}

function longestUnusedFirst(left: PoolRow, right: PoolRow): number {
  const usedAt = ({ last_used_at: at }: PoolRow): number => at?.getTime() ?? 0;
  return usedAt(left) - usedAt(right) || (left.id < right.id ? -1 : 1);
}
