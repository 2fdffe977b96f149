// One history: a setting and steps, all from one seed. A step draws from chance of its own, so that a
// history can be told again without some of its steps, and a broken one with the fewest that still break.

import { type Random, randomOf } from "../random.ts";
import { emptyTables } from "./engine.ts";
import type { Fault } from "./process.ts";
import { changeSetting, furnish } from "./settings.ts";
import { refund, settle, tell } from "./steps-money.ts";
import { cancel, details, order } from "./steps-orders.ts";
import {
  deliver,
  deliverToTheEnd,
  passTime,
  restart,
  runJobs,
  takeOver,
  wrongClock,
} from "./steps-time.ts";
import { Broken, type Stage, World } from "./world.ts";

export const STEPS = 60;

export const FAULTS = [
  "crash before a commit",
  "crash after a commit",
  "error before a commit",
  "error after a commit",
  "process restarted",
  "wrong clock",
  "setting changed",
  "requisite switched off",
  "receiver turned bad",
  "job run twice at once",
  "same request twice at once",
  "stale holder's answer",
];

export const STATES = [
  "retry got the first answer",
  "other content refused",
  "longest input taken",
  "longer input refused",
  "fee that reaches the amount refused",
  "details repeated",
  "nudge used",
  "details chosen on the page",
  "no free slot",
  "share used up",
  "transfer matched",
  "told after the details' end, paid in time",
  "late credited",
  "late contested",
  "list of transfers",
  "reference again: same",
  "reference again: amount",
  "reference again: card",
  "assign by hand",
  "return by hand",
  "refunded",
  "refund refused",
  "refund asked for again",
  "freeze over",
  "payment lapsed",
  "invoice expired",
  "old key refused everywhere",
  "invoice canceled",
  "cancel refused",
  "money for a canceled order",
  "event heard",
  "event tried again",
  "event exhausted",
];

type Step = (world: World, random: Random) => Promise<string>;

const STEPS_BY_NAME: Readonly<Record<string, Step>> = {
  order,
  details,
  tell,
  settle,
  refund,
  changeSetting,
  passTime,
  runJobs,
  deliver,
  takeOver,
  wrongClock,
  restart,
  cancel,
};
const WEIGHTS = {
  order: 8,
  details: 36,
  tell: 24,
  settle: 5,
  refund: 7,
  changeSetting: 9,
  passTime: 11,
  runJobs: 4,
  deliver: 6,
  takeOver: 2,
  wrongClock: 2,
  restart: 2,
  cancel: 3,
};
/** Where several processes act in turn, none of them fails. */
const FAULTLESS = ["takeOver", "wrongClock"];

export interface Told {
  readonly steps: readonly string[];
  /** What went wrong, and in which step; nothing for a good history. */
  readonly broken?: { readonly step: number; readonly what: string };
}

/** Of its steps only those that are kept, where it is said which. */
export async function tellHistory(
  stage: Stage,
  seed: number,
  count: (name: string) => void,
  kept?: ReadonlySet<number>,
): Promise<Told> {
  const random = randomOf(seed);
  const steps: string[] = [];
  let step = 0;
  try {
    await emptyTables(stage.engine);
    const world = new World(stage, random.branch(0), count);
    await furnish(world, random.branch(-1));
    for (step = 1; step <= STEPS; step += 1) {
      if (kept !== undefined && !kept.has(step)) continue;
      const own = random.branch(step);
      const name = own.weighted(WEIGHTS);
      const fault = own.chance(0.2) && !FAULTLESS.includes(name) ? drawFault(own) : undefined;
      const strike = fault === undefined ? "" : ` [${fault.outcome} ${fault.side} ${fault.skip}]`;
      // Told by its name until it can say what it did.
      const place = steps.push(`${step}. ${name}${strike}`) - 1;
      steps[place] = `${step}. ${await takeStep(world, own, name, fault)}${strike}`;
      await world.check();
    }
    await endHistory(world, random.branch(step));
    return { steps };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const what = error instanceof Broken ? error.message : (error.stack ?? error.message);
    return { steps, broken: { step, what: step > STEPS ? `at the end: ${what}` : what } };
  }
}

async function takeStep(
  world: World,
  random: Random,
  name: string,
  fault: Fault | undefined,
): Promise<string> {
  const { clock, processes } = world.stage;
  clock.ms += random.between(1, 900);
  world.isDoubled = random.chance(0.12);
  world.armed = fault === undefined ? undefined : random.pick(processes);
  if (fault !== undefined) world.armed?.arm(fault);
  const told = await STEPS_BY_NAME[name]?.(world, random.branch(1));
  world.armed?.disarm();
  world.armed = undefined;
  return told ?? "";
}

function drawFault(random: Random): Fault {
  const skip = Number(random.weighted({ 0: 35, 1: 30, 2: 20, 3: 10, 4: 5 }));
  return { skip, side: random.pick(["before", "after"]), outcome: random.pick(["crash", "error"]) };
}

/** Everything that is due happens, and everybody has heard the whole of it. */
async function endHistory(world: World, random: Random): Promise<void> {
  world.isDoubled = false;
  await deliverToTheEnd(world);
  await runJobs(world, random);
  await deliverToTheEnd(world);
  await world.check();
  for (const invoice of world.model.invoices) {
    const heard = world.receivers.storyProblem(invoice, world.now, true);
    const wrong = heard ?? (await world.lookAt(invoice));
    if (wrong !== undefined) world.break(wrong);
  }
}

/** One step after another is left out, the last one first, where something is broken without it, too. */
export async function shrink(stage: Stage, seed: number, first: Told): Promise<Told> {
  const last = Math.min(STEPS, first.broken?.step ?? 0);
  const kept = new Set(Array.from({ length: last }, (_, n) => n + 1));
  let smallest = first;
  for (const step of [...kept].toReversed()) {
    kept.delete(step);
    const told = await tellHistory(stage, seed, () => {}, kept);
    if (told.broken === undefined) kept.add(step);
    else smallest = told;
  }
  return smallest;
}
