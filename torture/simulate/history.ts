// One history: a setting and steps, all from one seed. A step draws from chance of its own, so that a
// history can be told again without some of its steps.

import { type Random, randomOf } from "../random.ts";
import type { Fault } from "./faulty-db.ts";
import type { Counted } from "./names.ts";
import {
  changeMood,
  deliver,
  deliverToTheEnd,
  deliverTwice,
  sendAgain,
  takeOver,
} from "./steps-hooks.ts";
import {
  changePolicy,
  changeTariff,
  restart,
  rotateKeys,
  rotateWebhookKeys,
  switchRequisite,
} from "./steps-manage.ts";
import { assign, giveBack, pay, payTwice } from "./steps-money.ts";
import { refund, refundTwice } from "./steps-refunds.ts";
import {
  balance,
  create,
  createTwice,
  details,
  detailsTwice,
  foreign,
  info,
  type Step,
} from "./steps-shop.ts";
import { passTime, runJobs, runJobsTwice } from "./steps-time.ts";
import { Broken, type Stage, World } from "./world.ts";

export const STEPS = 50;

const WEIGHTS = {
  ...{ create: 15, createTwice: 2, details: 16, detailsTwice: 2, info: 3, balance: 3, foreign: 2 },
  ...{ pay: 20, payTwice: 3, assign: 4, giveBack: 2, refund: 9, refundTwice: 2 },
  ...{ passTime: 12, runJobs: 7, runJobsTwice: 2 },
  ...{ changeMood: 4, deliver: 6, deliverTwice: 2, takeOver: 3, sendAgain: 1 },
  ...{ rotateKeys: 2, rotateWebhookKeys: 1, switchRequisite: 3, changeTariff: 2, changePolicy: 1 },
  ...{ restart: 2 },
} as const;

type Name = keyof typeof WEIGHTS;

const STEPS_BY_NAME: Readonly<Record<Name, Step>> = {
  ...{ create, createTwice, details, detailsTwice, info, balance, foreign },
  ...{ pay, payTwice, assign, giveBack, refund, refundTwice },
  ...{ passTime, runJobs, runJobsTwice },
  ...{ changeMood, deliver, deliverTwice, takeOver, sendAgain },
  ...{ rotateKeys, rotateWebhookKeys, switchRequisite, changeTariff, changePolicy, restart },
};

/** Where one process at a time is asked, it may fail. */
const FAULTLESS: ReadonlySet<Name> = new Set([
  ...(["createTwice", "detailsTwice", "payTwice", "refundTwice", "runJobsTwice"] as const),
  ...(["deliverTwice", "takeOver", "changeMood", "restart"] as const),
]);

const FAULT_CHANCE = 0.2;
/** What runs by itself has nobody who notices that it failed. */
const FAULT_CHANCE_OF_JOBS = 0.5;

export interface Told {
  readonly steps: readonly string[];
  /** What went wrong, and in which step; nothing for a good history. */
  readonly broken?: { readonly step: number; readonly what: string };
}

export interface HistoryOptions {
  readonly seed: number;
  /** Which steps are told; all where it is left out. */
  readonly kept?: ReadonlySet<number>;
  /** Whether the tables are made anew rather than emptied. */
  readonly thoroughly?: boolean;
  readonly count: (name: Counted) => void;
}

export async function tellHistory(stage: Stage, options: HistoryOptions): Promise<Told> {
  const { seed, kept, thoroughly = false, count } = options;
  const random = randomOf(seed);
  const steps: string[] = [];
  let step = 0;
  try {
    const world = await World.open(stage, random.branch(0), thoroughly, count);
    for (step = 1; step <= STEPS; step += 1) {
      if (kept !== undefined && !kept.has(step)) continue;
      // Told by its name until it can say what it did.
      const own = random.branch(step);
      const { name, fault } = drawStep(own);
      const strike = fault === undefined ? "" : ` [${fault.outcome} ${fault.side} ${fault.skip}]`;
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

interface DrawnStep {
  readonly name: Name;
  readonly fault: Fault | undefined;
}

function drawStep(random: Random): DrawnStep {
  const name = random.weighted(WEIGHTS);
  const isJob = name === "runJobs" || name === "passTime" || name === "deliver";
  const strikes = random.chance(isJob ? FAULT_CHANCE_OF_JOBS : FAULT_CHANCE);
  return { name, fault: strikes && !FAULTLESS.has(name) ? drawFault(random) : undefined };
}

async function takeStep(
  world: World,
  random: Random,
  name: Name,
  fault: Fault | undefined,
): Promise<string> {
  world.stage.clock.ms += random.between(1, 900);
  const armed = random.pick(world.stage.processes);
  if (fault !== undefined) {
    armed.db.arm(fault);
    world.armed = armed;
  }
  const told = await STEPS_BY_NAME[name](world, random.branch(1));
  armed.db.disarm();
  world.armed = undefined;
  return told;
}

function drawFault(random: Random): Fault {
  return {
    skip: Number(random.weighted({ 0: 45, 1: 25, 2: 15, 3: 10, 4: 5 })),
    side: random.chance(0.5) ? "before" : "after",
    outcome: random.weighted({ crash: 45, error: 40, repeat: 15 }),
  };
}

/** Everything that is due happens, everybody is told, and the ledger refuses to be changed. */
async function endHistory(world: World, random: Random): Promise<void> {
  await deliverToTheEnd(world);
  await runJobs(world, random);
  await world.check();
  const { engine } = world.stage;
  // Of the audit log what was only looked at may go, and a short history has nothing else in it.
  for (const change of ["delete from ledger_postings", "update audit_log set act = act"]) {
    const changed = engine.transaction(async (tx) => {
      await tx.query(change);
      throw new Broken(`what only grows can be changed: ${change}`);
    });
    const refusal = await changed.catch((error: unknown) => error);
    if (refusal instanceof Broken) throw refusal;
  }
}
