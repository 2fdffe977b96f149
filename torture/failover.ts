// A database of three machines that loses one after another under load: what was acknowledged is on the
// next leader, writes go on within seconds, and where they cannot, they are refused. The control beside it
// is the same without a synchronous standby, which must be seen to lose, or it proved nothing.

import { setTimeout as sleep } from "node:timers/promises";
import type { Rewrite } from "./failover/cluster.ts";
import { type Fault, killLeaderAhead, possibleFaults, stallLeader } from "./failover/fault.ts";
import { missingCluster, patroniKeepsItsLease, patroniVersion } from "./failover/programs.ts";
import { openStage, type Stage } from "./failover/stage.ts";
import type { Part, Trial } from "./part.ts";

const LEADERS = "later timelines that answered";
const REFUSED = "refused with 503 meanwhile";
/** Of the witness's counts. */
const REACHED = ["acknowledged", "unknown", "confirmed"] as const;

const WORKERS = 16;
/** Between two lives of a worker: a cluster on one machine has four disks' work to do. */
const PAUSE_MS = 200;
const [SOONEST_MS, LATEST_MS] = [500, 2_500];
/** Of every gateway, after a return: it does not only answer once. */
const ANSWERS_AFTER = 20;
/** Under load, after whatever was struck is there again: this is when two would lead. */
const AFTERWARDS_MS = 5_000;

const named = (quick: boolean): string[] =>
  possibleFaults()
    .filter(({ times }) => times[0] > 0 === quick)
    .map(({ name }) => name);

export const failover: Part = {
  name: "failover",
  about: "a cluster of three that loses leaders, standbys, etcd and its proxy, under load",
  byName: true,
  get faults() {
    return named(true);
  },
  get faultsOfFull() {
    return named(false);
  },
  states: [...REACHED, LEADERS, REFUSED],
  missing: missingCluster,
  async run(trial) {
    const planned = possibleFaults().flatMap((fault) => {
      const isDue = trial.full || fault.times[0] > 0;
      const count = isDue ? trial.size(...fault.times) : 0;
      return Array.from({ length: count }, (_, nth) => ({ fault, nth }));
    });
    await liveThrough(trial, "failover", trial.random.shuffle(planned));
  },
};

type Planned = { readonly fault: Fault; readonly nth: number };

async function liveThrough(
  trial: Trial,
  name: string,
  planned: readonly Planned[],
  options: Parameters<typeof openStage>[2] = {},
): Promise<void> {
  trial.fact("Patroni", patroniVersion());
  const stage = await openStage(trial, name, options);
  trial.say("the cluster is there");
  const pauses = new Map<string, number[]>();
  try {
    for (const [index, { fault, nth }] of planned.entries()) {
      const pauseMs = await inflict(trial, stage, fault, nth);
      pauses.set(fault.name, [...(pauses.get(fault.name) ?? []), pauseMs]);
      await stage.witness.reconcile();
      if (!fault.isLast) await stage.cluster.settled();
      await stage.books();
      const took = `nobody answered for ${(pauseMs / 1000).toFixed(1)} s`;
      trial.say(`${index + 1} of ${planned.length}, ${fault.name}: ${took}`);
    }
    await stage.beats();
    await stage.witness.listenToTheEnd();
  } finally {
    await stage.close();
    tellOf(trial, stage);
    for (const [fault, all] of pauses) trial.fact(`${fault}: nobody answered, s`, spread(all));
  }
}

function tellOf(trial: Trial, { witness: { counts }, watch }: Stage): void {
  for (const state of REACHED) trial.count(state, counts[state]);
  trial.count(REFUSED, counts.unavailable);
  const { timelines, answered } = watch.counts();
  trial.count(LEADERS, timelines - 1);
  for (const one of ["stored", "absent", "doubts"] as const) trial.fact(one, counts[one]);
  trial.fact("writes of the watch that were answered", answered);
}

/** For how long nobody was answered. */
async function inflict(
  trial: Trial,
  { cluster, witness, pulse }: Stage,
  { name, strike, refusesMs, backWithinMs }: Fault,
  nth: number,
): Promise<number> {
  pulse.begin();
  witness.start(WORKERS, PAUSE_MS);
  await pulse.answers(1);
  await sleep(trial.random.between(SOONEST_MS, LATEST_MS));
  pulse.begin();
  const repair = await strike(cluster, nth);
  trial.count(name);
  if (refusesMs === undefined) {
    await pulse.answers(ANSWERS_AFTER);
    await repair();
  } else {
    const [fromMs, toMs] = refusesMs;
    await sleep(fromMs);
    pulse.begin();
    await sleep(toMs - fromMs);
    if (pulse.count() > 0) trial.violation(`${name}: writes are acknowledged all the same`);
    pulse.begin();
    await repair();
    await pulse.answers(ANSWERS_AFTER);
  }
  await sleep(AFTERWARDS_MS);
  const pauseMs = pulse.longestMs();
  if (pauseMs > backWithinMs) {
    trial.violation(`${name}: nobody was answered for ${Math.round(pauseMs)} ms`);
  }
  await witness.stop();
  return pauseMs;
}

/** The shortest, the one in the middle, and the longest. */
function spread(all: readonly number[]): string {
  const sorted = all.toSorted((left, right) => left - right).map((ms) => (ms / 1000).toFixed(1));
  return [sorted[0], sorted[Math.floor((sorted.length - 1) / 2)], sorted.at(-1)].join(" / ");
}

const UNSYNCHRONISED = "leaders lost that had no synchronous standby";
const STALLED = "leaders stalled under a Patroni before 3.0.3";
const LOST = "losses that were found";

const ASYNCHRONOUS = [
  { from: "synchronous_mode: true", to: "synchronous_mode: false" },
  { from: "synchronous_mode_strict: true", to: "synchronous_mode_strict: false" },
];

export const failoverControl: Part = {
  name: "failover-control",
  about:
    "the same where it must be seen to lose: no synchronous standby, or a Patroni before 3.0.3",
  byName: true,
  get faults() {
    return [UNSYNCHRONISED, ...(patroniKeepsItsLease() ? [] : [STALLED])];
  },
  states: [LOST],
  missing: missingCluster,
  async run(trial) {
    const never = Number.POSITIVE_INFINITY;
    const limits = { times: [1, 1], backWithinMs: never, isLast: true } as const;
    const lost = { ...limits, name: UNSYNCHRONISED, strike: killLeaderAhead };
    await mustLose(trial, "unsynchronised", lost, ASYNCHRONOUS);
    if (patroniKeepsItsLease()) return;
    await mustLose(trial, "stalled", { ...limits, name: STALLED, strike: stallLeader }, []);
  },
};

/** What was told is not there any more. */
const LOSS = /was taken, and info|, and now |is told|stored|are lost/;
/** Where the one leader left has no standby for good, what was lost is refused whenever it is asked for. */
const INSISTS_FOR_MS = 15_000;
/** Two have led at one time. */
const SPLIT = /answers? writes/;

async function mustLose(
  trial: Trial,
  name: string,
  fault: Fault,
  rewrites: readonly Rewrite[],
): Promise<void> {
  const losses: string[] = [];
  const quiet = {
    ...trial,
    violation: (what: string): void => void losses.push(what),
    count() {},
    fact() {},
  };
  const options = { rewrites, insistsForMs: INSISTS_FOR_MS };
  await liveThrough(quiet, name, [{ fault, nth: 0 }], options).catch((error: unknown) => {
    losses.push(String(error));
  });
  trial.count(fault.name);
  // Whatever else went wrong there is no loss.
  const lost = losses.filter((one) => LOSS.test(one));
  trial.count(LOST, lost.length);
  trial.fact(`${name}: losses`, lost.length);
  trial.fact(`${name}: for example`, lost[0] ?? losses[0] ?? "nothing");
  trial.fact(`${name}: two leaders`, losses.find((one) => SPLIT.test(one)) ?? "none");
  if (lost.length === 0) trial.violation(`${name} lost nothing`);
}
