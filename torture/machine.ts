// A machine whose disk and power are in our hands: a gateway with its database on a volume of its own,
// and the witness who lives outside of it.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Cluster, findPostgres, startCluster } from "../test/postgres.ts";
import { beside, type GatewayProcess, openGatewayProcess } from "./gateway-process.ts";
import type { Trial } from "./part.ts";
import type { CutReport, CutStyle } from "./volume/platter.ts";
import { openVolume, type Volume } from "./volume/volume.ts";
import { openWitness, type Witness } from "./witness.ts";

export type EngineName = "embedded" | "postgres";

export interface Machine {
  readonly engine: EngineName;
  readonly volume: Volume;
  /** None with the embedded engine. */
  readonly cluster: Cluster | undefined;
  readonly gateway: GatewayProcess;
  readonly witness: Witness;
  /** Everything that runs on it is gone with the power. */
  cutPower(style: CutStyle, seed: number): Promise<CutReport>;
  /** Ends everything that runs on it, at once. */
  halt(): Promise<void>;
  /** As a boot does: the file system, the database, the gateway, in this order and by themselves. */
  boot(): Promise<void>;
  /** The boot has begun, and is not waited for. */
  beginBoot(): Promise<void>;
  checkBooks(): Promise<void>;
}

const MEGABYTES = 512;
const DURABLE = ["fsync=on", "synchronous_commit=on", "full_page_writes=on"];
/** Small, so that checkpoints and the reuse of the log's files happen while we look. */
const BUSY_LOG = ["min_wal_size=32MB", "max_wal_size=48MB", "checkpoint_timeout=30s"];

export async function openMachine(
  trial: Trial,
  engine: EngineName,
  violation: (what: string) => void,
): Promise<Machine> {
  const directory = join(trial.directory, engine);
  mkdirSync(directory, { mode: 0o711 });
  const volume = await openVolume(directory, MEGABYTES);
  trial.later(() => volume.remove());
  const cluster = engine === "embedded" ? undefined : await startOn(volume);
  trial.later(() => cluster?.remove());
  trial.later(() => cluster?.crash());
  const env = {
    KOPECK_DATA_DIR: engine === "embedded" ? join(volume.path, "data") : join(directory, "data"),
    NODE_COMPILE_CACHE: join(trial.directory, "compiled"),
    ...(cluster === undefined ? {} : { DATABASE_URL: cluster.url("postgres") }),
  };
  const gateway = await openGatewayProcess(env);
  trial.later(() => gateway.kill());
  gateway.launch();
  await gateway.ready();
  const witness = openWitness({
    ...{ name: engine, url: () => gateway.url, violation },
    random: trial.random.branch(engine === "embedded" ? 1 : 2),
  });
  await witness.prepare();
  trial.later(() => witness.stop());
  const beginBoot = async (): Promise<void> => {
    await volume.powerOn();
    await cluster?.start();
    gateway.launch();
  };
  const halt = async (): Promise<void> => {
    await Promise.all([gateway.kill(), cluster?.crash()]);
  };
  return {
    ...{ engine, volume, cluster, gateway, witness, beginBoot, halt },
    async cutPower(style, seed) {
      const report = await volume.cut(style, seed);
      await halt();
      return report;
    },
    async boot() {
      await beginBoot();
      await gateway.ready();
    },
    async checkBooks() {
      if (engine === "embedded") await gateway.stop();
      await beside(env, (db) => witness.books(db, new Date()));
      if (engine === "postgres") return;
      gateway.launch();
      await gateway.ready();
    },
  };
}

/** A first start does not sync; what it has made is not what is being tried. */
async function startOn(volume: Volume): Promise<Cluster> {
  const cluster = await startCluster(findPostgres() ?? "", [...DURABLE, ...BUSY_LOG], volume.path);
  await volume.sync();
  return cluster;
}
