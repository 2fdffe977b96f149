// A file system whose power can be cut: ext4 on a loop device on a disk that is a process of ours (see
// disk-process.ts). Everything between a file and the disk is the kernel's own: page cache, journal,
// flushes. So what was not synced is lost as on a real machine, at one moment for the whole disk, and
// nothing is lost that ext4 had been promised to be safe.

import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmdirSync,
} from "node:fs";
import { open, readFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { processesIn } from "../../test/postgres.ts";
import type { SwitchCommand } from "./disk-process.ts";
import { BLOCK_BYTES, type CutReport, type CutStyle } from "./platter.ts";

const run = promisify(execFile);

export interface Volume {
  /** Where files lie. */
  readonly path: string;
  /** The moment the power goes; from now on everything here is an input/output error. */
  cut(style: CutStyle, seed: number): Promise<CutReport>;
  /** Mounted anew from what the disk kept, as a boot does. Nobody may use the old files any more. */
  powerOn(): Promise<void>;
  /** Everything written so far is safe. */
  sync(): Promise<void>;
  remove(): Promise<void>;
}

/** What this machine lacks for it, in one line. */
export function missingForVolumes(): string | undefined {
  if (process.platform !== "linux" || userInfo().uid !== 0) {
    return "a file system whose power can be cut needs Linux and root: run it as root";
  }
  for (const device of ["/dev/fuse", "/dev/loop-control"]) {
    if (!existsSync(device)) return `the kernel has no ${device}: modprobe fuse loop`;
  }
  for (const program of ["losetup", "mkfs.ext4", "mount"]) {
    if (spawnSync(program, ["--version"]).error !== undefined) {
      return `${program}: apt-get install mount e2fsprogs`;
    }
  }
  if (spawnSync("losetup", ["--find"]).status !== 0) {
    return "no loop device can be had here: run it on a machine, or in a privileged container";
  }
  return mayMount() ? undefined : "mounting is not allowed here: run it in a privileged container";
}

/** A container's root often may not. */
function mayMount(): boolean {
  const place = mkdtempSync(join(tmpdir(), "kopeck-mount-"));
  const isMounted = spawnSync("mount", ["-t", "tmpfs", "kopeck-mount", place]).status === 0;
  if (isMounted) spawnSync("umount", [place]);
  rmdirSync(place);
  return isMounted;
}

const UNMOUNTED_WITHIN_MS = 5_000;

/** Whoever still has a file open there has been killed, and is about to be gone. */
async function unmount(path: string): Promise<void> {
  const until = performance.now() + UNMOUNTED_WITHIN_MS;
  for (;;) {
    try {
      await run("umount", [path]);
      return;
    } catch (error) {
      if (performance.now() > until) throw error;
      await sleep(50);
    }
  }
}

export async function openVolume(directory: string, megabytes: number): Promise<Volume> {
  const disk = join(directory, "disk");
  const path = join(directory, "files");
  mkdirSync(disk, { recursive: true });
  mkdirSync(path);
  let loop = "";
  const server = await startDisk(disk, megabytes * 2 ** 20);
  const gone = once(server, "exit");
  // Where the whole run is ended in the middle, nothing can be waited for.
  const abandon = (): void => {
    for (const pid of processesIn(path)) process.kill(pid, "SIGKILL");
    spawnSync("umount", ["--lazy", path]);
    if (loop !== "") spawnSync("losetup", ["--detach", loop]);
    spawnSync("umount", ["--lazy", disk]);
    server.kill("SIGKILL");
  };
  process.once("exit", abandon);

  const attach = async (): Promise<void> => {
    const options = ["--find", "--show", "--sector-size", String(BLOCK_BYTES)];
    loop = (await run("losetup", [...options, join(disk, "image")])).stdout.trim();
  };
  const mount = async (): Promise<void> => {
    await run("mount", ["-t", "ext4", loop, path]);
  };
  const detach = async (): Promise<void> => {
    await unmount(path);
    await run("losetup", ["--detach", loop]);
    loop = "";
  };
  const command = async (order: SwitchCommand): Promise<unknown> => {
    const file = await open(join(disk, "switch"), "r+");
    await file.write(JSON.stringify(order));
    await file.close();
    return JSON.parse(await readFile(join(disk, "switch"), "utf8"));
  };

  await attach();
  await run("mkfs.ext4", ["-q", "-E", "nodiscard", "-m", "0", loop]);
  await mount();
  chmodSync(path, 0o711);
  return {
    path,
    cut: async (style, seed) => (await command({ turn: "off", style, seed })) as CutReport,
    async powerOn() {
      await detach();
      await command({ turn: "on" });
      await attach();
      await mount();
    },
    sync: async () => void (await run("sync", ["--file-system", path])),
    async remove() {
      if (loop !== "") await detach();
      await unmount(disk);
      await gone;
      process.off("exit", abandon);
    },
  };
}

/** The process that is the disk, and its two files where they can be reached. */
async function startDisk(place: string, bytes: number): Promise<ChildProcess> {
  const device = openSync("/dev/fuse", "r+");
  const stdio = ["ignore", "inherit", "inherit", device] as const;
  const program = join(import.meta.dirname, "disk-process.ts");
  const server = spawn(process.execPath, [program, String(bytes)], { stdio: [...stdio] });
  const options = "fd=3,rootmode=40000,user_id=0,group_id=0";
  const mounting = spawn("mount", ["-i", "-t", "fuse", "-o", options, "kopeck-disk", place], {
    stdio: [...stdio],
  });
  closeSync(device);
  const [code] = await once(mounting, "exit");
  if (code === 0) return server;
  server.kill("SIGKILL");
  throw new Error(`mounting the disk failed with ${code}`);
}
