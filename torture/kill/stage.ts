// What is killed: a gateway as a process, on a PostgreSQL that keeps its promises or with the embedded
// engine, and the witness who lives through it.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Cluster, findPostgres, startCluster } from "../../test/postgres.ts";
import { beside, type GatewayProcess, openGatewayProcess } from "../gateway-process.ts";
import type { Trial } from "../part.ts";
import { openWitness, type Witness } from "../witness.ts";

export interface Stage {
  readonly engine: "postgres" | "embedded";
  readonly env: Readonly<Record<string, string>>;
  readonly gateway: GatewayProcess;
  /** None with the embedded engine. */
  readonly cluster: Cluster | undefined;
  readonly witness: Witness;
  checkBooks(): Promise<void>;
  close(): Promise<void>;
}

export const FIRST = "killed in the very first start";
const FIRST_START_MS: Readonly<Record<Stage["engine"], number>> = {
  ...{ postgres: 800, embedded: 3_000 },
};

const DURABLE = ["fsync=on", "synchronous_commit=on", "full_page_writes=on"];

export async function openKillStage(trial: Trial, engine: Stage["engine"]): Promise<Stage> {
  const shared = {
    KOPECK_DATA_DIR: join(trial.directory, engine),
    NODE_COMPILE_CACHE: join(trial.directory, "compiled"),
  };
  const cluster =
    engine === "embedded" ? undefined : await startCluster(findPostgres() ?? "", DURABLE);
  trial.later(() => cluster?.remove());
  const env = cluster === undefined ? shared : { ...shared, DATABASE_URL: cluster.url("postgres") };
  const gateway = await openGatewayProcess(env);
  const random = trial.random.branch(engine === "embedded" ? 1 : 2);
  // The very first start makes the tables, and with the embedded engine the database itself.
  gateway.launch();
  await sleep(random.between(1, FIRST_START_MS[engine]));
  await gateway.kill();
  trial.count(FIRST);
  gateway.launch();
  await gateway.ready();
  const witness = openWitness({
    name: engine,
    url: () => gateway.url,
    random: random.branch(0),
    violation: trial.violation,
  });
  trial.later(() => witness.abandon());
  await witness.prepare();
  return {
    ...{ engine, env, gateway, cluster, witness },
    async checkBooks() {
      if (engine === "embedded") await gateway.stop();
      await beside(env, (db) => witness.books(db, new Date()));
      if (engine === "embedded") {
        gateway.launch();
        await gateway.ready();
      }
    },
    async close() {
      await gateway.kill();
      cluster?.remove();
    },
  };
}
