// Everything that can befall a gateway from outside, as faults of one table: the witness's load is on, a
// fault strikes, whatever went down is started again, the witness asks again, the books are compared.
// A database that does not sync lives through a power cut, too, and must be caught: or it proved nothing.

import { setTimeout as sleep } from "node:timers/promises";
import { findPostgres, HOW_TO_INSTALL } from "../test/postgres.ts";
import { CUTS, CUTS_AT_ONCE, cutConnections } from "./crash/cuts.ts";
import { failSyncs, failWrites, fillDisk, letDiskDie, turnReadOnly } from "./crash/disk-faults.ts";
import { cutPower, killDatabase, killGateway, killWhileOrdersWait, STYLES } from "./crash/ends.ts";
import { missingForFailingCalls } from "./crash/failing-calls.ts";
import { AGAIN, type Fault, REFUSED } from "./crash/fault.ts";
import { FROZEN, freeze } from "./crash/freeze.ts";
import { type EngineName, openStage, type Stage } from "./crash/stage.ts";
import { missingForVolumes } from "./crash/volume/volume.ts";
import { eventually } from "./eventually.ts";
import type { Part, Trial } from "./part.ts";
import type { Witness } from "./witness.ts";

const on = (engine: EngineName, name: string, strike: Fault["strike"]) =>
  ({ name: `${name}, ${engine}`, engine, strike }) as const;

/** A table of what is inflicted; a quick run has all of it. */
const FAULTS: readonly Fault[] = [
  { ...on("postgres", "gateways killed while they deliver", killGateway), times: [2, 75] },
  { ...on("postgres", "gateways killed while orders wait", killWhileOrdersWait), times: [1, 50] },
  { ...on("postgres", "database killed", killDatabase), times: [2, 75], also: [AGAIN] },
  { ...on("embedded", "gateways killed while they deliver", killGateway), times: [2, 100] },
  { ...on("postgres", `rows of ${CUTS_AT_ONCE} cuts`, cutConnections), times: [2, 50], also: CUTS },
  { ...on("postgres", "gateways frozen", freeze), times: [2, 100], also: FROZEN },
  { ...on("postgres", "database read-only", turnReadOnly), times: [1, 20], also: [REFUSED] },
  ...(["postgres", "embedded"] as const).flatMap((engine): Fault[] => {
    const calls = { times: [1, 8], missing: missingForFailingCalls, also: [REFUSED] } as const;
    const disk = { times: [1, 7], missing: missingForVolumes, also: [REFUSED] } as const;
    return [
      { ...on(engine, "power cut", cutPower), ...disk, times: [2, 75], also: STYLES },
      { ...on(engine, "syncs fail", failSyncs), ...calls },
      { ...on(engine, "writes fail", failWrites), ...calls },
      { ...on(engine, "disk full", fillDisk), ...disk },
      { ...on(engine, "disk dies", letDiskDie), ...disk },
    ];
  }),
];

const FIRST = "killed in the very first start";
const CONTROL = "power cuts of a control that does not sync";
const LOST = "losses that the witness found there";
const TWICE = "webhooks heard again, the same";
/** The witness's counts that must not be zero, and what they mean. */
const REACHED = {
  acknowledged: "requests acknowledged",
  unknown: "requests left in doubt",
  stored: "of these stored",
  absent: "of these absent",
  confirmed: "lives confirmed",
} as const;

/** After a kill. */
const READY_WITHIN_MS: Readonly<Record<EngineName, number>> = { postgres: 5_000, embedded: 10_000 };
const WORKERS = 16;
const [SOONEST_MS, LATEST_MS] = [50, 600];
/** Acknowledged after a return: it does not only say that it is ready. */
const ANSWERS_AFTER = 20;
/** The embedded engine's books can be read only while its gateway is stopped: an orderly end. */
const EMBEDDED_BOOKS_EVERY = 10;
/** A disk has room for so many. */
const FAULTS_PER_STAGE = 40;

/** Looked up once: by what it needs, what this machine lacks. */
const lacks = new Map<Fault["missing"], string | undefined>();
function lackFor({ engine, missing }: Fault): string | undefined {
  if (engine === "postgres" && findPostgres() === undefined) return HOW_TO_INSTALL;
  if (!lacks.has(missing)) lacks.set(missing, missing?.());
  return lacks.get(missing);
}
const possible = (): Fault[] => FAULTS.filter((fault) => lackFor(fault) === undefined);
const canControl = (): boolean =>
  possible().some(({ engine, strike }) => engine === "postgres" && strike === cutPower);

export const crash: Part = {
  name: "crash",
  about: "kills, freezes, power cuts, failing disks, cut connections, under load",
  get faults() {
    const named = possible().flatMap(({ name, also = [] }) => [name, ...also]);
    return [...new Set([FIRST, ...named, ...(canControl() ? [CONTROL] : [])])];
  },
  get states() {
    return [...Object.values(REACHED), TWICE, ...(canControl() ? [LOST] : [])];
  },
  missing: () => (process.platform === "linux" ? undefined : "It breaks by Linux's own means."),
  async run(trial) {
    for (const fault of FAULTS) {
      const lack = lackFor(fault);
      if (lack !== undefined) trial.fact(`not run: ${fault.name}`, lack);
    }
    for (const engine of ["postgres", "embedded"] as const) {
      const planned = possible()
        .filter((fault) => fault.engine === engine)
        .flatMap((fault) =>
          Array.from({ length: trial.size(...fault.times) }, (_, nth) => ({ fault, nth })),
        );
      const all = trial.random.shuffle(planned);
      for (let from = 0; from < all.length; from += FAULTS_PER_STAGE) {
        await liveThrough(trial, engine, from, all.slice(from, from + FAULTS_PER_STAGE));
      }
    }
    if (canControl()) await tryControl(trial, trial.size(1, 10));
  },
};

async function liveThrough(
  trial: Trial,
  engine: EngineName,
  from: number,
  planned: readonly { readonly fault: Fault; readonly nth: number }[],
): Promise<void> {
  const random = trial.random.branch((engine === "embedded" ? 1 : 2) * 1_000_000 + from);
  const { violation } = trial;
  const name = `${engine}${from === 0 ? "" : from}`;
  const stage = await openStage(trial, { name, engine, random, violation, syncs: true });
  trial.count(FIRST);
  const { witness, gateway } = stage;
  for (const [index, { fault, nth }] of planned.entries()) {
    const own = random.branch(1 + index);
    witness.start(WORKERS);
    await acknowledges(witness, 1);
    await sleep(own.between(SOONEST_MS, LATEST_MS));
    await fault.strike({ trial, stage, random: own, nth });
    trial.count(fault.name);
    stage.aside.avoided = undefined;
    delete stage.aside.listener;
    await comeBack(stage, fault);
    await acknowledges(witness, ANSWERS_AFTER);
    await witness.stop();
    await witness.reconcile();
    const isLast = index === planned.length - 1;
    if (engine === "postgres" || isLast || index % EMBEDDED_BOOKS_EVERY === 9) await stage.books();
    trial.say(`${name}: ${index + 1} of ${planned.length}, ${fault.name}`);
  }
  await witness.listenToTheEnd();
  if (gateway.state === "ended") violation(`the gateway ended by itself: ${gateway.output()}`);
  for (const [key, state] of Object.entries(REACHED)) {
    trial.count(state, witness.counts[key as keyof typeof REACHED]);
  }
  trial.count(TWICE, witness.hooks.repeated);
  await stage.close();
}

/** The promise is the gateway's, not that of a machine which is busy with something else. */
async function comeBack(stage: Stage, { name, engine, strike }: Fault): Promise<void> {
  const { gateway } = stage;
  const wasWaiting = gateway.state === "up" ? gateway.waitedForCore() : 0;
  const startedAt = performance.now();
  await stage.start();
  const tookMs = performance.now() - startedAt;
  const waitedMs = gateway.waitedForCore() - wasWaiting;
  const isKill = strike === killGateway || strike === killDatabase;
  if (!isKill || tookMs - waitedMs <= READY_WITHIN_MS[engine]) return;
  const [took, waited] = [tookMs, waitedMs].map(Math.round);
  stage.violation(`${name}: ready only after ${took} ms, ${waited} of them without a core`);
}

async function acknowledges({ counts }: Witness, more: number): Promise<void> {
  const wanted = counts.acknowledged + more;
  await eventually("an answer", () => counts.acknowledged >= wanted, 60_000);
}

/** Nothing helps it more than a disk that loses nothing. */
async function tryControl(trial: Trial, times: number): Promise<void> {
  for (let nth = 0; nth < times; nth += 1) {
    const losses: string[] = [];
    const random = trial.random.branch(3_000_000 + nth);
    const stage = await openStage(trial, {
      ...{ name: `control${nth}`, engine: "postgres", random, syncs: false },
      violation: (what) => void losses.push(what),
    });
    stage.witness.start(WORKERS);
    await acknowledges(stage.witness, ANSWERS_AFTER);
    await stage.volume?.cut("kept", random.below(2 ** 31));
    await stage.halt();
    trial.count(CONTROL);
    try {
      await stage.start();
      await stage.witness.stop();
      await stage.witness.reconcile();
    } catch (error) {
      losses.push(`it does not even open: ${String(error)}`);
    }
    trial.count(LOST, losses.length);
    if (losses.length === 0) trial.violation("the control lost nothing: the cuts prove nothing");
    await stage.close();
  }
}
