// A job for rows that fall due. Guards that a row that cannot be worked on stops nobody: a set that fails
// is halved until the row at fault is alone; that one is filed, told of, and falls due again later, with
// growing pauses, while everybody else's turn comes on time.

import type { App } from "./app.ts";
import { mayPass, type Queryable, type Tx } from "./db.ts";
import { type Due, dropDues, findDue, nextDueAt, postponeDue } from "./db-dues.ts";
import { addFailure, clearFailures } from "./db-failing-rows.ts";
import { LockTimeout } from "./db-failure.ts";
import type { Job } from "./job.ts";

interface Settled {
  /** Those that are over, now or since before; whatever somebody else holds comes again. */
  readonly over: readonly string[];
  /** How many of them were settled now. */
  readonly done: number;
}

export interface DueWork {
  /** What its rows fall due for. */
  readonly name: string;
  readonly everyMs: number;
  readonly setSize: (app: App) => number;
  /** Settles what is still open of these, all or nothing. */
  work(tx: Tx, app: App, ids: readonly string[], now: Date): Promise<Settled>;
}

export function dueJob(due: DueWork): Job {
  const { name, everyMs } = due;
  const run = async (app: App): Promise<number> => {
    let dues: readonly Due[] = [];
    try {
      return await app.db.transaction(async (tx) => {
        dues = await findDue(tx, name, app.clock.now(), due.setSize(app));
        return dues.length === 0 ? 0 : settle(tx, app, due, dues);
      });
    } catch (error) {
      return apart(app, due, dues, error);
    }
  };
  const settleAll = async (app: App): Promise<void> => {
    while ((await run(app)) > 0);
  };
  return {
    name,
    everyMs,
    run,
    due: { nextAt: ({ db }) => nextDueAt(db, name), settle: settleAll },
  };
}

/** How many were settled. */
async function settle(tx: Tx, app: App, due: DueWork, dues: readonly Due[]): Promise<number> {
  const ids = dues.map(({ id }) => id);
  const settled = await due.work(tx, app, ids, app.clock.now());
  const over = new Set(settled.over);
  await Promise.all([
    dropDues(
      tx,
      due.name,
      dues.filter(({ id }) => over.has(id)),
    ),
    clearFailures(tx, due.name, settled.over),
  ]);
  return settled.done;
}

/** The whole has failed: its halves may not. */
async function apart(
  app: App,
  due: DueWork,
  dues: readonly Due[],
  failure: unknown,
): Promise<number> {
  const [one] = dues;
  // A lock is of single rows: the others need not wait for it.
  if (one === undefined || (mayPass(failure) && !(failure instanceof LockTimeout))) throw failure;
  if (dues.length === 1) {
    if (!(failure instanceof LockTimeout)) await putOff(app, due.name, one, failure);
    return 0;
  }
  const middle = dues.length >> 1;
  let done = 0;
  for (const half of [dues.slice(0, middle), dues.slice(middle)]) {
    try {
      done += await app.db.transaction((tx) => settle(tx, app, due, half));
    } catch (error) {
      done += await apart(app, due, half, error);
    }
  }
  return done;
}

async function putOff(app: App, name: string, due: Due, failure: unknown): Promise<void> {
  const until = await noteFailure(app, name, due.id, failure);
  // Else somebody who failed on it at the same time has done so.
  if (until !== undefined) await app.db.transaction((tx) => postponeDue(tx, name, due, until));
}

/** When it is to be tried again. In a statement of its own: what failed has left nothing. */
export async function noteFailure(
  { db, clock, log }: Pick<App, "clock" | "log"> & { readonly db: Queryable },
  kind: string,
  id: string,
  failure: unknown,
): Promise<Date | undefined> {
  log.error({ err: failure, job: kind, row: id }, "a row could not be worked on; others go on");
  const words = failure instanceof Error ? failure.message : String(failure);
  const error = words.replaceAll("\0", "").slice(0, 500);
  return addFailure(db, { kind, id, error }, clock.now());
}
