// A database of three machines that loses one after another under load: what was acknowledged is on the
// next leader, writes go on within seconds, and where they cannot, they are refused.

import { setTimeout as sleep } from "node:timers/promises";
import { FAULTS, type Fault } from "./failover/fault.ts";
import { missingCluster, patroniVersion } from "./failover/programs.ts";
import { openStage, type Stage } from "./failover/stage.ts";
import type { Part, Trial } from "./part.ts";

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

export const failover: Part = {
  name: "failover",
  about: "a cluster of three that loses leaders, standbys, etcd and its proxy, under load",
  byName: true,
  faults: FAULTS.filter(({ times }) => times[0] > 0).map(({ name }) => name),
  faultsOfFull: FAULTS.filter(({ times }) => times[0] === 0).map(({ name }) => name),
  states: [...REACHED, REFUSED],
  missing: missingCluster,
  async run(trial) {
    const planned = FAULTS.flatMap((fault) => {
      const isDue = trial.full || fault.times[0] > 0;
      const count = isDue ? trial.size(...fault.times) : 0;
      return Array.from({ length: count }, (_, nth) => ({ fault, nth }));
    });
    trial.fact("Patroni", patroniVersion());
    const stage = await openStage(trial);
    trial.say("the cluster is there");
    const pauses = new Map<string, number[]>();
    for (const [index, { fault, nth }] of trial.random.shuffle(planned).entries()) {
      const pauseMs = await inflict(trial, stage, fault, nth);
      pauses.set(fault.name, [...(pauses.get(fault.name) ?? []), pauseMs]);
      await stage.witness.reconcile();
      await stage.cluster.settled();
      await stage.books();
      const took = `nobody answered for ${(pauseMs / 1000).toFixed(1)} s`;
      trial.say(`${index + 1} of ${planned.length}, ${fault.name}: ${took}`);
    }
    await stage.witness.listenToTheEnd();
    const { counts } = stage.witness;
    for (const state of REACHED) trial.count(state, counts[state]);
    trial.count(REFUSED, counts.unavailable);
    for (const one of ["stored", "absent", "doubts"] as const) trial.fact(one, counts[one]);
    for (const [fault, all] of pauses) trial.fact(`${fault}: nobody answered, s`, spread(all));
  },
};

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
