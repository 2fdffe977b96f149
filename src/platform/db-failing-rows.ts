// Rows that work could not be done on: filed by what was to be done, tried again with growing pauses,
// and taken off the list when it is done.

import type { Queryable } from "./db.ts";

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

/** When the next one is tried again. */
export async function nextTryAt(db: Queryable): Promise<Date | undefined> {
  const [row] = await db.query<{ at: Date | null }>(
    "select min(next_try_at) as at from failing_rows",
    [],
  );
  return row?.at ?? undefined;
}
