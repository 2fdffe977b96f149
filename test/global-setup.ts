// Once before all tests: a throwaway PostgreSQL cluster and a migrated embedded database to copy.
// What the machine cannot run is said in one line; in CI nothing may be missing.

import { randomInt } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { startGateway } from "../src/gateway.ts";
import { openLog } from "../src/platform/log.ts";
import { TestClock, testConfig } from "./gateway.ts";
import { type Cluster, findPostgres, HOW_TO_INSTALL, startCluster } from "./postgres.ts";
import { SEED_VARIABLE } from "./property.ts";

let cluster: Cluster | undefined;
let directory: string | undefined;

export async function globalSetup(): Promise<void> {
  const seed = process.env[SEED_VARIABLE] ?? String(randomInt(2 ** 31));
  process.env[SEED_VARIABLE] = seed;
  process.stdout.write(`property tests run with ${SEED_VARIABLE}=${seed}\n`);
  directory = mkdtempSync(join(inMemory() ?? tmpdir(), "kopeck-test-"));
  // Whatever a test leaves behind goes with the run; PostgreSQL's own user must get through to it.
  chmodSync(directory, 0o711);
  process.env["TMPDIR"] = directory;
  // Every test file is a process of its own and loads the same code.
  process.env["NODE_COMPILE_CACHE"] = join(directory, "compile-cache");
  const made = await Promise.allSettled([makeEmbedded(join(directory, "template")), makeServer()]);
  const failed = made.find((one) => one.status === "rejected");
  if (failed === undefined) return;
  // The runner tears nothing down whose setup has failed: a server would go on running, in memory.
  await globalTeardown();
  throw failed.reason;
}

async function makeEmbedded(dataDir: string): Promise<void> {
  const config = testConfig({ dataDir, databaseUrl: undefined });
  const gateway = await startGateway({ config, log: openLog("error") });
  await gateway.stop();
  process.env["KOPECK_TEST_TEMPLATE"] = dataDir;
}

async function makeServer(): Promise<void> {
  const binaries = findPostgres();
  if (binaries === undefined) {
    const missing = `PostgreSQL is not installed: its tests do not run (${HOW_TO_INSTALL}).`;
    if (process.env["CI"]) throw new Error(missing);
    process.stderr.write(`${missing}\n`);
  } else {
    cluster = await startCluster(binaries);
    process.env["KOPECK_TEST_POSTGRES"] = cluster.url("");
    process.env["KOPECK_TEST_POSTGRES_TEMPLATE"] = await makeTemplate(cluster);
  }
}

const MEMORY = "/dev/shm";
const ROOM_BYTES = 4 * 2 ** 30;

/**
 * Every test makes a database of hundreds of files, and needs none of them afterwards: on a disk that takes
 * 0.2 s of processor time, in memory 0.02 s. Some tests run programs that they have written.
 */
function inMemory(): string | undefined {
  try {
    const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
    const [, , , options = "noexec"] =
      mounts.map((line) => line.split(" ")).find(([, at]) => at === MEMORY) ?? [];
    const { bavail, bsize } = statfsSync(MEMORY);
    return !options.includes("noexec") && bavail * bsize >= ROOM_BYTES ? MEMORY : undefined;
  } catch {
    return undefined;
  }
}

/** A sandbox that is copied, because making one takes longer than most tests. */
async function makeTemplate(server: Cluster): Promise<string> {
  const client = new pg.Client({ connectionString: server.url("postgres") });
  await client.connect();
  await client.query("create database template_of_tests");
  await client.end();
  const databaseUrl = server.url("template_of_tests");
  const config = testConfig({ databaseUrl });
  const gateway = await startGateway({ config, log: openLog("error"), clock: new TestClock() });
  await gateway.stop();
  return databaseUrl;
}

export async function globalTeardown(): Promise<void> {
  cluster?.remove();
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
}
