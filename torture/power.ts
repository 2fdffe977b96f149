// The power goes: the gateway, its database and the file system lose at one moment everything that was
// not synced, and of what the disk had only in its cache a part that chance decides. Then the machine
// boots, and the witness asks. PGlite as it comes lives through the same and must lose rows, or the cuts
// would prove nothing.

import { setTimeout as sleep } from "node:timers/promises";
import { findPostgres, HOW_TO_INSTALL } from "../test/postgres.ts";
import { type EngineName, type Machine, openMachine } from "./machine.ts";
import type { Part, Trial } from "./part.ts";
import { openControl } from "./power/control.ts";
import type { CutReport, CutStyle } from "./volume/platter.ts";
import { missingForVolumes } from "./volume/volume.ts";
import type { Witness } from "./witness.ts";

const CUT: Readonly<Record<EngineName | "control", string>> = {
  embedded: "cuts of the embedded engine",
  postgres: "cuts of PostgreSQL",
  control: "cuts of the control",
};
const STARTING = "cut again while starting";
const STYLED: Readonly<Record<CutStyle, string>> = {
  lost: "disk's cache lost",
  kept: "disk's cache kept",
  scattered: "disk's cache kept in part",
};
const STYLES = ["lost", "scattered", "kept"] as const;

const ACKNOWLEDGED = "acknowledged before a cut";
const IN_FLIGHT = "in flight at a cut";
const OPENED = "opened by itself";
const CONFIRMED = "lives confirmed";
const LOST = "rows lost by the control";

const WORKERS = 16;
const [SOONEST_MS, LATEST_MS] = [200, 1_200];
const [STARTING_SOONEST_MS, STARTING_LATEST_MS] = [50, 700];
/** A cut in the midst of a start comes with every so manieth. */
const STARTING_EVERY = 3;
/** The control says the same each time, so it is asked less often. */
const CONTROL_EVERY = 3;
/** The embedded engine's books can be read only while its gateway is stopped: an orderly end. */
const EMBEDDED_BOOKS_EVERY = 4;

export const power: Part = {
  name: "power",
  about: "power cuts under load: what was not synced is gone, what was acknowledged must not be",
  faults: [...Object.values(CUT), STARTING, ...Object.values(STYLED)],
  states: [ACKNOWLEDGED, IN_FLIGHT, OPENED, CONFIRMED, LOST],
  missing() {
    if (findPostgres() === undefined) return `PostgreSQL: ${HOW_TO_INSTALL}`;
    return missingForVolumes();
  },
  async run(trial) {
    const cuts = Math.ceil(trial.size(6, 150) / 2);
    const unflushed = { blocks: 0, thrownBack: 0 };
    const note = ({ unflushed: blocks, thrownBack }: CutReport): void => {
      unflushed.blocks += blocks;
      unflushed.thrownBack += thrownBack;
    };
    // Machines of their own, so at the same time; each ends before what it stands on is removed.
    const all = await Promise.allSettled([
      cutEngine(trial, "embedded", cuts, note),
      cutEngine(trial, "postgres", cuts, note),
      cutControl(trial, Math.ceil(cuts / CONTROL_EVERY), note),
    ]);
    for (const one of all) if (one.status === "rejected") throw one.reason;
    trial.fact("blocks in the disk's cache at the cuts", unflushed.blocks);
    trial.fact("of these thrown back", unflushed.thrownBack);
  },
};

async function cutControl(
  trial: Trial,
  cuts: number,
  note: (report: CutReport) => void,
): Promise<void> {
  const control = await openControl(trial);
  let [acknowledged, unopened] = [0, 0];
  for (let nth = 0; nth < cuts; nth += 1) {
    const random = trial.random.branch(3_000 + nth);
    // Nothing helps it more than a disk that loses nothing.
    const style = STYLES[(nth + 2) % STYLES.length] ?? "kept";
    const loss = await control.cut(
      random.between(SOONEST_MS, LATEST_MS),
      style,
      random.below(2 ** 31),
    );
    trial.count(CUT.control);
    trial.count(LOST, loss.lost);
    note(loss.report);
    acknowledged += loss.acknowledged;
    if (!loss.opened) unopened += 1;
    if (loss.lost === 0) {
      trial.violation(`the control kept all of ${loss.acknowledged} rows: the cut proves nothing`);
    }
  }
  trial.fact("rows acknowledged by the control", acknowledged);
  trial.fact("times that the control could not be opened", unopened);
}

async function cutEngine(
  trial: Trial,
  engine: EngineName,
  cuts: number,
  note: (report: CutReport) => void,
): Promise<void> {
  const machine = await openMachine(trial, engine, trial.violation);
  const { witness } = machine;
  let slowestMs = 0;
  // All styles in turn, and each engine begins with another one.
  let done = engine === "embedded" ? 0 : 1;
  for (let nth = 0; nth < cuts; nth += 1) {
    const random = trial.random.branch((engine === "embedded" ? 1_000 : 2_000) + nth);
    const before = { ...witness.counts };
    witness.start({ workers: WORKERS });
    await firstAnswer(witness, before.acknowledged);
    await sleep(random.between(SOONEST_MS, LATEST_MS));
    const acknowledged = witness.counts.acknowledged - before.acknowledged;
    const cut = async (): Promise<void> => {
      const style = STYLES[(trial.seed + done) % STYLES.length] ?? "lost";
      done += 1;
      note(await machine.cutPower(style, random.below(2 ** 31)));
      trial.count(CUT[engine]);
      trial.count(STYLED[style]);
    };
    await cut();
    await witness.stop();
    trial.count(ACKNOWLEDGED, acknowledged);
    trial.count(IN_FLIGHT, witness.counts.unknown - before.unknown);
    if (nth % STARTING_EVERY === STARTING_EVERY - 1) {
      await machine.beginBoot();
      await sleep(random.between(STARTING_SOONEST_MS, STARTING_LATEST_MS));
      await cut();
      trial.count(STARTING);
    }
    const cutAt = performance.now();
    await boot(machine);
    slowestMs = Math.max(slowestMs, performance.now() - cutAt);
    trial.count(OPENED);
    await witness.reconcile();
    if (engine === "postgres" || nth === cuts - 1 || nth % EMBEDDED_BOOKS_EVERY === 3) {
      await machine.checkBooks();
    }
    trial.count(CONFIRMED, witness.counts.confirmed - before.confirmed);
    if (!trial.full || (nth + 1) % 10 === 0) trial.say(`${engine}: ${nth + 1} of ${cuts} cuts`);
  }
  trial.fact(`slowest boot of ${engine}, ms`, Math.round(slowestMs));
  const { stored, absent } = witness.counts;
  trial.fact(`${engine}: in flight and stored`, stored);
  trial.fact(`${engine}: in flight and absent`, absent);
}

/** It has to come up by itself, or it is lost. */
async function boot(machine: Machine): Promise<void> {
  try {
    await machine.boot();
  } catch (error) {
    throw new Error(`${machine.engine} does not open after a power cut: ${String(error)}`);
  }
}

/** The load must be under way, or nothing would be in flight. */
async function firstAnswer({ counts }: Witness, before: number): Promise<void> {
  const until = performance.now() + 30_000;
  while (counts.acknowledged === before) {
    if (performance.now() > until) throw new Error("no request was answered in 30 s");
    await sleep(2);
  }
}
