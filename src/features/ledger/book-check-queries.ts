// When the books were checked, by whom, and what was found. One check is under way at a time.

import type { Queryable, Tx } from "../../platform/db.ts";
import type { Violation } from "./queries.ts";

/** So many violations are kept in words; all are counted. */
const NAMED = 20;
export const CHECKS_SHOWN = 20;

export interface BookCheckRow {
  readonly id: string;
  readonly author: string;
  readonly asked_at: Date;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
  readonly violations: number | null;
  readonly details: readonly string[];
}

const COLUMNS = "id, author, asked_at, started_at, ended_at, violations, details";

/** The newest first. */
export function lastChecks(db: Queryable): Promise<BookCheckRow[]> {
  return db.query<BookCheckRow>(
    `select ${COLUMNS} from book_checks order by id desc limit ${CHECKS_SHOWN}`,
    [],
  );
}

export async function checkUnderWay(db: Queryable): Promise<BookCheckRow | undefined> {
  const [row] = await db.query<BookCheckRow>(
    `select ${COLUMNS} from book_checks where ended_at is null`,
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
