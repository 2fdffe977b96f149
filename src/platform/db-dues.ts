// What falls due by itself, a narrow row each, and rows that failed and are tried again later.

import type { Queryable, Tx } from "./db.ts";

export interface Due {
  readonly id: string;
  readonly dueAt: Date;
}

/** A part of a statement: whatever the named part returns, with an id and a due_at, falls due for a job. */
export function fallsDue(part: string, job: string): string {
  return `insert into dues (kind, due_at, id) select '${job}', due_at, id from ${part}`;
}

/** Each is looked up by its whole key (offset 0): as a join it was planned as a reading of all of the job's. */
export async function dropDues(tx: Tx, job: string, dues: readonly Due[]): Promise<void> {
  await tx.query(
    `delete from dues where ctid = any(array(
       select own.place from unnest($2::timestamptz[], $3::uuid[]) as over(due_at, id)
       cross join lateral (select ctid as place from dues
         where kind = $1 and due_at = over.due_at and id = over.id offset 0) own))`,
    [job, dues.map(({ dueAt }) => dueAt), dues.map(({ id }) => id)],
  );
}

export function findDue(db: Queryable, job: string, now: Date, limit: number): Promise<Due[]> {
  return db.query<Due>(
    `select id, due_at as "dueAt" from dues where kind = $1 and due_at <= $2
     order by due_at limit $3`,
    [job, now, limit],
  );
}

export async function postponeDue(tx: Tx, job: string, due: Due, until: Date): Promise<void> {
  await tx.query("update dues set due_at = $4 where kind = $1 and due_at = $2 and id = $3", [
    job,
    due.dueAt,
    due.id,
    until,
  ]);
}

export async function nextDueAt(db: Queryable, job: string): Promise<Date | undefined> {
  const [row] = await db.query<{ at: Date }>(
    "select due_at as at from dues where kind = $1 order by due_at limit 1",
    [job],
  );
  return row?.at;
}

/**
 * Files one more failure; the answer is when to try again. The pauses double, from a minute to six hours.
 * Two who failed on the same row at the same time count once, and only one of them is answered.
 */
export async function addFailure(
  db: Queryable,
  failure: { readonly kind: string; readonly id: string; readonly error: string },
  now: Date,
): Promise<Date | undefined> {
  const [row] = await db.query<{ next_try_at: Date }>(
    `insert into failing_rows as row (kind, id, failures, error, failed_at, next_try_at)
     values ($1, $2, 1, $3, $4, $4::timestamptz + interval '1 minute')
     on conflict (kind, id) do update
     set failures = row.failures + 1, error = excluded.error, failed_at = excluded.failed_at,
         next_try_at = excluded.failed_at
           + interval '1 minute' * least(2 ^ least(row.failures, 10), 360)
     where row.next_try_at <= excluded.failed_at
     returning next_try_at`,
    [failure.kind, failure.id, failure.error, now],
  );
  return row?.next_try_at;
}

export async function clearFailures(
  db: Queryable,
  kind: string,
  ids: readonly string[],
): Promise<void> {
  await db.query("delete from failing_rows where kind = $1 and id = any($2::uuid[])", [kind, ids]);
}

export async function nextTryAt(db: Queryable): Promise<Date | undefined> {
  const [row] = await db.query<{ at: Date | null }>(
    "select min(next_try_at) as at from failing_rows",
    [],
  );
  return row?.at ?? undefined;
}
