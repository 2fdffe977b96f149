// Checks of the books: who asked, what was found, and one piece of the tables at a time.

import type { Queryable, Tx } from "../../platform/db.ts";
import { numberOrNull, Type } from "../../platform/field.ts";
import { AFTER_ALL_IDS } from "../../platform/id.ts";
import { column, type RowOf, shape } from "../operators/noun.ts";
import { firstOfEach, type Violation } from "./queries.ts";

/** So many violations are kept in words; all are counted. */
const NAMED = 20;
export const CHECKS_SHOWN = 20;

export const Checks = shape({
  check_id: column.id("The check."),
  author: column.text("Who asked for it.", "Anna"),
  asked_at: column.moment("When."),
  started_at: column.momentOrNull("When it began, or null."),
  ended_at: column.momentOrNull("When it ended; null while it goes on."),
  violations: column.as(
    numberOrNull({ description: "How many violations it found; null until it ends." }),
  ),
  details: column.as(
    Type.Array(
      Type.String({
        description: "The number of what must hold, and what was found instead.",
        examples: ["14: an invoice has two live payments"],
      }),
      { description: "The first few of them." },
    ),
  ),
});

type BookCheckRow = RowOf<typeof Checks>;

/** The newest first. */
export function lastChecks(db: Queryable): Promise<BookCheckRow[]> {
  return db.query<BookCheckRow>(
    `select ${Checks.columns} from book_checks row order by id desc limit ${CHECKS_SHOWN}`,
    [],
  );
}

export async function checkUnderWay(db: Queryable): Promise<BookCheckRow | undefined> {
  const [row] = await db.query<BookCheckRow>(
    `select ${Checks.columns} from book_checks row where ended_at is null`,
    [],
  );
  return row;
}

/** Whether it was added: where one is under way it is not. */
export async function askForCheck(tx: Tx, id: string, author: string, now: Date): Promise<boolean> {
  const rows = await tx.query(
    `insert into book_checks (id, author, asked_at) values ($1, $2, $3)
     on conflict ((true)) where ended_at is null do nothing returning id`,
    [id, author, now],
  );
  return rows.length > 0;
}

/** For who checks: the one that was asked for, unless somebody who is heard of has it. */
export async function claimCheck(
  db: Queryable,
  worker: string,
  now: Date,
  silentSince: Date,
): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(
    `update book_checks set worker = $1, beat_at = $2, started_at = $2
     where ended_at is null and (beat_at is null or beat_at < $3) returning id`,
    [worker, now, silentSince],
  );
  return row?.id;
}

/** Whether it is still theirs. */
export async function beat(db: Queryable, worker: string, now: Date): Promise<boolean> {
  const rows = await db.query(
    "update book_checks set beat_at = $2 where worker = $1 returning id",
    [worker, now],
  );
  return rows.length > 0;
}

/** Somebody else may have it. */
export async function leaveCheck(db: Queryable, worker: string): Promise<void> {
  await db.query("update book_checks set worker = null, beat_at = null where worker = $1", [
    worker,
  ]);
}

export async function endCheck(
  db: Queryable,
  worker: string,
  found: readonly Violation[],
  now: Date,
): Promise<void> {
  const { violations, details } = summed(found);
  await db.query(
    `update book_checks set ended_at = $2, violations = $3, details = $4, worker = null,
       beat_at = null
     where worker = $1`,
    [worker, now, violations, details],
  );
}

/** One that was made at once, on the machine itself; not where the database only takes reads. */
export async function recordCheck(
  tx: Tx,
  check: { readonly id: string; readonly author: string; readonly startedAt: Date },
  found: readonly Violation[],
  now: Date,
): Promise<void> {
  const [may] = await tx.query<{ write: boolean }>(
    `select current_setting('transaction_read_only') = 'off'
              and has_table_privilege('book_checks', 'insert') as write`,
    [],
  );
  if (may?.write !== true) return;
  const { violations, details } = summed(found);
  await tx.query(
    `insert into book_checks (id, author, asked_at, started_at, ended_at, violations, details)
     values ($1, $2, $3, $3, $4, $5, $6)`,
    [check.id, check.author, check.startedAt, now, violations, details],
  );
}

function summed(found: readonly Violation[]) {
  const kinds = new Map(found.map((one) => [one.invariant, one.found]));
  const violations = [...kinds.values()].reduce((sum, count) => sum + count, 0);
  const details = found
    .slice(0, NAMED)
    .map(({ invariant, detail }) => `${invariant}: ${detail}`.slice(0, 500));
  return { violations, details };
}

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
