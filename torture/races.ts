// Gateways on one PostgreSQL, and actors that are let go at the same moment. Each race says what may come
// of it; the books are looked at again and again; and each order in which the actors can come must have
// come about, because a race that one side always wins proves nothing.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Part, Trial } from "./part.ts";
import { MONEY_RACES } from "./races/of-money.ts";
import { ORDER_RACES } from "./races/of-orders.ts";
import { PAYOUT_RACES } from "./races/of-payouts.ts";
import { type Given, judge, type Race } from "./races/race.ts";
import { openScene, type Scene } from "./races/scene.ts";
import type { Random } from "./random.ts";
import { missingPostgres, throwawayPostgres } from "./throwaway-postgres.ts";

const RACES = Object.entries({ ...ORDER_RACES, ...MONEY_RACES, ...PAYOUT_RACES });

const LOOK_EVERY = 10;
const DAY_EVERY = 50;
const CROWD = 4;
/** With more than these each race has a database of its own: to look at the books takes all of them. */
const MANY = 100;
/** Below this share of heats in which actors were under way at once, it is no race. */
const LEAST_AT_ONCE = 0.25;
/** Until each order has come, so many times as many. */
const PATIENCE = 4;

export const races: Part = {
  name: "races",
  about: "three gateways on one PostgreSQL, actors at the same moment, every race that matters",
  faults: RACES.map(([name]) => name),
  states: RACES.flatMap(([name, { outcomes }]) =>
    Object.keys(outcomes).map((order) => `${name}: ${order}`),
  ),
  missing: missingPostgres,
  async run(trial) {
    await throwawayPostgres(trial);
    let scene = await openScene();
    trial.later(() => scene.close());
    const size = trial.size(12, 1_000);
    for (const [index, [name, race]] of RACES.entries()) {
      if (index > 0 && size > MANY) {
        await judgeTheEnd(trial, scene);
        await scene.close();
        scene = await openScene();
      }
      await runRace(trial, scene, name, race, size, trial.random.branch(index));
    }
    await judgeTheEnd(trial, scene);
  },
};

async function judgeTheEnd(trial: Trial, scene: Scene): Promise<void> {
  for (const failure of await scene.failures()) trial.violation(`logged: ${failure}`);
}

/**
 * How much earlier the left one is let go follows who won: after a while both win as often, and they
 * meet where it is decided, however slow the machine is.
 */
const STEP_MS = 0.4;
/** Who wins again and again is held back by more each time. */
const MOST_STEPS = 6;
/** Narrow for what is decided by one statement, wide for what takes several. */
const SPREADS_MS = [0.1, 0.5, 2];

async function runRace(
  trial: Trial,
  scene: Scene,
  name: string,
  race: Race,
  size: number,
  random: Random,
): Promise<void> {
  const startedAt = performance.now();
  const orders = Object.keys(race.outcomes);
  const missing = new Set(orders);
  const isAlone = race.isAlone || race.ready !== undefined || race.after !== undefined;
  let [leadMs, done, atOnce, last, streak, crowd] = [0, 0, 0, "", 0, 1];
  while (done < size || (missing.size > 0 && done < size * PATIENCE)) {
    // A crowd may have stepped over the very number.
    if (done % DAY_EVERY < crowd) await scene.nextDay();
    crowd = !isAlone && random.chance(0.3) ? CROWD : 1;
    const prepared: Given[] = [];
    while (prepared.length < crowd) prepared.push(await race.given(scene));
    const heats = prepared.map((given) => runHeat(race, scene, given, leadMs, random));
    for (const heat of await Promise.allSettled(heats)) {
      done += 1;
      trial.count(name);
      if (heat.status === "rejected") {
        trial.violation(`${name}, ${done}: ${heat.reason.message}`);
        missing.clear();
        continue;
      }
      const { order, met } = heat.value;
      trial.count(`${name}: ${order}`);
      missing.delete(order);
      if (met) atOnce += 1;
      streak = order === last ? Math.min(streak + 1, MOST_STEPS) : 1;
      last = order;
      // Where they did not even meet, it has grown past every order that there is.
      leadMs = met ? leadMs + STEP_MS * streak * (order === orders[0] ? -1 : 1) : 0;
    }
    if (done % LOOK_EVERY >= crowd && done < size) continue;
    for (const violation of await scene.violations()) {
      trial.violation(`${name}, by ${done}: ${violation}`);
    }
  }
  if (atOnce < done * LEAST_AT_ONCE) {
    trial.violation(`${name}: only ${atOnce} of ${done} were under way at once`);
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  trial.say(`${name}: ${done} in ${seconds} s, at once in ${atOnce}`);
}

/** In which order they came, and whether some were under way at once. */
async function runHeat(race: Race, scene: Scene, given: Given, leadMs: number, random: Random) {
  await race.ready?.(scene, given);
  const lead = leadMs + (2 * random.next() - 1) * random.pick(SPREADS_MS);
  const letGoAt = performance.now() + 0.5;
  const { left, right, third } = scene;
  const places = race.acts.length === 3 ? [left, right, third] : [left, right];
  let [under, met] = [0, false];
  const answers = await Promise.all(
    race.acts.map(async (act, index) => {
      const moment = letGoAt + Math.max(0, index % 2 === 0 ? -lead : lead);
      // A timer is good to a millisecond only.
      while (performance.now() < moment) await nextTurn();
      under += 1;
      met ||= under > 1;
      const answer = await act(places[index % places.length] ?? left, given, scene);
      under -= 1;
      return answer;
    }),
  );
  return { order: await judge(race, scene, given, answers), met };
}
