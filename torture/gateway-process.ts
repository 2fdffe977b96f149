// A gateway as a process that can be ended in any way and started again where it was, and its database
// as somebody beside it sees it.

import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Config, readConfig } from "../src/platform/config.ts";
import type { Db } from "../src/platform/db.ts";
import { openLog } from "../src/platform/log.ts";
import { openDb } from "../src/platform/open-db.ts";
import { freePort, type Running, ready, runKopeck } from "../test/process.ts";

/** Whoever has a stricter limit measures; this one only ends the waiting. */
const READY_WITHIN_MS = 90_000;

type Env = Readonly<Record<string, string>>;

export interface GatewayProcess {
  readonly url: string;
  readonly pid: number;
  /** Whether it has ended by itself or by a signal. */
  readonly hasEnded: boolean;
  /** What it has written since it was last started. */
  output(): string;
  launch(): void;
  /** How long it took from the launch, in milliseconds. */
  ready(): Promise<number>;
  /** How long its main thread could have run and the machine had no core for it, in milliseconds. */
  waitedForCore(): number;
  /** At once and without a word. */
  kill(): Promise<void>;
  /** As an operator does; it must end in good order. */
  stop(): Promise<void>;
}

export async function openGatewayProcess(env: Env): Promise<GatewayProcess> {
  const PORT = String(await freePort());
  let running: Running | undefined;
  let launchedAt = 0;
  const current = (): Running => {
    if (running === undefined) throw new Error("the gateway was never launched");
    return running;
  };
  return {
    url: `http://127.0.0.1:${PORT}`,
    get pid() {
      return current().child.pid ?? 0;
    },
    get hasEnded() {
      const { exitCode, signalCode } = current().child;
      return exitCode !== null || signalCode !== null;
    },
    output: () => current().output(),
    launch() {
      launchedAt = performance.now();
      running = runKopeck({ PORT, LOG_LEVEL: "error", ...env });
    },
    async ready() {
      const patience = new AbortController();
      const late = sleep(READY_WITHIN_MS, true, { signal: patience.signal }).catch(() => false);
      const isLate = await Promise.race([ready(current()).then(() => false), late]);
      patience.abort();
      if (isLate) throw new Error(`not ready after ${READY_WITHIN_MS} ms: ${current().output()}`);
      return performance.now() - launchedAt;
    },
    waitedForCore() {
      const schedule = `/proc/${current().child.pid}/schedstat`;
      // Not every kernel tells.
      if (!existsSync(schedule)) return 0;
      const [, waitedNs] = readFileSync(schedule, "utf8").split(" ");
      return Number(waitedNs) / 1e6;
    },
    async kill() {
      current().child.kill("SIGKILL");
      await current().ended;
    },
    async stop() {
      current().child.kill("SIGTERM");
      const { code, stderr } = await current().ended;
      if (code !== 0) throw new Error(`the gateway was stopped and ended with ${code}: ${stderr}`);
    },
  };
}

const log = openLog("error", { write: (line) => void process.stderr.write(line) });

/** The embedded engine has one user at a time: there the gateway must have been stopped. */
export async function beside<Result>(env: Env, work: (db: Db) => Promise<Result>): Promise<Result> {
  const config: Config = readConfig({ LOG_LEVEL: "error", ...env });
  const db = await openDb(config, log, { attended: true, existing: true });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}
