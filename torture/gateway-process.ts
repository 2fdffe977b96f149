// A gateway as a process that can be ended in any way and started again where it was, and its database
// as somebody beside it sees it.

import assert from "node:assert/strict";
import { join } from "node:path";
import { readConfig } from "../src/platform/config.ts";
import type { Db } from "../src/platform/db.ts";
import { openLog } from "../src/platform/log.ts";
import { openDb } from "../src/platform/open-db.ts";
import { freePort, type Running, ready, runKopeck } from "../test/process.ts";
import type { Trial } from "./part.ts";

type Env = Readonly<Record<string, string>>;

/** Of gateways on this database; their files are the trial's. */
export const envOf = ({ directory }: Trial, DATABASE_URL: string, name = "kopeck") => ({
  DATABASE_URL,
  KOPECK_DATA_DIR: join(directory, name),
  NODE_COMPILE_CACHE: join(directory, "compiled"),
});

export type GatewayProcess = Awaited<ReturnType<typeof openGatewayProcess>>;

/** Killed at the trial's end. */
export async function openGatewayProcess(trial: Trial, env: Env) {
  const PORT = String(await freePort());
  const url = `http://127.0.0.1:${PORT}`;
  let running: Running | undefined;
  const current = (): Running => running ?? assert.fail("the gateway is not running");
  const launch = (): void => {
    running = runKopeck({ PORT, LOG_LEVEL: "error", ...env }, []);
  };
  const end = async (signal: NodeJS.Signals) => {
    running?.child.kill(signal);
    const ended = await running?.ended;
    running = undefined;
    return ended;
  };
  trial.later(() => end("SIGKILL"));
  return {
    url,
    get pid(): number {
      return current().child.pid ?? 0;
    },
    /** Down where it was never launched or was ended by us, ended where it did so by itself. */
    get state(): "down" | "up" | "ended" {
      if (running === undefined) return "down";
      const { exitCode, signalCode } = running.child;
      return exitCode === null && signalCode === null ? "up" : "ended";
    },
    /** What it has written since it was last started. */
    output: () => running?.output() ?? "",
    launch,
    /** Resolves when it is ready; fails where it ends instead. */
    start(): Promise<void> {
      launch();
      return ready(current());
    },
    /** At this moment. */
    isReady: async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.status === 200,
    /** At once and without a word. */
    kill: async () => void (await end("SIGKILL")),
    /** As an operator does; it must end in good order. */
    async stop(): Promise<void> {
      const ended = await end("SIGTERM");
      if (ended?.code !== 0) throw new Error(`stopped, it ended wrongly: ${ended?.stderr}`);
    },
  };
}

/** One that serves from now on. */
export async function startGateway(trial: Trial, env: Env): Promise<GatewayProcess> {
  const gateway = await openGatewayProcess(trial, env);
  await gateway.start();
  return gateway;
}

const log = openLog("error", { write: (line) => void process.stderr.write(line) });

/** The embedded engine has one user at a time: there the gateway must have been stopped. */
export async function beside<Result>(env: Env, work: (db: Db) => Promise<Result>): Promise<Result> {
  const config = readConfig({ LOG_LEVEL: "error", ...env });
  const db = await openDb(config, log, { attended: true, existing: true });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}
