// The ledger beside the witness's own count. Asked of a database that nothing is being written to.

import { findViolations } from "../../src/features/ledger/queries.ts";
import type { Queryable } from "../../src/platform/db.ts";
import type { Tally } from "./tally.ts";

/** The invariants that hold at every moment, also under load. */
export async function brokenInvariants(db: Queryable, now: Date): Promise<string[]> {
  const violations = await findViolations(db, now);
  return violations.map(({ invariant, detail }) => `invariant ${invariant}: ${detail}`);
}

interface OrderRow {
  readonly id: string;
  readonly order_id: string;
}

/** By the order's name, the invoice that it was told. */
export type Orders = ReadonlyMap<string, string>;

export async function differencesOf(
  db: Queryable,
  tally: Tally,
  orders: Orders,
): Promise<string[]> {
  const stored = await db.query<OrderRow>("select id, order_id from invoices", []);
  const byOrder = new Map(stored.map(({ id, order_id }) => [order_id, id]));
  const lost = [...orders].filter(([order, id]) => byOrder.get(order) !== id);
  const strange = stored.filter(({ order_id }) => !orders.has(order_id));
  return [
    ...lost.map(([order, id]) => `${order} was told ${id}, stored is ${byOrder.get(order)}`),
    ...strange.map(({ order_id, id }) => `${order_id} is stored as ${id}, and nobody was told`),
    ...(await sumsOf(db, tally)),
  ];
}

interface SumRow {
  readonly name: string;
  readonly sum: bigint;
}

/** The ledger's postings themselves are summed up, not the balances beside them. */
async function sumsOf(db: Queryable, tally: Tally): Promise<string[]> {
  const rows = await db.query<SumRow>(
    `select 'payments' as name, count(*) as sum from payments
     union all select 'transfers', count(*) from transfers
     union all select 'refunds', count(*) from refunds
     union all select 'suspense', coalesce(sum(suspense_minor), 0)::bigint from ledger_postings
     union all select 'credited ' || user_id, sum(frozen_minor)::bigint from ledger_postings
       where frozen_minor <> 0 and kind <> 'freeze_over' group by user_id
     union all select 'refunded ' || user_id, -sum(available_minor)::bigint from ledger_postings
       where available_minor <> 0 and kind <> 'freeze_over' group by user_id`,
    [],
  );
  const found = new Map(rows.map(({ name, sum }) => [name, sum]));
  const byUser = (name: string, sums: ReadonlyMap<string, number>) =>
    [...sums].map(([userId, minor]) => [`${name} ${userId}`, minor] as const);
  const promised = new Map<string, number>([
    ...([
      ["payments", tally.payments],
      ["transfers", tally.transfers],
      ["refunds", tally.refunds],
      ["suspense", tally.suspenseMinor],
    ] as const),
    ...byUser("credited", tally.creditedMinor),
    ...byUser("refunded", tally.refundedMinor),
  ]);
  return [...new Set([...promised.keys(), ...found.keys()])]
    .filter((name) => BigInt(promised.get(name) ?? 0) !== (found.get(name) ?? 0n))
    .map((name) => `${name}: promised ${promised.get(name) ?? 0}, stored ${found.get(name) ?? 0}`);
}
