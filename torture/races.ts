// Two gateways on one PostgreSQL, and two actors that are let go at the same moment. Each pair has its
// own list of what may come of it; the books are looked at again and again; and each order in which
// the two can come must have come about, because a race that one side always wins proves nothing.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Part, Trial } from "./part.ts";
import { KEY_PAIRS } from "./races/of-keys.ts";
import { MONEY_PAIRS } from "./races/of-money.ts";
import { ORDER_PAIRS } from "./races/of-orders.ts";
import { START_PAIRS } from "./races/of-starts.ts";
import { TRANSFER_PAIRS } from "./races/of-transfers.ts";
import { WORKER_PAIRS } from "./races/of-workers.ts";
import type { Pair, Race } from "./races/pair.ts";
import { openScene, type Scene } from "./races/scene.ts";
import { jumpAhead, WRONG_CLOCK } from "./races/wrong-clock.ts";
import type { Random } from "./random.ts";
import { missingPostgres, throwawayPostgres } from "./throwaway-postgres.ts";

const PAIRS: readonly Pair[] = [
  ...ORDER_PAIRS,
  ...TRANSFER_PAIRS,
  ...MONEY_PAIRS,
  ...WORKER_PAIRS,
  ...KEY_PAIRS,
  ...START_PAIRS,
];

/** So many are prepared together; then a new day begins. */
const BATCH = 50;
/** After so many the books are looked at. */
const LOOK_EVERY = 10;
const CROWD = 4;
/** With more than these each pair has a database of its own: to look at the books takes all of them. */
const MANY = 100;
/** Below this share of races in which both were under way at once, a pair is no race. */
const LEAST_AT_ONCE = 0.25;

export const races: Part = {
  name: "races",
  about: "two gateways on one PostgreSQL, two actors at the same moment, every pair that matters",
  faults: [...PAIRS.map(({ name }) => name), WRONG_CLOCK],
  states: PAIRS.flatMap(({ name, orders }) => orders.map((order) => `${name}: ${order}`)),
  missing: missingPostgres,
  async run(trial) {
    await throwawayPostgres(trial);
    let scene = await openScene();
    trial.later(() => scene.close());
    const size = sizeOf(trial);
    let [atOnce, all] = [0, 0];
    for (const [index, pair] of PAIRS.entries()) {
      if (index > 0 && size > MANY) {
        await judgeTheEnd(trial, scene);
        await scene.close();
        scene = await openScene();
      }
      const startedAt = performance.now();
      const met = await runPair(trial, scene, pair, size, trial.random.branch(index));
      [atOnce, all] = [atOnce + met, all + size];
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      trial.say(`${pair.name}: ${size} in ${seconds} s, both at once in ${met}`);
      if (met < size * LEAST_AT_ONCE) {
        trial.violation(`${pair.name}: only ${met} of ${size} were under way at once`);
      }
    }
    await scene.nextDay();
    await jumpAhead(trial, scene);
    await judgeTheEnd(trial, scene);
    trial.fact("races", all);
    trial.fact("both under way at once", `${((100 * atOnce) / all).toFixed(0)} %`);
  },
};

const sizeOf = (trial: Trial): number => trial.size(50, 1_000);

/**
 * How much earlier the left one is let go follows who won: after a while both win as often, and the
 * two meet where it is decided, however slow the machine is.
 */
const STEP_MS = 0.4;
/** Who wins again and again is held back by more each time. */
const MOST_STEPS = 6;
/** Narrow for what is decided by one statement, wide for what takes several. */
const SPREADS_MS = [0.1, 0.5, 2];

/** In how many races both were under way at once. */
async function runPair(
  trial: Trial,
  scene: Scene,
  pair: Pair,
  size: number,
  random: Random,
): Promise<number> {
  let met = 0;
  let { leadMs } = pair;
  let [last, streak] = ["", 0];
  for (let from = 0; from < size; from += BATCH) {
    await scene.nextDay();
    const count = Math.min(BATCH, size - from);
    const chance = random.branch(from);
    const all = await pair.prepare(scene, count, chance.branch(0));
    for (let start = 0, looked = 0; start < count; ) {
      const crowd = pair.inCrowds && chance.chance(0.3) ? CROWD : 1;
      const group = all.slice(start, start + crowd);
      const runs = group.map((one, index) => {
        const own = leadMs + (2 * chance.next() - 1) * chance.pick(SPREADS_MS);
        return runRace(trial, pair, one, own, from + start + index);
      });
      for (const run of await Promise.all(runs)) {
        if (run.met) met += 1;
        if (run.order === undefined) continue;
        streak = run.order === last ? Math.min(streak + 1, MOST_STEPS) : 1;
        last = run.order;
        leadMs += STEP_MS * streak * (run.order === pair.orders[0] ? -1 : 1);
      }
      start += group.length;
      if (start - looked >= LOOK_EVERY || start >= count) {
        looked = start;
        await lookAtTheBooks(trial, scene, pair, from + start);
      }
    }
  }
  return met;
}

interface Run {
  /** Whether both were under way at once. */
  readonly met: boolean;
  /** None where the outcome was not allowed. */
  readonly order: string | undefined;
}

async function runRace(
  trial: Trial,
  pair: Pair,
  one: Race,
  leadMs: number,
  index: number,
): Promise<Run> {
  try {
    await one.ready?.();
    const letGoAt = performance.now() + 0.5;
    const [left, right] = await Promise.all([
      goAt(letGoAt + Math.max(0, -leadMs), one.left),
      goAt(letGoAt + Math.max(0, leadMs), one.right),
    ]);
    trial.count(pair.name);
    const order = await one.judge();
    trial.count(`${pair.name}: ${order}`);
    return { met: left.began < right.ended && right.began < left.ended, order };
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    trial.violation(`${pair.name}, race ${index}: ${what}`);
    return { met: true, order: undefined };
  }
}

async function goAt(moment: number, act: () => Promise<unknown>) {
  // A timer is good to a millisecond only.
  while (performance.now() < moment) await nextTurn();
  const began = performance.now();
  await act();
  return { began, ended: performance.now() };
}

async function lookAtTheBooks(
  trial: Trial,
  scene: Scene,
  pair: Pair,
  index: number,
): Promise<void> {
  for (const violation of await scene.violations()) {
    trial.violation(`${pair.name}, by race ${index}: ${violation}`);
  }
}

/** Nobody has failed unexpectedly, and nobody had to be thrown out of a deadlock. */
async function judgeTheEnd(trial: Trial, { left, right, sql }: Scene): Promise<void> {
  for (const line of [...left.errors, ...right.errors]) trial.violation(`logged: ${line}`);
  const [row] = await sql<{ deadlocks: bigint }>(
    "select deadlocks from pg_stat_database where datname = current_database()",
  );
  if (row?.deadlocks !== 0n) {
    trial.violation(`${row?.deadlocks} deadlocks: locks are not taken in one order`);
  }
}
