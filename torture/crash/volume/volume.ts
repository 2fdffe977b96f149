// A file system whose power can be cut: ext4 on a loop device on a disk that is a process of ours (see
// disk-process.ts). Everything between a file and the disk is the kernel's own: page cache, journal,
// flushes. So what was not synced is lost as on a real machine, at one moment for the whole disk, and
// nothing is lost that ext4 had been promised to be safe.

import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { processesIn, signal } from "../../../test/postgres.ts";
import { eventually } from "../../eventually.ts";
import type { SwitchCommand } from "./disk-process.ts";
import { BLOCK_BYTES, type CutStyle } from "./platter.ts";

const run = promisify(execFile);

/** A container's root often may not mount. */
const TRIED = `set -e; mkfs.ext4 -V; test -w /dev/fuse; losetup --find; place=$(mktemp --directory)
  mount -t tmpfs kopeck-mount "$place" && umount "$place"; rmdir "$place"`;

/** What this machine lacks for it, in one line. */
export function missingForVolumes(): string | undefined {
  if (spawnSync("sh", ["-c", TRIED]).status === 0) return undefined;
  return "needs root who may mount, /dev/fuse, loop devices: apt-get install mount e2fsprogs";
}

export async function openVolume(directory: string, megabytes: number) {
  const disk = join(directory, "disk");
  /** Where files lie. */
  const path = join(directory, "files");
  const bytes = megabytes * 2 ** 20;
  writeFileSync(disk, "");
  mkdirSync(path);
  const server = await startDisk(disk, bytes);
  const gone = once(server, "exit");
  let loop = "";
  let isOn = true;
  // Where the whole run is ended in the middle, nothing can be waited for.
  const abandon = (): void => {
    for (const pid of processesIn(path)) signal(pid, "SIGKILL");
    spawnSync("umount", ["--lazy", path]);
    if (loop !== "") spawnSync("losetup", ["--detach", loop]);
    spawnSync("umount", ["--lazy", disk]);
    server.kill("SIGKILL");
  };
  process.once("exit", abandon);

  const attach = async (): Promise<void> => {
    const sizes = ["--sector-size", String(BLOCK_BYTES), "--sizelimit", String(bytes)];
    loop = (await run("losetup", ["--find", "--show", ...sizes, disk])).stdout.trim();
  };
  const mount = () => run("mount", ["-t", "ext4", loop, path]);
  /** Whoever still has a file open there has been killed, and is about to be gone. */
  const unmount = (place: string): Promise<void> =>
    eventually(`the end of ${place}`, async () => spawnSync("umount", [place]).status === 0);
  const detach = async (): Promise<void> => {
    await unmount(path);
    await run("losetup", ["--detach", loop]);
    loop = "";
  };
  const command = async (order: SwitchCommand): Promise<void> => {
    const file = await open(disk, "r+");
    await file.write(JSON.stringify(order), bytes);
    await file.close();
    isOn = order.turn === "on";
  };
  const sync = async (): Promise<void> => void (await run("sync", ["--file-system", path]));

  await attach();
  await run("mkfs.ext4", ["-q", "-E", "nodiscard", "-m", "0", loop]);
  await mount();
  chmodSync(path, 0o711);
  return {
    path,
    isOn: () => isOn,
    /** Everything written so far is safe. */
    sync,
    /** The moment the power goes; from now on everything here is an input/output error. */
    cut: (style: CutStyle, seed: number) => command({ turn: "off", style, seed }),
    /** Where it is off: mounted anew from what the disk kept, as a boot does. Nobody uses its files. */
    async powerOn(): Promise<void> {
      if (isOn) return;
      await detach();
      await command({ turn: "on", style: "kept", seed: 0 });
      await attach();
      await mount();
    },
    async remove(): Promise<void> {
      if (loop !== "") await detach();
      await unmount(disk);
      await gone;
      process.off("exit", abandon);
    },
  };
}

/** The process that is the disk, and its file where it can be reached. */
async function startDisk(place: string, bytes: number) {
  const device = openSync("/dev/fuse", "r+");
  const stdio = ["ignore", "inherit", "inherit", device] as const;
  const program = join(import.meta.dirname, "disk-process.ts");
  const server = spawn(process.execPath, [program, String(bytes)], { stdio: [...stdio] });
  const options = "fd=3,rootmode=100600,user_id=0,group_id=0";
  const mounting = spawn("mount", ["-i", "-t", "fuse", "-o", options, "kopeck-disk", place], {
    stdio: [...stdio],
  });
  closeSync(device);
  const [code] = await once(mounting, "exit");
  if (code === 0) return server;
  server.kill("SIGKILL");
  throw new Error(`mounting the disk failed with ${code}`);
}
