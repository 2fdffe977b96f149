// Everything that can befall a gateway from outside, as faults of one table: the witness's load is on, a
// fault strikes, whatever went down is started again, the witness asks again, the books are compared.
// A database that does not sync lives through a power cut, too, and must be caught: or it proved nothing.

import { setTimeout as sleep } from "node:timers/promises";
import { findPostgres, HOW_TO_INSTALL } from "../test/postgres.ts";
import { CUTS, CUTS_AT_ONCE, cutConnections } from "./crash/cuts.ts";
import { AGAIN, type Fault, REFUSED } from "./crash/fault.ts";
import { ENGINES, type EngineName, openStage } from "./crash/stage.ts";
import * as strikes from "./crash/strikes.ts";
import { missingForVolumes } from "./crash/volume/volume.ts";
import type { Part, Trial } from "./part.ts";

const fault = (
  engine: EngineName,
  name: string,
  strike: Fault["strike"],
  times: Fault["times"],
  more: Partial<Fault> = {},
): Fault => ({ name: `${name}, ${engine}`, engine, strike, times, ...more });

const refused = { also: [REFUSED] };
const onDisk = { ...refused, missing: missingForVolumes };
const traced = { ...refused, missing: strikes.missingForFailingCalls };
const styled = { ...onDisk, also: strikes.STYLES };

/** A table of what is inflicted, how often in a quick run and in a full one. */
const FAULTS: readonly Fault[] = [
  fault("postgres", "gateways killed while they deliver", strikes.killGateway, [2, 75]),
  fault("postgres", "gateways killed while orders wait", strikes.killWhileOrdersWait, [1, 50]),
  fault("postgres", "databases killed", strikes.killDatabase, [2, 75], { also: [AGAIN] }),
  fault("embedded", "gateways killed while they deliver", strikes.killGateway, [2, 100]),
  fault("postgres", `rows of ${CUTS_AT_ONCE} cuts`, cutConnections, [2, 50], { also: CUTS }),
  ...ENGINES.flatMap((engine) => [
    fault(engine, "power cuts", strikes.cutPower, [2, 75], styled),
    fault(engine, "failing syncs", strikes.failSyncs, [1, 8], traced),
    fault(engine, "failing writes", strikes.failWrites, [1, 8], traced),
    fault(engine, "full disks", strikes.fillDisk, [1, 7], onDisk),
    fault(engine, "dying disks", strikes.letDiskDie, [1, 7], onDisk),
  ]),
];

const FIRST = "killed in the very first start";
const CONTROL = "power cuts of a control that does not sync";
const LOST = "losses that the witness found there";
const TWICE = "webhooks heard again, the same";
/** Of the witness's counts. */
const REACHED = ["acknowledged", "unknown", "stored", "absent", "confirmed"] as const;

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
  possible().some(({ engine, strike }) => engine === "postgres" && strike === strikes.cutPower);

export const crash: Part = {
  name: "crash",
  about: "kills, power cuts, failing disks, cut connections, under load",
  get faults() {
    const named = possible().flatMap(({ name, also = [] }) => [name, ...also]);
    return [...new Set([FIRST, ...named, ...(canControl() ? [CONTROL] : [])])];
  },
  get states() {
    return [...REACHED, TWICE, ...(canControl() ? [LOST] : [])];
  },
  missing: () => (process.platform === "linux" ? undefined : "It breaks by Linux's own means."),
  async run(trial) {
    for (const fault of FAULTS) {
      const lack = lackFor(fault);
      if (lack !== undefined) trial.fact(`not run: ${fault.name}`, lack);
    }
    for (const engine of ENGINES) {
      const planned = possible()
        .filter((fault) => fault.engine === engine)
        .flatMap((fault) =>
          Array.from({ length: trial.size(...fault.times) }, (_, nth) => ({ fault, nth })),
        );
      const all = trial.random.shuffle(planned);
      for (let from = 0; from < all.length; from += FAULTS_PER_STAGE) {
        const some = all.slice(from, from + FAULTS_PER_STAGE);
        await liveThrough(trial, engine, `${engine}${from}`, some);
      }
    }
    const controls = canControl() ? trial.size(1, 10) : 0;
    for (let nth = 0; nth < controls; nth += 1) await tryControl(trial, 2 * nth);
  },
};

async function liveThrough(
  trial: Trial,
  engine: EngineName,
  name: string,
  planned: readonly { readonly fault: Fault; readonly nth: number }[],
  syncs = true,
): Promise<void> {
  const random = trial.random.branch(trial.random.below(2 ** 31));
  const stage = await openStage(trial, { name, engine, random, syncs });
  trial.count(FIRST);
  const { witness } = stage;
  let slowestMs = 0;
  for (const [index, { fault, nth }] of planned.entries()) {
    const own = random.branch(1 + index);
    witness.start(WORKERS);
    await witness.acknowledges(1);
    await sleep(own.between(SOONEST_MS, LATEST_MS));
    await fault.strike({ trial, stage, random: own, nth });
    trial.count(fault.name);
    stage.aside.avoided = undefined;
    const endedAt = performance.now();
    await stage.start();
    slowestMs = Math.max(slowestMs, performance.now() - endedAt);
    await witness.acknowledges(ANSWERS_AFTER);
    await witness.stop();
    await witness.reconcile();
    const isLast = index === planned.length - 1;
    if (engine === "postgres" || isLast || index % EMBEDDED_BOOKS_EVERY === 9) await stage.books();
    trial.say(`${name}: ${index + 1} of ${planned.length}, ${fault.name}`);
  }
  trial.fact(`slowest return of ${name}, ms`, Math.round(slowestMs));
  await witness.listenToTheEnd();
  for (const state of REACHED) trial.count(state, witness.counts[state]);
  trial.count(TWICE, witness.hooks.repeated);
  await stage.close();
}

/** The same on a database that syncs nothing: the witness must cry out, or the cuts prove nothing. */
async function tryControl(trial: Trial, nth: number): Promise<void> {
  const losses: string[] = [];
  const violation = (what: string): void => void losses.push(what);
  const quiet = { ...trial, violation, count() {} };
  const planned = [{ fault: fault("postgres", "control", strikes.cutPower, [1, 10]), nth }];
  // One that does not even open has lost everything.
  const lose = (error: unknown): void => violation(String(error));
  await liveThrough(quiet, "postgres", `control${nth}`, planned, false).catch(lose);
  trial.count(CONTROL);
  trial.count(LOST, losses.length);
  if (losses.length === 0) trial.violation("a database that does not sync lost nothing");
}
