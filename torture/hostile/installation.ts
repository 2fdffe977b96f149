// A gateway on either engine, as a process of its own, with nothing but the sandbox's cast in it.

import { join } from "node:path";
import { findPostgres, startCluster } from "../../test/postgres.ts";
import { type Ended, freePort, type Running, ready, runKopeck } from "../../test/process.ts";
import type { Trial } from "../part.ts";

export type EngineName = "postgres" | "embedded";

export interface Installation {
  readonly engine: EngineName;
  readonly running: Running;
  readonly port: number;
  /** Its end, where it has come to one by itself. */
  ended(): Ended | undefined;
  /** Asks it to end, and waits. */
  stop(): Promise<Ended>;
  /** What "kopeck verify" says of the books. */
  verify(): Promise<Ended>;
}

export async function install(trial: Trial, engine: EngineName): Promise<Installation> {
  const data = { KOPECK_DATA_DIR: join(trial.directory, engine) };
  // Payers have addresses of their own: all from one would be slowed down and reach nothing.
  const proxy = { KOPECK_TRUSTED_PROXIES: "127.0.0.1" };
  const env: Record<string, string> = { LOG_LEVEL: "error", ...proxy, ...data };
  if (engine === "postgres") env["DATABASE_URL"] = await openCluster(trial);
  const port = await freePort();
  const running = runKopeck({ PORT: String(port), ...env });
  trial.later(() => running.child.kill("SIGKILL"));
  let end: Ended | undefined;
  void running.ended.then((ended) => {
    end = ended;
  });
  await ready(running);
  return {
    ...{ engine, running, port, ended: () => end },
    async stop() {
      running.child.kill("SIGTERM");
      return await running.ended;
    },
    verify: () => runKopeck(env, ["verify"]).ended,
  };
}

async function openCluster(trial: Trial): Promise<string> {
  const binaries = findPostgres();
  if (binaries === undefined) throw new Error("PostgreSQL is not installed");
  const cluster = await startCluster(binaries);
  trial.later(() => cluster.remove());
  return cluster.url("postgres");
}
