// Everything that a benchmark runs on, started by itself and removed at its end: a PostgreSQL cluster
// with full durability, databases that are copies of one populated one, and gateways as processes.

import { randomUUID } from "node:crypto";
import { chmodSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { startGateway } from "../src/gateway.ts";
import type { App } from "../src/platform/app.ts";
import { movableClock, systemClock } from "../src/platform/clock.ts";
import { type Config, readConfig } from "../src/platform/config.ts";
import { openLog } from "../src/platform/log.ts";
import { openApp } from "../src/platform/open-app.ts";
import { openDb } from "../src/platform/open-db.ts";
import { type Cluster, findPostgres, startCluster } from "../test/postgres.ts";
import { freePort, type Running, ready, runKopeck } from "../test/process.ts";
import type { BareAnswers } from "./bare.ts";
import type { Options } from "./options.ts";
import { populate } from "./population.ts";
import { captureAnswers } from "./requests.ts";

export type EngineName = "postgres" | "embedded";

export interface Database {
  readonly env: Readonly<Record<string, string>>;
  /** As a command of the gateway would: nobody else may have the embedded engine open. */
  open<Result>(work: (app: App) => Promise<Result>): Promise<Result>;
  /** Another one that is the same, statistics included; nobody may have it open. */
  copy(): Promise<Database>;
  drop(): Promise<void>;
}

export interface Engine {
  readonly name: EngineName;
  /** A copy of the populated database. */
  database(): Promise<Database>;
  /** One answer of each measured door, for the rival that always gives the same. */
  answers(): Promise<BareAnswers>;
  /** One with the tables and the sandbox's cast, nobody else, and that is what its statistics say. */
  empty(): Promise<Database>;
  /** Without even a table. */
  nothing(): Promise<Database>;
  /** Of the server's processes; none where the gateway is the server. */
  pids(): readonly number[];
}

export interface Server {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
  /** For one whose database goes with it; it must have lived until now. */
  kill(): Promise<void>;
}

export interface Stage {
  /** For files of the run's own. */
  readonly directory: string;
  readonly engines: readonly Engine[];
  /** What the server says of its durability; none without PostgreSQL. */
  readonly settings: Readonly<Record<string, string>>;
  remove(): void;
}

const DURABLE = ["fsync=on", "synchronous_commit=on", "full_page_writes=on", "min_wal_size=512MB"];
const TOLD_SETTINGS = [
  "server_version",
  "fsync",
  "synchronous_commit",
  "full_page_writes",
  "wal_sync_method",
  "shared_buffers",
  "max_wal_size",
];

export async function openStage(mode: Options["sizes"]["mode"]): Promise<Stage> {
  const directory = mkdtempSync(join(tmpdir(), "kopeck-bench-"));
  // PostgreSQL's own user must get through.
  chmodSync(directory, 0o711);
  const binaries = findPostgres();
  const cluster = binaries === undefined ? undefined : await startCluster(binaries, DURABLE);
  const settings = cluster === undefined ? {} : await tellSettings(cluster);
  if (cluster !== undefined && settings["fsync"] !== "on") throw new Error("fsync must be on");
  if (cluster !== undefined && mode !== "smoke") await age(cluster);
  const engines = [
    ...(cluster === undefined ? [] : [postgres(cluster, directory)]),
    embedded(directory),
  ];
  const remove = (): void => {
    cluster?.remove();
    rmSync(directory, { recursive: true, force: true });
  };
  return { directory, engines, settings, remove };
}

const OLD_SEGMENTS = 24;

/**
 * A server that has run for a day writes its log into files that it has used before. A fresh one makes
 * each of them, 16 MB of zeros, while all commits wait: 30 ms every six seconds of creates at half load.
 */
async function age(cluster: Cluster): Promise<void> {
  for (let made = 0; made < OLD_SEGMENTS; made += 1) {
    await onServer(cluster, "select pg_logical_emit_message(false, 'bench', ''), pg_switch_wal()");
  }
  await onServer(cluster, "checkpoint");
}

async function tellSettings(cluster: Cluster): Promise<Record<string, string>> {
  const told: Record<string, string> = {};
  for (const name of TOLD_SETTINGS) {
    const [row] = await onServer(cluster, `show ${name}`);
    told[name] = String(row?.[name]);
  }
  return told;
}

async function onServer(cluster: Cluster, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: cluster.url("postgres") });
  await client.connect();
  const { rows } = await client.query(statement);
  await client.end();
  return rows;
}

function postgres(cluster: Cluster, directory: string): Engine {
  const dataDir = join(directory, "postgres-data");
  const make = async (template?: string): Promise<Database> => {
    const id = `bench_${randomUUID().replaceAll("-", "")}`;
    const from = template === undefined ? "" : ` template ${template} strategy file_copy`;
    await onServer(cluster, `create database ${id}${from}`);
    const env = {
      DATABASE_URL: cluster.url(id),
      KOPECK_DATA_DIR: dataDir,
      ...compileCache(directory),
    };
    const drop = async (): Promise<void> =>
      void (await onServer(cluster, `drop database ${id} with (force)`));
    return { env, open: opener(env), copy: () => make(id), drop };
  };
  return { name: "postgres", pids: () => cluster.pids(), ...copying(make) };
}

function embedded(directory: string): Engine {
  const make = async (template?: string): Promise<Database> => {
    const path = join(directory, randomUUID());
    if (template) cpSync(template, path, { recursive: true });
    const env = { KOPECK_DATA_DIR: path, ...compileCache(directory) };
    const drop = async (): Promise<void> => rmSync(path, { recursive: true, force: true });
    return { env, open: opener(env), copy: () => make(path), drop };
  };
  return { name: "embedded", pids: () => [], ...copying(make) };
}

/** Each is made once, when it is first asked for, and copied from then on. */
function copying(make: () => Promise<Database>): Omit<Engine, "name" | "pids"> {
  const made = async <Result>(fill: (app: App, url: string) => Promise<Result>) => {
    const database = await make();
    const gateway = await startGateway({ config: configOf(database.env), log });
    const result = await fill(gateway.app, gateway.url);
    await gateway.app.db.query("analyze");
    await gateway.stop();
    return { database, result };
  };
  const empty = once(() => made(async () => {}));
  const populated = once(() =>
    made(async (app, url) => {
      await app.db.transaction((tx) => populate(tx, app));
      return captureAnswers(url);
    }),
  );
  return {
    database: async () => (await populated()).database.copy(),
    answers: async () => (await populated()).result,
    empty: async () => (await empty()).database.copy(),
    nothing: make,
  };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** So that every further gateway starts with what the first has compiled. */
const compileCache = (directory: string) => ({
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? join(directory, "compiled"),
});

const log = openLog("error", { write: (line) => void process.stderr.write(line) });

/** What is copied is the same every time: without an example business that may be there already or not. */
const configOf = (env: Database["env"]): Config =>
  readConfig({ PORT: "0", LOG_LEVEL: "error", KOPECK_SANDBOX_HISTORY: "off", ...env });

function opener(env: Database["env"]): Database["open"] {
  return async (work) => {
    const config = configOf(env);
    const db = await openDb(config, log, { attended: true });
    const app = openApp({ config, db, log, clock: movableClock(systemClock) });
    try {
      return await work(app);
    } finally {
      app.http.close();
      await db.close();
    }
  };
}

export async function startServer({ env }: Database): Promise<Server> {
  const PORT = String(await freePort());
  const running: Running = runKopeck({ PORT, LOG_LEVEL: "error", ...env });
  await ready(running);
  const { child } = running;
  let isExpected = false;
  child.once("exit", (code, signal) => {
    if (!isExpected) console.error(`a gateway ended with ${code ?? signal}: ${running.output()}`);
  });
  return {
    url: running.url,
    pid: child.pid ?? 0,
    async stop() {
      isExpected = true;
      child.kill("SIGTERM");
      const { code } = await running.ended;
      if (code !== 0) throw new Error(`a gateway ended with ${code}: ${running.output()}`);
    },
    async kill() {
      if (child.exitCode !== null) throw new Error(`a gateway died: ${running.output()}`);
      isExpected = true;
      child.kill("SIGKILL");
      await running.ended;
    },
  };
}
