// Rows that somebody else holds for longer than a healthy transaction does: a process that was frozen, a
// session that was left open. Guards that whoever needs such a row waits alone and holds nothing
// meanwhile, and that a row which is held is never taken for one that is not there.

import { setTimeout as sleep } from "node:timers/promises";
import type { Tx } from "./db.ts";
import { HttpFailure } from "./failure.ts";

/** The answer to a call that needs a row which is held: nothing was done, and it is asked again. */
export class Held extends HttpFailure {
  constructor(cause?: unknown) {
    // What the caller is told where nobody lets go of it.
    super("unavailable");
    if (cause !== undefined) this.cause = cause;
  }
}

/** What is locked goes from hand to hand: nobody holds it, many want it, and one has to stand in line. */
export class InDemand extends Error {}

/** What a row is told apart by, where that is no id. */
const KEYS: Readonly<Record<string, string>> = {
  requisite_usage: "requisite_id",
  ledger_balances: "user_id || currency",
};

/**
 * Of the rows with these values those that somebody else holds, by the value. In a careful transaction
 * the others are locked now, without waiting; in any other one nothing is asked, and locks wait.
 */
export async function heldAmong(
  tx: Tx,
  table: "invoices" | "payments" | "requisite_usage" | "ledger_balances" | "receivers",
  column: "id" | "invoice_id" | "requisite_id" | "user_id" | "shop_id",
  values: readonly string[],
): Promise<ReadonlySet<string>> {
  if (tx.careful === undefined || values.length === 0) return new Set();
  const { careful } = tx;
  const id = KEYS[table] ?? "id";
  const rows = await tx.query<{ id: string; value: string; holder: string }>(
    `with free as materialized (
       select ${id} as id from ${table} where ${column} = any($1::uuid[])
       order by 1 for no key update skip locked)
     select ${id} as id, ${column} as value, xmax::text as holder from ${table}
     where ${column} = any($1::uuid[]) and ${id} not in (select id from free)`,
    [[...new Set(values)]],
  );
  const moved = rows.filter(({ id, holder }) => (careful.get(id) ?? holder) !== holder);
  for (const { id, holder } of rows) careful.set(id, holder);
  if (rows.length > 0 && moved.length === rows.length) throw new InDemand();
  return new Set(rows.map(({ value }) => value));
}

/** Of these rows those that nobody else holds, locked in the order of their ids. */
export async function lockFree(
  tx: Tx,
  table: "invoices" | "payments" | "ledger_freezes",
  ids: readonly string[],
): Promise<string[]> {
  const column = table === "ledger_freezes" ? "payment_id" : "id";
  const rows = await tx.query<{ id: string }>(
    `select ${column} as id from ${table} where ${column} = any($1::uuid[])
     order by ${column} for no key update skip locked`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

/**
 * As long as any statement may take. A frozen process loses its locks after a fifth of it; the rest is for
 * a machine so busy that healthy transactions are taken for held.
 */
const PATIENCE_MS = 10_000;
const SHORTEST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 200;

/** Does the work again, after growing pauses, while somebody holds what it needs. */
export async function whenFree<Result>(work: () => Promise<Result>): Promise<Result> {
  let until: number | undefined;
  for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Held)) throw error;
      until ??= performance.now() + PATIENCE_MS;
      if (performance.now() > until) throw error;
    }
    // Not all at the same moment.
    await sleep(pauseMs * (0.5 + Math.random()));
  }
}
