// Jobs: again at once while there is more, on after a failure, and an end that waits.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { App } from "./app.ts";
import { movableClock, systemClock } from "./clock.ts";
import { job, startJobs } from "./job.ts";
import { openLog } from "./log.ts";
import { openMetrics } from "./metrics.ts";

const clock = movableClock(systemClock);
const app = { clock, log: openLog("silent"), metrics: openMetrics() } as unknown as App;

describe("a job", () => {
  it("runs again at once until nothing is due, then rests", async () => {
    const left = [3, 2, 0];
    const idle = Promise.withResolvers<void>();
    const one = job({
      name: "counting",
      everyMs: 1_000_000,
      run: async () => {
        const done = left.shift() ?? 0;
        if (done === 0) idle.resolve();
        return done;
      },
    });
    const running = startJobs(app, [one]);
    await idle.promise;
    await running.stop();
    assert.deepEqual(left, []);
  });

  it("goes on after a failure, and counts it", async () => {
    let runs = 0;
    const second = Promise.withResolvers<void>();
    const one = job({
      name: "failing",
      everyMs: 0,
      run: async () => {
        runs += 1;
        if (runs === 1) throw new Error("not today");
        second.resolve();
        return 0;
      },
    });
    const running = startJobs(app, [one]);
    await second.promise;
    await running.stop();
    const text = await app.metrics.text();
    assert.match(text, /kopeck_job_runs_total\{job="failing",outcome="failed"\} 1/);
  });

  it("finishes the set under way before it stops", async () => {
    const started = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<number>();
    const one = job({
      name: "slow",
      everyMs: 1_000_000,
      run: () => {
        started.resolve();
        return finish.promise;
      },
    });
    const running = startJobs(app, [one]);
    await started.promise;
    let stopped = false;
    const stop = running.stop().then(() => {
      stopped = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(stopped, false);
    finish.resolve(0);
    await stop;
    assert.equal(stopped, true);
  });

  it("is given the time to finish what its runs left under way", async () => {
    const left: string[] = [];
    const ran = Promise.withResolvers<void>();
    const one = job({
      name: "leaving",
      everyMs: 1_000_000,
      run: async () => {
        left.push("under way");
        ran.resolve();
        return 0;
      },
      finish: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        left.length = 0;
      },
    });
    const running = startJobs(app, [one]);
    await ran.promise;
    await running.stop();
    assert.deepEqual(left, []);
  });
});
