// One fault of the disk, from its beginning to its end.

import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { Machine } from "../machine.ts";
import type { Trial } from "../part.ts";
import type { Random } from "../random.ts";
import { type CallFault, type FailingCalls, failCalls, SYNCS, WRITES } from "./failing-calls.ts";
import { refusalsOf } from "./refusals.ts";

export const FAULTS = ["syncs fail", "writes fail", "disk full", "disk dies"] as const;
export type FaultName = (typeof FAULTS)[number];

export interface Inflicted {
  /** Answers of 503 while it lasted; none, and the fault was not noticed. */
  readonly refused: number;
  readonly failedCalls: number;
  /** Where it is gone the machine has stopped, and needs a boot. */
  readonly hasPower: boolean;
}

/** A fault lasts until somebody was refused, and then a little longer. */
const NOTICED_WITHIN_MS = 15_000;
const [SHORTEST_MS, LONGEST_MS] = [100, 1_500];
const MOST_CALLS_BEFORE = 30;
const MOST_BYTES_FREE = 256 * 1024;

export function inflict(
  trial: Trial,
  machine: Machine,
  fault: FaultName,
  random: Random,
): Promise<Inflicted> {
  switch (fault) {
    case "syncs fail":
      return failSyncs(trial, machine, random);
    case "writes fail":
      return failWrites(trial, machine, random);
    case "disk full":
      return fillDisk(machine, random);
    case "disk dies":
      return letDiskDie(machine, random);
  }
}

/**
 * A sync that failed was not done, and the power goes before there is another: whatever was acknowledged
 * on the strength of it is lost, which the witness will notice.
 */
async function failSyncs(trial: Trial, machine: Machine, random: Random): Promise<Inflicted> {
  const before = await refusalsOf(machine.gateway);
  const after = random.below(MOST_CALLS_BEFORE);
  const calls = await failCallsOf(trial, machine, { calls: SYNCS, error: "EIO", after });
  const refused = await lasting(machine, before, random);
  await machine.cutPower("lost", random.below(2 ** 31));
  return { refused, failedCalls: await calls.end(), hasPower: false };
}

async function failWrites(trial: Trial, machine: Machine, random: Random): Promise<Inflicted> {
  const before = await refusalsOf(machine.gateway);
  const fault: CallFault = {
    calls: WRITES,
    error: random.pick(["EIO", "ENOSPC"] as const),
    after: random.below(MOST_CALLS_BEFORE),
  };
  const calls = await failCallsOf(trial, machine, fault);
  const refused = await lasting(machine, before, random);
  return { refused, failedCalls: await calls.end(), hasPower: true };
}

/** Really full, as a disk gets by somebody else's files. */
async function fillDisk(machine: Machine, random: Random): Promise<Inflicted> {
  const { path } = machine.volume;
  const ballast = join(path, "ballast");
  const before = await refusalsOf(machine.gateway);
  const { bavail, bsize } = await statfs(path);
  const bytes = Math.max(bsize, bavail * bsize - random.below(MOST_BYTES_FREE));
  await promisify(execFile)("fallocate", ["--length", String(bytes), ballast]);
  try {
    return { refused: await lasting(machine, before, random), failedCalls: 0, hasPower: true };
  } finally {
    rmSync(ballast);
    // Else it would be back after the next power cut.
    await machine.volume.sync();
  }
}

/** Every read and write fails from one moment on, the kernel's own included; the gateway goes on. */
async function letDiskDie(machine: Machine, random: Random): Promise<Inflicted> {
  const before = await refusalsOf(machine.gateway);
  await machine.volume.cut("lost", random.below(2 ** 31));
  const refused = await lasting(machine, before, random);
  await machine.halt();
  return { refused, failedCalls: 0, hasPower: false };
}

function failCallsOf(trial: Trial, machine: Machine, fault: CallFault): Promise<FailingCalls> {
  const { gateway, cluster, engine } = machine;
  const pids = cluster === undefined ? [gateway.pid] : cluster.pids();
  return failCalls(pids, fault, join(trial.directory, `${engine}.calls`));
}

/** How many were refused. */
async function lasting({ gateway }: Machine, before: number, random: Random): Promise<number> {
  const until = performance.now() + NOTICED_WITHIN_MS;
  while ((await refusalsOf(gateway)) === before && performance.now() < until) await sleep(20);
  await sleep(random.between(SHORTEST_MS, LONGEST_MS));
  return (await refusalsOf(gateway)) - before;
}
