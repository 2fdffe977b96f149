// Time passes in the sandbox, moment by moment: what falls due on the way happens at its own moment, as if
// the time had really passed, and has happened when this ends.

import { addSeconds } from "../../domain/moment.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import { nextTryAt } from "../../platform/db-failing-rows.ts";
import { LockTimeout } from "../../platform/db-failure.ts";
import { HttpFailure } from "../../platform/failure.ts";
import type { Job } from "../../platform/job.ts";
import { moveClock } from "../operators/installation-queries.ts";

/** A moment with five digits of a year is no longer the text that the database reads. */
const FURTHEST = new Date("9000-01-01T00:00:00Z");

/** Time never goes back, also where several move it on. */
export async function passTime(app: App, jobs: readonly Job[], seconds: number): Promise<void> {
  const until = addSeconds(app.clock.now(), seconds);
  if (until > FURTHEST) throw new Refusal("clock_too_far");
  await moveClock(app.db, seconds);
  await runDue(app, jobs);
  for (let last = 0; ; ) {
    const nextMs = await nextDueMs(app, jobs);
    // What is due and still there after its run is in somebody else's hands.
    if (nextMs > until.getTime() || nextMs === last) break;
    app.clock.moveTo(new Date(nextMs));
    await runDue(app, jobs);
    last = nextMs;
  }
  app.clock.moveTo(until);
  await runDue(app, jobs);
}

const LOCK_TRIES = 4;

/** A lock is waited for here, again and again: the call cannot be repeated, because time would pass twice. */
async function runDue(app: App, jobs: readonly Job[]): Promise<void> {
  for (const { due } of jobs) {
    for (let tries = 1; ; tries += 1) {
      try {
        await due?.settle(app);
        break;
      } catch (error) {
        if (!(error instanceof LockTimeout)) throw error;
        if (tries === LOCK_TRIES) throw new HttpFailure("unavailable");
      }
    }
  }
}

async function nextDueMs(app: App, jobs: readonly Job[]): Promise<number> {
  const moments = [...jobs.map(({ due }) => due?.nextAt(app)), nextTryAt(app.db)];
  const known = (await Promise.all(moments)).flatMap((moment) => moment?.getTime() ?? []);
  return Math.min(...known);
}
