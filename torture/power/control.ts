// The control: PGlite as it comes, which does not sync, loses power in the same way. It must lose rows
// that it had acknowledged; if it lost none, the cuts would prove nothing about the others.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Trial } from "../part.ts";
import type { CutReport, CutStyle } from "../volume/platter.ts";
import { openVolume } from "../volume/volume.ts";

interface ControlLoss {
  readonly acknowledged: number;
  readonly lost: number;
  /** Whether what is left could be opened at all. */
  readonly opened: boolean;
  readonly report: CutReport;
}

export interface Control {
  /** Writes rows for so long, then loses power, and is asked what it still has. */
  cut(afterMs: number, style: CutStyle, seed: number): Promise<ControlLoss>;
}

const MEGABYTES = 256;
const ANSWERED_WITHIN_MS = 120_000;

export async function openControl(trial: Trial): Promise<Control> {
  const directory = join(trial.directory, "control");
  mkdirSync(directory, { mode: 0o711 });
  const volume = await openVolume(directory, MEGABYTES);
  trial.later(() => volume.remove());
  const data = join(volume.path, "data");
  const running = new Set<ChildProcess>();
  trial.later(async () => {
    for (const child of running) await end(child);
  });

  const start = (task: "write" | "count") => {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, "control-process.ts"), task, data],
      {
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
    running.add(child);
    child.once("exit", () => running.delete(child));
    const said: string[] = [];
    createInterface({ input: child.stdout }).on("line", (line) => void said.push(line));
    return { child, said };
  };

  return {
    async cut(afterMs, style, seed) {
      const { child, said } = start("write");
      // It has an empty table that is safe; the rows are what it answers for.
      await until(() => said.includes("prepared"), child);
      await volume.sync();
      child.kill("SIGUSR2");
      await until(() => said.length > 1, child);
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      const acknowledged = said.length - 1;
      const report = await volume.cut(style, seed);
      await end(child);
      await volume.powerOn();
      const counting = start("count");
      await once(counting.child, "close");
      const left = counting.said.at(-1);
      const opened = left !== undefined && /^\d+$/.test(left);
      rmSync(data, { recursive: true, force: true });
      await volume.sync();
      const lost = Math.max(0, acknowledged - (opened ? Number(left) : 0));
      return { acknowledged, lost, opened, report };
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

async function until(reached: () => boolean, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + ANSWERED_WITHIN_MS;
  while (!reached()) {
    if (child.exitCode !== null || performance.now() > deadline) {
      throw new Error("the control does not come up");
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
