// The only statements that read the database's clock. No decision depends on it.

import { OF_GATEWAYS, type Queryable } from "./db.ts";

/** By its own clock, and of this very moment. */
export async function databaseTime(db: Queryable): Promise<Date> {
  const [row] = await db.query<{ now: Date }>("select clock_timestamp() as now", []);
  if (row === undefined) throw new Error("A statement without a table gave no row.");
  return row.now;
}

/**
 * Whether something that a gateway sent waits for its end since then: no statement takes so long, so it
 * is a commit. By the server's own clock, of which only the pace has to be right.
 */
export async function commitWaits(db: Queryable, waitedMs: number): Promise<boolean> {
  const rows = await db.query(
    `select from pg_stat_activity
     where ${OF_GATEWAYS} and state = 'active'
       and query_start < clock_timestamp() - $1 * interval '1 millisecond' limit 1`,
    [waitedMs],
  );
  return rows.length > 0;
}

/** Longer than a standby takes that is there. */
const MISSED_AFTER_MS = 2_000;

/** Whether commits of gateways wait for a standby that does not answer. */
export async function standbyIsMissed(db: Queryable): Promise<boolean> {
  const rows = await db.query(
    `select from pg_stat_activity
     where ${OF_GATEWAYS} and wait_event = 'SyncRep'
       and query_start < clock_timestamp() - $1 * interval '1 millisecond' limit 1`,
    [MISSED_AFTER_MS],
  );
  return rows.length > 0;
}
