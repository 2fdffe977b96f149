// A job for rows that fall due. Guards that a row that cannot be worked on stops nobody: a set that fails
// is halved until the row at fault is alone; that one is filed, told of, and tried again later with
// growing pauses, while everybody else's turn comes on time.

import type { App } from "./app.ts";
import { mayPass, type Queryable, type Tx } from "./db.ts";
import { addFailure, clearFailures, failuresToTry } from "./db-failing-rows.ts";
import { Held } from "./db-held.ts";
import { type Job, job } from "./job.ts";

export interface DueWork {
  readonly name: string;
  readonly everyMs: number;
  readonly setSize: (app: App) => number;
  /** What is due, the oldest first; rows that are filed under the job's name as failing are left out. */
  find(db: Queryable, now: Date, limit: number): Promise<string[]>;
  /** Does what is still to be done of these, all or nothing; the answer is with how many. */
  work(tx: Tx, app: App, ids: readonly string[], now: Date): Promise<number>;
}

const MAX_TRIED_AGAIN = 20;

export function dueJob(due: DueWork): Job {
  const { name, everyMs } = due;
  return job({ name, everyMs, run: (app) => workOff(app, due) });
}

async function workOff(app: App, due: DueWork): Promise<number> {
  const now = app.clock.now();
  let ids: readonly string[] = [];
  let again: readonly string[] = [];
  let done = 0;
  try {
    done = await app.db.transaction(async (tx) => {
      [ids, again] = await Promise.all([
        due.find(tx, now, due.setSize(app)),
        failuresToTry(tx, due.name, now, MAX_TRIED_AGAIN),
      ]);
      return ids.length === 0 ? 0 : await due.work(tx, app, ids, now);
    });
  } catch (error) {
    if (isEverybodys(error) || ids.length === 0) throw error;
    done = await halve(app, due, ids, error);
  }
  for (const id of again) done += await tryAgain(app, due, id);
  return done;
}

/** What is held is of single rows: the others need not wait for it. */
function isEverybodys(error: unknown): boolean {
  return mayPass(error) && !(error instanceof Held);
}

/** The whole has failed: its halves may not. */
async function halve(
  app: App,
  due: DueWork,
  ids: readonly string[],
  failure: unknown,
): Promise<number> {
  const [id = ""] = ids;
  if (ids.length === 1) {
    if (!(failure instanceof Held)) await noteFailure(app, due.name, id, failure);
    return 0;
  }
  const middle = ids.length >> 1;
  let done = 0;
  for (const half of [ids.slice(0, middle), ids.slice(middle)]) {
    try {
      done += await app.db.transaction((tx) => due.work(tx, app, half, app.clock.now()));
    } catch (error) {
      if (isEverybodys(error)) throw error;
      done += await halve(app, due, half, error);
    }
  }
  return done;
}

async function tryAgain(app: App, due: DueWork, id: string): Promise<number> {
  try {
    return await app.db.transaction(async (tx) => {
      const done = await due.work(tx, app, [id], app.clock.now());
      await clearFailures(tx, due.name, [id]);
      return done;
    });
  } catch (error) {
    if (mayPass(error)) throw error;
    await noteFailure(app, due.name, id, error);
    return 0;
  }
}

/** In a transaction of its own: what failed has left nothing. */
export async function noteFailure(
  { db, clock, log }: App,
  kind: string,
  id: string,
  failure: unknown,
): Promise<void> {
  log.error({ err: failure, job: kind, row: id }, "a row could not be worked on; others go on");
  const words = failure instanceof Error ? failure.message : String(failure);
  const error = words.replaceAll("\0", "").slice(0, 500);
  await addFailure(db, { kind, id, error }, clock.now());
}
