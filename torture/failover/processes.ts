// Processes of a cluster that are known by the folder that they work in: whoever Patroni has started is
// found as well. They can be held still, let go on, and killed all at once, as their machine would be.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { processesIn, signal } from "../../test/postgres.ts";
import { owner } from "./programs.ts";

/** What it says goes to a file beside the folder. */
export function launch(
  program: string,
  args: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  const log = openSync(`${folder}.log`, "a");
  return spawn(program, args, {
    cwd: folder,
    stdio: ["ignore", log, log],
    ...owner(),
    env: { PATH: process.env["PATH"], HOME: folder, LC_ALL: "C.UTF-8", ...env },
  });
}

export function tellAll(folder: string, name: NodeJS.Signals): void {
  for (const pid of processesIn(folder)) signal(pid, name);
}

/** Held still first, so that nobody mourns anybody, or starts another one, meanwhile. */
export async function killAll(folder: string): Promise<void> {
  tellAll(folder, "SIGSTOP");
  while (processesIn(folder).length > 0) {
    tellAll(folder, "SIGKILL");
    await sleep(5);
  }
}

/** The leader's processes that send its log to the standbys are held still: they fall behind. */
export function holdSenders(data: string): void {
  for (const pid of processesIn(data)) {
    if (readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("walsender")) signal(pid, "SIGSTOP");
  }
}

const BURIED_WITHIN_MS = 2_000;

/**
 * As long as nobody has taken note of a postmaster's end, the next one believes it to be alive. Where nobody
 * ever does, its lock is taken away: a machine that has died has no such process either.
 */
export async function forgetPostmaster(data: string): Promise<void> {
  const lock = join(data, "postmaster.pid");
  if (!existsSync(lock)) return;
  const [pid] = readFileSync(lock, "utf8").split("\n");
  const until = performance.now() + BURIED_WITHIN_MS;
  while (existsSync(`/proc/${pid}`)) {
    if (performance.now() > until) return rmSync(lock, { force: true });
    await sleep(20);
  }
}
