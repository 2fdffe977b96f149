// System calls of running processes that fail from now on: strace stands between them and the kernel.
// A call that it fails is never made, so what was to be synced by it is not.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

export interface CallFault {
  readonly calls: readonly string[];
  readonly error: "EIO" | "ENOSPC";
  /** Each thread's first calls still succeed. */
  readonly after: number;
}

export interface FailingCalls {
  /** Lets the processes go, and says how many of their calls have failed. */
  end(): Promise<number>;
}

export const SYNCS = ["fsync", "fdatasync"];
export const WRITES = ["pwrite64", "pwritev", "fallocate"];

export function missingForFailingCalls(): string | undefined {
  const tried = spawnSync("strace", ["-o", "/dev/null", "-e", "inject=fsync:error=EIO", "true"]);
  if (tried.error !== undefined) return "strace: apt-get install strace";
  return tried.status === 0 ? undefined : "strace may not trace processes here: allow ptrace";
}

const ATTACHED_WITHIN_MS = 10_000;

export async function failCalls(
  pids: readonly number[],
  { calls, error, after }: CallFault,
  file: string,
): Promise<FailingCalls> {
  const names = calls.join(",");
  const strace = spawn(
    "strace",
    [
      ...["-f", "-o", file, "-e", "signal=none", "-e", `trace=${names}`],
      ...["-e", `inject=${names}:error=${error}:when=${after + 1}+`],
      ...pids.flatMap((pid) => ["-p", String(pid)]),
    ],
    { stdio: "ignore" },
  );
  await attached(strace, pids);
  return {
    async end() {
      if (strace.exitCode === null && strace.signalCode === null) {
        strace.kill("SIGINT");
        await once(strace, "exit");
      }
      return readFileSync(file, "utf8").split("(INJECTED)").length - 1;
    },
  };
}

/** A thread that is not held yet would still sync. */
async function attached(strace: ChildProcess, pids: readonly number[]): Promise<void> {
  const until = performance.now() + ATTACHED_WITHIN_MS;
  while (!pids.every(isHeld)) {
    if (strace.exitCode !== null || performance.now() > until) {
      strace.kill("SIGKILL");
      throw new Error("strace does not get hold of the processes");
    }
    await sleep(5);
  }
}

function isHeld(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).every((thread) =>
      /^TracerPid:\s*[1-9]/m.test(readFileSync(`/proc/${pid}/task/${thread}/status`, "utf8")),
    );
  } catch {
    // Ended meanwhile.
    return true;
  }
}
