// What is broken: a database, on a disk of its own whose power can be cut where this machine allows it,
// its gateways, and the witness who lives through it. On PostgreSQL there are two gateways, the second of
// which reaches its database through a proxy that can cut the connection; the embedded engine has one.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../../src/platform/db.ts";
import { findPostgres, startCluster } from "../../test/postgres.ts";
import { beside, envOf, type GatewayProcess, openGatewayProcess } from "../gateway-process.ts";
import { stageOf, type Trial } from "../part.ts";
import type { Random } from "../random.ts";
import { openWitness } from "../witness.ts";
import { openProxy } from "./proxy.ts";
import { missingForVolumes, openVolume } from "./volume/volume.ts";

export const ENGINES = ["postgres", "embedded"] as const;
export type EngineName = (typeof ENGINES)[number];

interface StageOptions {
  readonly name: string;
  readonly engine: EngineName;
  readonly random: Random;
  /** Off for a database that lies: it syncs nothing. */
  readonly syncs: boolean;
}

const MEGABYTES = 512;
const BACK_WITHIN_MS = 120_000;
/** The log is small, so that checkpoints and the reuse of its files happen while we look. */
const SETTINGS = ["min_wal_size=32MB", "max_wal_size=48MB", "checkpoint_timeout=30s"];
/** A very first start makes the tables, and with the embedded engine the database itself. */
const FIRST_START_MS: Readonly<Record<EngineName, number>> = { postgres: 800, embedded: 3_000 };

export type Stage = Awaited<ReturnType<typeof openStage>>;

export async function openStage(part: Trial, { name, engine, random, syncs }: StageOptions) {
  const trial = stageOf(part);
  const directory = join(trial.directory, name);
  mkdirSync(directory, { mode: 0o711 });
  const hasDisk = missingForVolumes() === undefined;
  const volume = hasDisk ? await openVolume(directory, MEGABYTES) : undefined;
  trial.later(() => volume?.remove());
  const place = volume?.path ?? directory;
  const settings = [`fsync=${syncs ? "on" : "off"}`, ...SETTINGS];
  const cluster =
    engine === "postgres" ? await startCluster(findPostgres() ?? "", settings, place) : undefined;
  trial.later(() => cluster?.remove());
  trial.later(() => cluster?.crash());
  const proxy = cluster && (await openProxy(cluster.url("postgres")));
  trial.later(() => proxy?.close());
  const data = { KOPECK_DATA_DIR: join(engine === "embedded" ? place : directory, "kopeck") };
  const env = { ...envOf(trial, cluster?.url("postgres") ?? ""), ...data };
  const gateway = await openGatewayProcess(trial, env);
  const viaProxy = { ...env, DATABASE_URL: proxy?.url ?? "" };
  const neighbour = proxy && (await openGatewayProcess(trial, viaProxy));
  const gateways = neighbour ? [gateway, neighbour] : [gateway];

  const violation = (what: string): void => {
    const errors = gateways.flatMap((one) => one.output().split("\n").filter(isError).slice(-1));
    trial.violation([`${name}: ${what}`, ...errors].join("; the gateway said "));
  };
  /** For a fault to say who gets no requests at the moment. */
  const aside: { avoided?: GatewayProcess | undefined } = {};
  const witness = openWitness({
    name,
    violation,
    random: random.branch(0),
    // Past one that is known to stand still, as whoever shares the load out would do.
    urls: () => gateways.filter((one) => one !== aside.avoided).map(({ url }) => url),
  });
  trial.later(() => witness.close());

  /**
   * As a boot does, by itself: the disk, the database, the gateways, whichever is not there. PostgreSQL
   * itself ends where it cannot even recover, as it should, and is started again as its operator would.
   */
  const start = async (): Promise<void> => {
    await volume?.powerOn();
    for (const one of gateways) {
      if (one.state === "ended") violation(`the gateway ended by itself: ${one.output()}`);
    }
    const until = performance.now() + BACK_WITHIN_MS;
    for (let isFirst = true; ; isFirst = false) {
      if (cluster?.pids().length === 0) {
        // A server whose old process nobody has buried yet is tried again; one without power is not.
        await cluster.start().catch((error: unknown) => {
          if (volume?.isOn() === false || performance.now() > until) throw error;
        });
      }
      for (const one of gateways) {
        if (isFirst && one.state !== "up") one.launch();
        if (one.state !== "up") throw new Error(`${name} does not start: ${one.output()}`);
      }
      const areReady = await Promise.all(gateways.map((one) => one.isReady()));
      if (areReady.every(Boolean)) return;
      if (performance.now() > until) throw new Error(`${name} is not back after two minutes`);
      await sleep(50);
    }
  };

  gateway.launch();
  await sleep(random.between(1, FIRST_START_MS[engine]));
  await gateway.kill();
  await start();
  await witness.prepare();
  // What was made before the first fault is not what is being tried.
  await volume?.sync();
  return {
    engine,
    gateway,
    neighbour,
    cluster,
    proxy,
    volume,
    witness,
    aside,
    violation,
    start,
    close: trial.close,
    beside: <Result>(work: (db: Db) => Promise<Result>) => beside(env, work),
    /** Ends everything that runs on it, at once. */
    async halt(): Promise<void> {
      await Promise.all([...gateways.map((one) => one.kill()), cluster?.crash()]);
    },
    async books(): Promise<void> {
      if (engine === "embedded") await gateway.stop();
      await beside(env, (db) => witness.books(db));
      await start();
    },
  };
}

const isError = (line: string): boolean => line.includes('"level":"error"');
