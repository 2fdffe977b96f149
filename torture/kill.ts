// kill -9 in the middle of everything: of the gateway, of PostgreSQL beneath it, of the gateway with
// the embedded engine. Each time the witness asks whether anything is lost or doubled.

import { availableParallelism, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { findPostgres, HOW_TO_INSTALL } from "../test/postgres.ts";
import { chooseBlow, type Kind, strike } from "./kill/blow.ts";
import { FIRST, openKillStage, type Stage } from "./kill/stage.ts";
import type { Part, Trial } from "./part.ts";
import type { Witness } from "./witness.ts";

const KILLED: Readonly<Record<Kind, string>> = {
  gateway: "gateways on PostgreSQL killed",
  postgres: "PostgreSQL killed",
  embedded: "embedded gateways killed",
};
const HELD = "killed while its orders waited for a lock";
const AGAIN = "killed again while starting";
const ACKNOWLEDGED = "requests acknowledged";
const UNKNOWN = "requests in flight at a kill";
const STORED = "of these stored";
const ABSENT = "of these absent";
const CONFIRMED = "lives confirmed";

const READY_WITHIN_MS: Readonly<Record<Kind, number>> = {
  ...{ gateway: 5_000, postgres: 5_000, embedded: 10_000 },
};
const WORKERS = 16;
/** The embedded engine's books can be read only while its gateway is stopped. */
const EMBEDDED_BOOKS_EVERY = 20;

export const kill: Part = {
  name: "kill",
  about: "kill -9 of the gateway and of its database, under load",
  faults: [...Object.values(KILLED), HELD, AGAIN, FIRST],
  states: [ACKNOWLEDGED, UNKNOWN, STORED, ABSENT, CONFIRMED],
  missing() {
    if (process.platform !== "linux") return "PostgreSQL's processes are found by Linux's /proc.";
    return findPostgres() === undefined ? `PostgreSQL: ${HOW_TO_INSTALL}` : undefined;
  },
  async run(trial) {
    const kills = Array.from({ length: trial.size(12, 300) }, (_, nth) => nth);
    const kindOf = (nth: number): Kind =>
      (["gateway", "postgres", "embedded"] as const)[nth % 3] ?? "gateway";
    for (const engine of ["postgres", "embedded"] as const) {
      const own = kills.filter((nth) => (kindOf(nth) === "embedded") === (engine === "embedded"));
      if (own.length === 0) continue;
      const stage = await openKillStage(trial, engine);
      await killRepeatedly(trial, stage, trial.random.shuffle(own), kindOf);
      await stage.close();
    }
  },
};

async function killRepeatedly(
  trial: Trial,
  stage: Stage,
  kills: readonly number[],
  kindOf: (nth: number) => Kind,
): Promise<void> {
  const { engine, gateway, witness } = stage;
  const slowest = new Map<Kind, { tookMs: number; waitedMs: number }>();
  for (const [index, nth] of kills.entries()) {
    const before = { ...witness.counts };
    const blow = chooseBlow(kindOf(nth), nth, trial.random.branch(1_000 + nth));
    witness.start({ workers: WORKERS });
    await firstAnswer(witness, before.acknowledged);
    const { pid } = gateway;
    const { tookMs, waitedMs, wasAgain, wasHeld } = await strike(stage, blow);
    trial.count(KILLED[blow.kind]);
    if (wasHeld) trial.count(HELD);
    if (wasAgain) trial.count(AGAIN);
    if (tookMs > (slowest.get(blow.kind)?.tookMs ?? 0))
      slowest.set(blow.kind, { tookMs, waitedMs });
    // The promise is the gateway's, not that of a machine which is busy with something else.
    if (tookMs - waitedMs > READY_WITHIN_MS[blow.kind]) {
      const waited = `${Math.round(waitedMs)} of them without a core`;
      const load = `load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`;
      const took = `${Math.round(tookMs)} ms, ${waited}, ${load}`;
      trial.violation(`${blow.kind} was ready only after ${took}`);
    }
    if (blow.kind === "postgres" && (gateway.hasEnded || gateway.pid !== pid)) {
      trial.violation(`the gateway ended with its database: ${gateway.output()}`);
    }
    await witness.reconcile();
    const isLast = index === kills.length - 1;
    if (engine === "postgres" || isLast || (index + 1) % EMBEDDED_BOOKS_EVERY === 0) {
      await stage.checkBooks();
    }
    countSince(trial, before, witness);
    if ((index + 1) % 10 === 0) trial.say(`${engine}: ${index + 1} of ${kills.length} kills`);
  }
  for (const [kind, { tookMs, waitedMs }] of slowest) {
    trial.fact(`slowest return of ${kind}, ms`, Math.round(tookMs));
    // On a machine of its own this is next to nothing.
    if (waitedMs > tookMs / 10)
      trial.fact(`of these without a core (${kind})`, Math.round(waitedMs));
  }
}

/** The load must be under way, or nothing would be in flight. */
async function firstAnswer({ counts }: Witness, before: number): Promise<void> {
  const until = performance.now() + 10_000;
  while (counts.acknowledged === before) {
    if (performance.now() > until) throw new Error("no request was answered in 10 s");
    await sleep(2);
  }
}

function countSince(trial: Trial, before: Witness["counts"], { counts }: Witness): void {
  trial.count(ACKNOWLEDGED, counts.acknowledged - before.acknowledged);
  trial.count(UNKNOWN, counts.unknown - before.unknown);
  trial.count(STORED, counts.stored - before.stored);
  trial.count(ABSENT, counts.absent - before.absent);
  trial.count(CONFIRMED, counts.confirmed - before.confirmed);
}
