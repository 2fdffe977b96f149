// One piece of the books: a range of one table's ids, with all that belongs to it.

import type { Queryable } from "../../platform/db.ts";
import { AFTER_ALL_IDS } from "../../platform/id.ts";
import { firstOfEach, type Violation } from "./queries.ts";

/** What is checked in pieces, by the ids that it goes by: violations_of_… in the database. */
export const PARTS = {
  invoices: "id",
  payments: "id",
  ledger_postings: "source_id",
  users: "id",
  requisite_usage: "requisite_id",
  slots: "requisite_id",
  events: "id",
  outbox: "event_id",
  transfers: "id",
  statement_lines: "id",
  movements: "id",
  imports: "id",
  own_moves: "id",
  payouts: "id",
} as const;

export type Part = keyof typeof PARTS;

/**
 * Of a small range at a table's edge the planner believes that it is empty, and compares each row with
 * each: 10 s for 20,000 rows that are hashed in 50 ms. Look-ups by a key have no other way, and stay; what
 * they are then said to cost would have the server compile every statement, for seconds each.
 */
export async function planByHashes(db: Queryable): Promise<void> {
  await db.query("set local enable_nestloop = off; set local jit = off");
}

/** Where a piece of so many rows ends. */
export async function endOfPiece(
  db: Queryable,
  part: Part,
  after: string,
  rows: number,
): Promise<string> {
  const [end] = await db.query<{ id: string }>(
    `select ${PARTS[part]} as id from ${part} where ${PARTS[part]} > $1
     order by ${PARTS[part]} offset $2 - 1 limit 1`,
    [after, rows],
  );
  return end?.id ?? AFTER_ALL_IDS;
}

/** After one id, up to another and with it. */
export function violationsOfPiece(
  db: Queryable,
  part: Part,
  range: { readonly after: string; readonly upTo: string },
  now: Date,
  limit: number,
): Promise<Violation[]> {
  return db.query<Violation>(firstOfEach(`violations_of_${part}($2, $3, $4)`), [
    limit,
    now,
    range.after,
    range.upTo,
  ]);
}

export function violationsOfGuards(db: Queryable, limit: number): Promise<Violation[]> {
  return db.query<Violation>(firstOfEach("violations_of_guards()"), [limit]);
}
