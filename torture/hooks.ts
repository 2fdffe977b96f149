// Webhooks against receivers of every bad kind, with workers that die, through the whole schedule in
// moved time: none is lost, none is blocked, none is changed on the way.

import { findViolations } from "../src/features/ledger/queries.ts";
import { openTestDatabase, TestClock } from "../test/gateway.ts";
import { runCrowds } from "./hooks/crowds.ts";
import { runDeaths } from "./hooks/deaths.ts";
import { kindsOf } from "./hooks/hostile-kinds.ts";
import { runLeases } from "./hooks/leases.ts";
import { runSchedule } from "./hooks/schedule.ts";
import { openStage } from "./hooks/stage.ts";
import type { Part, Trial } from "./part.ts";
import { missingPostgres, throwawayPostgres } from "./throwaway-postgres.ts";

const QUICK_EVENTS = 2_000;

export const hooks: Part = {
  name: "hooks",
  about: "webhooks to hostile receivers by workers that die, the whole schedule in moved time",
  faults: [
    ...kindsOf("").map(({ name }) => name),
    "a lease ran out",
    "kill -9 of a gateway that delivers",
    ...["hosts of several shops of one user hang", "many origins of one shop"],
    ...["a host that is too long", "a row in a job's way"],
  ],
  states: [
    ...["delivered", "exhausted", "sent again and delivered", "healthy shops are not held up"],
    ...["a slow worker is refused", "a slow worker is still the holder"],
    ...["an attempt cut off by a death", "heard twice, as at least once means"],
  ],
  async run(trial) {
    const hasPostgres = missingPostgres() === undefined;
    if (hasPostgres) await throwawayPostgres(trial);
    const size = trial.size(QUICK_EVENTS, 50_000);
    await runOn(trial, hasPostgres ? "postgres" : "embedded", size);
    if (trial.full && hasPostgres) await runOn(trial, "embedded", Math.min(size, QUICK_EVENTS));
  },
};

async function runOn(whole: Trial, engine: "postgres" | "embedded", size: number): Promise<void> {
  const trial: Trial = {
    ...whole,
    fact: (name, value) => whole.fact(`${name}, ${engine}`, value),
  };
  trial.say(`on ${engine}`);
  const database = await openTestDatabase(engine);
  trial.later(() => database.drop());
  const stage = await openStage(database, new TestClock());
  let isOpen = true;
  trial.later(() => (isOpen ? stage.close() : undefined));
  await runSchedule(trial, stage, size);
  const batches = Math.max(1, Math.min(20, Math.floor(size / 1_000)));
  for (let batch = 0; batch < batches; batch += 1) {
    await runLeases(trial, stage, trial.random.branch(batch));
  }
  const { db, clock } = stage.gateway.app;
  for (const { invariant, detail } of await findViolations(db, clock.now())) {
    trial.violation(`invariant ${invariant}: ${detail}`);
  }
  for (const line of [...stage.errors, ...stage.gateway.errors]) trial.violation(`logged: ${line}`);
  isOpen = false;
  await stage.close();

  const crowded = await openTestDatabase(engine);
  trial.later(() => crowded.drop());
  const crowds = await openStage(crowded, new TestClock());
  trial.later(() => crowds.close());
  await runCrowds(trial, crowds);

  const other = await openTestDatabase(engine);
  trial.later(() => other.drop());
  const rounds = Math.max(2, Math.min(20, Math.floor(size / 700)));
  await runDeaths(trial, other, rounds, trial.random.branch(1_000));
}
