// System calls of running processes that fail from now on: strace stands between them and the kernel.
// A call that it fails is never made, so what was to be synced by it is not.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { missingForVolumes } from "./volume/volume.ts";

export interface CallFault {
  readonly calls: string;
  readonly error: "EIO" | "ENOSPC";
  /** Each thread's first calls still succeed. */
  readonly after: number;
}

export const SYNCS = "fsync,fdatasync";
export const WRITES = "pwrite64,pwritev,fallocate";

export function missingForFailingCalls(): string | undefined {
  // What fails is on a disk whose power is cut.
  const lack = missingForVolumes();
  if (lack !== undefined) return lack;
  const tried = spawnSync("strace", ["-o", "/dev/null", "-e", "inject=fsync:error=EIO", "true"]);
  if (tried.error !== undefined) return "strace: apt-get install strace";
  return tried.status === 0 ? undefined : "strace may not trace processes here: allow ptrace";
}

/** The answer lets the processes go, and says how many of their calls have failed. */
export function failCalls(
  pids: readonly number[],
  { calls, error, after }: CallFault,
  file: string,
): () => Promise<number> {
  const inject = `inject=${calls}:error=${error}:when=${after + 1}+`;
  const what = ["-f", "-o", file, "-e", "signal=none", "-e", `trace=${calls}`, "-e", inject];
  const whom = pids.flatMap((pid) => ["-p", String(pid)]);
  const strace = spawn("strace", [...what, ...whom], { stdio: "ignore" });
  const ended = once(strace, "exit");
  return async () => {
    strace.kill("SIGINT");
    await ended;
    return readFileSync(file, "utf8").split("(INJECTED)").length - 1;
  };
}
