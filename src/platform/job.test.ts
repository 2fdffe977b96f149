// Jobs: again at once while there is more, on after a failure, and an end that waits.

import assert from "node:assert/strict";
import { it } from "node:test";
import type { App } from "./app.ts";
import { movableClock, systemClock } from "./clock.ts";
import { asFailure, OutcomeUnknown } from "./db-failure.ts";
import { job, startJobs } from "./job.ts";
import { openLog } from "./log.ts";
import { openMetrics } from "./metrics.ts";

const clock = movableClock(systemClock);
const app = { clock, log: openLog("silent"), metrics: openMetrics() } as unknown as App;
const turn = () => new Promise((resolve) => setImmediate(resolve));

it("runs again at once until nothing is due, then rests", async () => {
  const left = [3, 2, 0];
  const idle = Promise.withResolvers<void>();
  const run = async () => {
    const done = left.shift() ?? 0;
    if (done === 0) idle.resolve();
    return done;
  };
  const running = startJobs(app, [job({ name: "counting", everyMs: 1_000_000, run })]);
  await idle.promise;
  await running.stop();
  assert.deepEqual(left, []);
});

it("goes on after a failure, and counts it", async () => {
  let runs = 0;
  const second = Promise.withResolvers<void>();
  const run = async () => {
    runs += 1;
    if (runs === 1) throw new Error("not today");
    second.resolve();
    return 0;
  };
  const running = startJobs(app, [job({ name: "failing", everyMs: 0, run })]);
  await second.promise;
  await running.stop();
  const text = await app.metrics.text();
  assert.match(text, /kopeck_job_runs_total\{job="failing",outcome="failed"\} 1/);
});

it("ends the set under way before it stops, and what its runs left under way", async () => {
  const started = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<number>();
  const steps: string[] = [];
  const run = () => {
    started.resolve();
    return ended.promise;
  };
  const finish = async () => {
    await turn();
    steps.push("finished");
  };
  const running = startJobs(app, [job({ name: "slow", everyMs: 1_000_000, run, finish })]);
  await started.promise;
  const stop = running.stop().then(() => steps.push("stopped"));
  await turn();
  assert.deepEqual(steps, []);
  ended.resolve(0);
  await stop;
  assert.deepEqual(steps, ["finished", "stopped"]);
});

it("leaves a database that is away to the one line about it, whether met before a commit or in it", async () => {
  const lost = Object.assign(new Error("terminating connection"), { code: "57P01" });
  const failures = [asFailure(lost), asFailure(new OutcomeUnknown(lost)), new Error("a fault")];
  const said: unknown[] = [];
  const log = { debug: () => {}, error: ({ err }: { err: unknown }) => said.push(err) };
  const ended = Promise.withResolvers<void>();
  const left = [...failures];
  const run = async () => {
    const failure = left.shift();
    if (failure) throw failure;
    ended.resolve();
    return 0;
  };
  const logging = { ...app, log } as unknown as App;
  const running = startJobs(logging, [job({ name: "cut off", everyMs: 0, run })]);
  await ended.promise;
  await running.stop();
  assert.deepEqual(said, failures.slice(2));
});
