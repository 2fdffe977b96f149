// The disk fails: syncs and writes that end in an error, a disk that is full, a disk that dies. Nothing
// is acknowledged that is not safe, the gateway says so in order while it lasts, and it is back when the
// fault is gone, with everything that it had acknowledged.

import { setTimeout as sleep } from "node:timers/promises";
import { findPostgres, HOW_TO_INSTALL } from "../test/postgres.ts";
import { missingForFailingCalls } from "./disk/failing-calls.ts";
import { FAULTS, type FaultName, type Inflicted, inflict } from "./disk/fault.ts";
import { readiness } from "./disk/refusals.ts";
import { type EngineName, type Machine, openMachine } from "./machine.ts";
import type { Part, Trial } from "./part.ts";
import { missingForVolumes } from "./volume/volume.ts";

const ENGINES = ["embedded", "postgres"] as const satisfies EngineName[];
const TITLES: Readonly<Record<EngineName, string>> = {
  ...{ embedded: "embedded engine", postgres: "PostgreSQL" },
};
const faultOf = (fault: FaultName, engine: EngineName): string => `${fault}, ${TITLES[engine]}`;
const refusedOf = (engine: EngineName): string => `refused meanwhile, ${TITLES[engine]}`;
const BY_ITSELF = "returns by itself";
const AFTER_START = "returns after a start";
const ACKNOWLEDGED = "acknowledged";
const CONFIRMED = "lives confirmed";

const WORKERS = 8;
const BACK_WITHIN_MS = 60_000;
/** Acknowledged after a return: it does not only say that it is ready. */
const ANSWERS_AFTER = 20;
/** The embedded engine's books can be read only while its gateway is stopped: an orderly end. */
const EMBEDDED_BOOKS_EVERY = 4;

export const disk: Part = {
  name: "disk",
  about: "syncs and writes that fail, a full disk, a dying disk, under load",
  faults: FAULTS.flatMap((fault) => ENGINES.map((engine) => faultOf(fault, engine))),
  states: [...ENGINES.map(refusedOf), BY_ITSELF, AFTER_START, ACKNOWLEDGED, CONFIRMED],
  missing() {
    if (findPostgres() === undefined) return `PostgreSQL: ${HOW_TO_INSTALL}`;
    return missingForVolumes() ?? missingForFailingCalls();
  },
  async run(trial) {
    const rounds = Math.ceil(trial.size(8, 60) / ENGINES.length);
    // Machines of their own, so at the same time; each ends before what it stands on is removed.
    const all = await Promise.allSettled(ENGINES.map((engine) => tryEngine(trial, engine, rounds)));
    for (const one of all) if (one.status === "rejected") throw one.reason;
  },
};

async function tryEngine(trial: Trial, engine: EngineName, rounds: number): Promise<void> {
  const violation = (what: string): void => {
    trial.violation(`${what}${saidBy(machine)}`);
  };
  const machine: Machine = await openMachine(trial, engine, violation);
  const { witness } = machine;
  let [failedCalls, slowestMs] = [0, 0];
  for (let nth = 0; nth < rounds; nth += 1) {
    const random = trial.random.branch((engine === "embedded" ? 1_000 : 2_000) + nth);
    const fault = FAULTS[nth % FAULTS.length] ?? "syncs fail";
    const before = { ...witness.counts };
    // Whoever gets no answer asks until there is one, so the load outlives the fault.
    witness.start({ workers: WORKERS, patient: true });
    await answers(machine, before.acknowledged + 1);
    const inflicted = await inflict(trial, machine, fault, random);
    trial.count(faultOf(fault, engine));
    trial.count(refusedOf(engine), inflicted.refused);
    if (inflicted.refused === 0) violation(`${engine} notices nothing: ${fault}`);
    failedCalls += inflicted.failedCalls;
    const endedAt = performance.now();
    trial.count(await comeBack(machine, inflicted, violation));
    await answers(machine, witness.counts.acknowledged + ANSWERS_AFTER);
    slowestMs = Math.max(slowestMs, performance.now() - endedAt);
    await witness.stop();
    await witness.reconcile();
    if (engine === "postgres" || nth === rounds - 1 || nth % EMBEDDED_BOOKS_EVERY === 3) {
      await machine.checkBooks();
    }
    trial.count(ACKNOWLEDGED, witness.counts.acknowledged - before.acknowledged);
    trial.count(CONFIRMED, witness.counts.confirmed - before.confirmed);
    if (!trial.full || (nth + 1) % 10 === 0) {
      trial.say(`${engine}: ${nth + 1} of ${rounds} faults, the last one: ${fault}`);
    }
  }
  trial.fact(`slowest return, ${TITLES[engine]}, ms`, Math.round(slowestMs));
  trial.fact(`system calls failed, ${TITLES[engine]}`, failedCalls);
  trial.fact(`in doubt and stored, ${TITLES[engine]}`, witness.counts.stored);
  trial.fact(`in doubt and absent, ${TITLES[engine]}`, witness.counts.absent);
}

/** What the gateway itself takes for unexpected. */
function saidBy({ gateway }: Machine): string {
  const line = gateway
    .output()
    .split("\n")
    .findLast((one) => one.includes('"level":"error"'));
  return line === undefined ? "" : `; the gateway's last error: ${line.slice(0, 600)}`;
}

/**
 * The gateway must have lived through it. PostgreSQL itself ends where it cannot even recover, as it
 * should: then it is started again, as its own operator would.
 */
async function comeBack(
  machine: Machine,
  { hasPower }: Inflicted,
  violation: (what: string) => void,
): Promise<typeof BY_ITSELF | typeof AFTER_START> {
  const { gateway, cluster } = machine;
  if (!hasPower) {
    await machine.boot();
    return AFTER_START;
  }
  const until = performance.now() + BACK_WITHIN_MS;
  let how: typeof BY_ITSELF | typeof AFTER_START = BY_ITSELF;
  for (;;) {
    if (gateway.hasEnded) {
      violation(`the gateway of ${machine.engine} ended: ${gateway.output()}`);
      gateway.launch();
      await gateway.ready();
      return AFTER_START;
    }
    if (cluster !== undefined && cluster.pids().length === 0) {
      await cluster.start();
      how = AFTER_START;
    }
    const state = await readiness(gateway);
    if (state === "ready") return how;
    if (state !== "away") violation(state);
    if (performance.now() > until) {
      throw new Error(`${machine.engine} is not back after ${BACK_WITHIN_MS} ms`);
    }
    await sleep(50);
  }
}

async function answers({ engine, witness }: Machine, wanted: number): Promise<void> {
  const until = performance.now() + BACK_WITHIN_MS;
  while (witness.counts.acknowledged < wanted) {
    if (performance.now() > until) throw new Error(`${engine} acknowledges nothing any more`);
    await sleep(5);
  }
}
