// Background jobs: plain ones, those for rows that fall due, and those that remove old rows.
// A row that fails is put off, and the others go on.

import { setTimeout as sleep } from "node:timers/promises";
import { type App, perApp } from "./app.ts";
import type { Config } from "./config.ts";
import { mayPass, type Queryable, type Tx } from "./db.ts";
import {
  addFailure,
  clearFailures,
  type Due,
  dropDues,
  findDue,
  nextDueAt,
  postponeDue,
} from "./db-dues.ts";
import { isAway, LockTimeout } from "./db-failure.ts";
import { nextIds } from "./db-row.ts";
import { BEFORE_ALL_IDS, firstIdAt } from "./id.ts";

export interface Job {
  readonly name: string;
  readonly everyMs: number;
  /** Works off one set of what is due; 0 means that nothing is left for now. */
  run(app: App): Promise<number>;
  /** For who moves the clock: when something next falls due, and all that is due now, done to its end. */
  readonly due?: {
    nextAt(app: App): Promise<Date | undefined>;
    settle(app: App): Promise<unknown>;
  };
  /** Waits for what runs have left under way, or ends it; called once, after the last run. */
  finish?(app: App): Promise<void>;
}

export function job(definition: Job): Job {
  return definition;
}

export function startJobs(app: App, jobs: readonly Job[]) {
  const stopping = new AbortController();
  const loops = jobs.map((one) => loop(app, one, stopping.signal));
  return {
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all(loops);
      await Promise.all(jobs.map((one) => one.finish?.(app)));
    },
  };
}

async function loop(app: App, { name, everyMs, run }: Job, stopping: AbortSignal): Promise<void> {
  app.metrics.jobStarted(name);
  while (!stopping.aborted) {
    let done = 0;
    const startedAt = performance.now();
    try {
      if (app.clock.isRight()) {
        done = await run(app);
        app.metrics.jobRun(name, "ok", done);
      }
    } catch (error) {
      // The next run does what this one could not; a job has nobody else to tell.
      app.metrics.jobRun(name, "failed", 0);
      const isOutage =
        error instanceof LockTimeout || (error instanceof Error && isAway(error.cause));
      app.log[isOutage ? "debug" : "error"]({ err: error, job: name }, "a job failed");
    }
    const restMs = done === 0 ? everyMs : performance.now() - startedAt;
    await sleep(restMs, undefined, { signal: stopping }).catch(() => {});
  }
}

interface Settled {
  /** Those that are over, now or since before; whatever somebody else holds comes again. */
  readonly over: readonly string[];
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

export const RETENTION_SET = 500;
const DAY_MS = 24 * 60 * 60 * 1000;

export interface Swept {
  readonly removed: number;
  /** Where the next set begins; undefined where nothing old enough is left. */
  readonly next: string | undefined;
}

/** Of the next set after a place, removes what may go and is older than the moment. */
type Sweep = (tx: Tx, after: string, before: Date) => Promise<Swept>;

/** Each day begins a new pass: what could not go when it was passed may have ended since. */
export function retentionJob(name: string, kept: keyof Config["retainDays"], sweep: Sweep): Job {
  const passOf = perApp(() => ({ day: "", after: BEFORE_ALL_IDS }));
  return job({
    name,
    everyMs: 60_000,
    async run(app) {
      const days = app.config.retainDays[kept];
      if (days === undefined) return 0;
      const now = app.clock.now();
      const pass = passOf(app);
      const day = now.toISOString().slice(0, 10);
      if (pass.day !== day) Object.assign(pass, { day, after: BEFORE_ALL_IDS });
      const before = new Date(now.getTime() - days * DAY_MS);
      while (!app.ending.aborted) {
        const startedAt = performance.now();
        const { removed, next } = await app.db.transaction((tx) => sweep(tx, pass.after, before));
        pass.after = next ?? pass.after;
        if (removed > 0 || next === undefined) return removed;
        await sleep(performance.now() - startedAt);
      }
      return 0;
    },
  });
}

/** A set of rows that were made before the moment; how many of them went is the answer. */
export function sweepById(
  table: string,
  remove: (tx: Tx, ids: readonly string[], before: Date) => Promise<number>,
): Sweep {
  return async (tx, after, before) => {
    const ids = await nextIds(tx, table, { after, before: firstIdAt(before) }, RETENTION_SET);
    const removed = ids.length === 0 ? 0 : await remove(tx, ids, before);
    return { removed, next: ids.length < RETENTION_SET ? undefined : ids.at(-1) };
  };
}
