// What the witness has been promised, in sums that are counted when an answer comes and never looked up,
// and the ledger beside them. Asked of a database that nothing is being written to.

import { findViolations } from "../../src/features/ledger/queries.ts";
import { type Db, onlyRead, type Queryable } from "../../src/platform/db.ts";
import { type Life, rulesOf, type Step } from "./life.ts";

/** By the names that the sums of the database have. */
export type Tally = Map<string, number>;

/** The answer is among what the life has heard already. */
export function reckon(tally: Tally, life: Life, step: Step): void {
  for (const [name, by] of Object.entries(rulesOf(life, step).promised)) {
    tally.set(name, (tally.get(name) ?? 0) + by);
  }
}

export const balanceMinor = (tally: Tally, userId: string): number =>
  (tally.get(`credited ${userId}`) ?? 0) - (tally.get(`refunded ${userId}`) ?? 0);

/** The invariants that hold at every moment, also under load; looked at as `kopeck verify` does. */
export async function brokenInvariants(db: Db, now = new Date()): Promise<string[]> {
  const violations = await db.transaction(async (tx) => {
    await onlyRead(tx);
    return findViolations(tx, now);
  });
  return violations.map(({ invariant, detail }) => `invariant ${invariant}: ${detail}`);
}

/** The orders: by their name, the invoice that was told. */
export async function differencesOf(
  db: Queryable,
  tally: Tally,
  orders: ReadonlyMap<string, string>,
): Promise<string[]> {
  const stored = await db.query<{ id: string; order_id: string }>(
    "select id, order_id from invoices",
    [],
  );
  const byOrder = new Map(stored.map(({ id, order_id }) => [order_id, id]));
  const lost = [...orders].filter(([order, id]) => byOrder.get(order) !== id);
  const strange = stored.filter(({ order_id }) => !orders.has(order_id));
  const rows = await db.query<{ name: string; sum: bigint }>(SUMS, []);
  const found = new Map(rows.map(({ name, sum }) => [name, sum]));
  const wrong = [...new Set([...tally.keys(), ...found.keys()])].filter(
    (name) => BigInt(tally.get(name) ?? 0) !== (found.get(name) ?? 0n),
  );
  return [
    ...lost.map(([order, id]) => `${order} was told ${id}, stored is ${byOrder.get(order)}`),
    ...strange.map(({ order_id, id }) => `${order_id} is stored as ${id}, and nobody was told`),
    ...wrong.map((name) => `${name}: promised ${tally.get(name)}, stored ${found.get(name)}`),
  ];
}

/** The ledger's postings themselves are summed up, not the balances beside them. */
const SUMS = `
  select 'payments' as name, count(*) as sum from payments
  union all select 'transfers', count(*) from transfers
  union all select 'refunds', count(*) from refunds
  union all select 'suspense', coalesce(sum(suspense_minor), 0)::bigint from ledger_postings
  union all select 'credited ' || user_id, sum(frozen_minor)::bigint from ledger_postings
    where frozen_minor <> 0 and kind <> 'freeze_over' group by user_id
  union all select 'refunded ' || user_id, -sum(available_minor)::bigint from ledger_postings
    where available_minor <> 0 and kind <> 'freeze_over' group by user_id`;
