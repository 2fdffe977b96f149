// The disk fails, and a database that takes no writes: nothing may be acknowledged that is not safe, and
// the gateway lives, refuses in order, and goes on when the fault is gone.

import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { eventually } from "../eventually.ts";
import { type CallFault, failCalls, SYNCS, WRITES } from "./failing-calls.ts";
import { type Scene, untilRefused } from "./fault.ts";

const MOST_CALLS_BEFORE = 30;
const MOST_BYTES_FREE = 256 * 1024;

/**
 * A sync that failed was not done, and the power goes before there is another: whatever was acknowledged
 * on the strength of it is lost, which the witness will notice.
 */
export const failSyncs = (scene: Scene): Promise<void> =>
  withFailingCalls(scene, SYNCS, "EIO", () => loseDisk(scene));

export const failWrites = (scene: Scene): Promise<void> =>
  withFailingCalls(scene, WRITES, scene.random.pick(["EIO", "ENOSPC"] as const), async () => {});

async function withFailingCalls(
  scene: Scene,
  calls: string,
  error: CallFault["error"],
  atTheEnd: () => Promise<void>,
): Promise<void> {
  const { trial, stage, random } = scene;
  const pids = stage.cluster?.pids() ?? [stage.gateway.pid];
  const fault = { calls, error, after: random.below(MOST_CALLS_BEFORE) };
  const letGo = failCalls(pids, fault, join(trial.directory, "calls"));
  await untilRefused(scene);
  await atTheEnd();
  if ((await letGo()) === 0) throw new Error("no system call has failed");
}

/** Really full, as a disk gets by somebody else's files. */
export async function fillDisk(scene: Scene): Promise<void> {
  const { volume } = scene.stage;
  if (volume === undefined) return;
  const ballast = join(volume.path, "ballast");
  const { bavail, bsize } = await statfs(volume.path);
  const bytes = Math.max(bsize, bavail * bsize - scene.random.below(MOST_BYTES_FREE));
  await promisify(execFile)("fallocate", ["--length", String(bytes), ballast]);
  await untilRefused(scene);
  rmSync(ballast);
  // Else it would be back after the next power cut.
  await volume.sync();
}

/** Every read and write fails from one moment on, the kernel's own included; the gateway goes on. */
export async function letDiskDie(scene: Scene): Promise<void> {
  await scene.stage.volume?.cut("lost", scene.random.below(2 ** 31));
  await untilRefused(scene);
  await scene.stage.halt();
}

async function loseDisk({ stage, random }: Scene): Promise<void> {
  await stage.volume?.cut("lost", random.below(2 ** 31));
  await stage.halt();
}

/** As after a failover to a server that is still a replica, or at a full disk of a managed database. */
export async function turnReadOnly(scene: Scene): Promise<void> {
  const { stage } = scene;
  const turn = (how: "on" | "off") =>
    stage.beside(async (db) => {
      await db.query(`alter system set default_transaction_read_only = ${how}`, []);
      await db.query("select pg_reload_conf()", []);
    });
  await turn("on");
  await untilRefused(scene);
  for (const gateway of [stage.gateway, stage.neighbour]) {
    const isUnready = async () => !(await gateway?.isReady());
    await eventually("a gateway that is not ready on a read-only database", isUnready, 10_000);
  }
  await turn("off");
}
