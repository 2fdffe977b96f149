// What falls due by itself: one narrow row for each thing, put there with it and taken away when it is
// settled. So no table of the business needs an index of what is still open, and a change of state stays
// within its page. A row that is left behind is found at its moment, and then taken away.

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

/** What is due, the oldest first. */
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
