// Processes that end at once, by kill -9 or with the power of their machine, and disks that fail: then nothing
// may be acknowledged that is not safe, and the gateway lives, refuses in order, and goes on afterwards.

import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { eventually } from "../eventually.ts";
import { endTwice, type Scene, untilRefused } from "./fault.ts";
import { missingForVolumes } from "./volume/volume.ts";

/** What it was telling a shop at that moment is told again by whoever comes after it. */
export async function killGateway(scene: Scene): Promise<void> {
  const { gateway, witness } = scene.stage;
  await eventually("a webhook under way", () => witness.hooks.underWay > 0);
  await endTwice(scene, () => gateway.kill());
}

export const killDatabase = (scene: Scene): Promise<void> =>
  endTwice(scene, async () => scene.stage.cluster?.crash());

const ORDERS_THAT_WAIT =
  "select from pg_locks where relation = 'invoices'::regclass and not granted";

/**
 * The database makes the gateway's new orders wait, and lets them go on some time after the gateway was
 * killed and started again: then they are done, though whoever asked for them is dead.
 */
export async function killWhileOrdersWait({ stage, random }: Scene): Promise<void> {
  stage.aside.avoided = stage.neighbour;
  await stage.witness.answered();
  await stage.beside((db) =>
    db.transaction(async (tx) => {
      await tx.query("lock table invoices in share mode");
      const waiting = async () => (await tx.query(ORDERS_THAT_WAIT)).length > 0;
      await eventually("an order that waits", waiting);
      await stage.gateway.kill();
      stage.gateway.launch();
      await sleep(random.between(0, 1_500));
    }),
  );
}

/** What becomes of what the disk had only in its cache. */
const CUT_STYLES = ["lost", "scattered", "kept"] as const;
export const STYLES = CUT_STYLES.map((style) => `disk's cache ${style}`);

export async function cutPower(scene: Scene): Promise<void> {
  let turn = scene.nth + (scene.stage.engine === "embedded" ? 1 : 0);
  await endTwice(scene, async () => {
    const style = CUT_STYLES[turn % CUT_STYLES.length] ?? "lost";
    turn += 1;
    await loseDisk(scene, style);
    await scene.stage.halt();
    scene.trial.count(`disk's cache ${style}`);
  });
}

const loseDisk = ({ stage, random }: Scene, style: (typeof CUT_STYLES)[number] = "lost") =>
  stage.volume?.cut(style, random.below(2 ** 31));

/** Every read and write fails from one moment on, the kernel's own included; the gateway goes on. */
export async function letDiskDie(scene: Scene): Promise<void> {
  await loseDisk(scene);
  await untilRefused(scene);
  await scene.stage.halt();
}

const MOST_BYTES_FREE = 256 * 1024;

/** Really full, as a disk gets by somebody else's files. */
export async function fillDisk(scene: Scene): Promise<void> {
  const { volume } = scene.stage;
  const ballast = join(volume?.path ?? "", "ballast");
  const { bavail, bsize } = statfsSync(volume?.path ?? "");
  const bytes = Math.max(bsize, bavail * bsize - scene.random.below(MOST_BYTES_FREE));
  await promisify(execFile)("fallocate", ["--length", String(bytes), ballast]);
  await untilRefused(scene);
  rmSync(ballast);
  // Else it would be back after the next power cut.
  await volume?.sync();
}

export function missingForFailingCalls(): string | undefined {
  const tried = spawnSync("strace", ["-o", "/dev/null", "-e", "inject=fsync:error=EIO", "true"]);
  const lack = "strace that may trace: apt-get install strace";
  return missingForVolumes() ?? (tried.status === 0 ? undefined : lack);
}

/**
 * A sync that failed was not done, and the power goes before there is another: whatever was acknowledged
 * on the strength of it is lost, which the witness will notice.
 */
export async function failSyncs(scene: Scene): Promise<void> {
  const letGo = failCalls(scene, "fsync,fdatasync", "EIO");
  await untilRefused(scene);
  await loseDisk(scene);
  await scene.stage.halt();
  await letGo();
}

export async function failWrites(scene: Scene): Promise<void> {
  const error = scene.random.pick(["EIO", "ENOSPC"]);
  const letGo = failCalls(scene, "pwrite64,pwritev,fallocate", error);
  await untilRefused(scene);
  await letGo();
}

const MOST_CALLS_BEFORE = 30;

/** strace stands between processes and the kernel; a call that it fails is never made. */
function failCalls({ trial, stage, random }: Scene, calls: string, error: string) {
  const file = join(trial.directory, "calls");
  const inject = `inject=${calls}:error=${error}:when=${1 + random.below(MOST_CALLS_BEFORE)}+`;
  const what = ["-f", "-o", file, "-e", "signal=none", "-e", `trace=${calls}`, "-e", inject];
  const whom = (stage.cluster?.pids() ?? [stage.gateway.pid]).flatMap((pid) => ["-p", `${pid}`]);
  const strace = spawn("strace", [...what, ...whom], { stdio: "ignore" });
  const ended = once(strace, "exit");
  return async (): Promise<void> => {
    strace.kill("SIGINT");
    await ended;
    if (!readFileSync(file, "utf8").includes("(INJECTED)")) throw new Error("no call has failed");
  };
}
