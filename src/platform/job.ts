// Work that falls due by itself. A job does a bounded set at a time and says how much it did. While there
// is more it rests for as long as a set took, so that a backlog leaves half of the time to those who
// wait for an answer; then it rests longer. Several processes may run the same job side by side. By a
// clock that is wrong nothing falls due.

import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "./app.ts";
import { isAway, LockTimeout } from "./db-failure.ts";

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
    /** Lets a set that is under way finish. */
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
