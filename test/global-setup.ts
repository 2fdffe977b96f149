// Once before all tests: a throwaway PostgreSQL cluster and a migrated embedded database to copy.
// What the machine cannot run is said in one line; in CI nothing may be missing.

import { randomInt } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGateway } from "../src/gateway.ts";
import { openLog } from "../src/platform/log.ts";
import { testConfig } from "./gateway.ts";
import { type Cluster, findPostgres, HOW_TO_INSTALL, startCluster } from "./postgres.ts";
import { freePort, ready, runKopeck } from "./process.ts";
import { SEED_VARIABLE } from "./property.ts";

let cluster: Cluster | undefined;
let directory: string | undefined;

export async function globalSetup(): Promise<void> {
  const seed = process.env[SEED_VARIABLE] ?? String(randomInt(2 ** 31));
  process.env[SEED_VARIABLE] = seed;
  process.stdout.write(`property tests run with ${SEED_VARIABLE}=${seed}\n`);
  directory = mkdtempSync(join(tmpdir(), "kopeck-test-"));
  // Whatever a test leaves behind goes with the run; PostgreSQL's own user must get through to it.
  chmodSync(directory, 0o711);
  process.env["TMPDIR"] = directory;
  // Every test file is a process of its own and loads the same code.
  process.env["NODE_COMPILE_CACHE"] = join(directory, "compile-cache");
  const dataDir = join(directory, "template");
  const template = startGateway({
    config: testConfig({ dataDir, databaseUrl: undefined }),
    log: openLog("error"),
  }).then((gateway) => gateway.stop());
  const binaries = findPostgres();
  if (binaries === undefined) {
    const missing = `PostgreSQL is not installed: its tests do not run (${HOW_TO_INSTALL}).`;
    if (process.env["CI"]) throw new Error(missing);
    process.stderr.write(`${missing}\n`);
  } else {
    cluster = await startCluster(binaries);
    process.env["KOPECK_TEST_POSTGRES"] = cluster.url("");
  }
  await template;
  process.env["KOPECK_TEST_TEMPLATE"] = dataDir;
  process.env["KOPECK_TEST_READY_MS"] = String(await measureStart(dataDir));
}

/** How long a later start takes: the better of two, because the machine is not ours alone. */
async function measureStart(dataDir: string): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < 2; turn += 1) {
    const startedAt = performance.now();
    const running = runKopeck({ PORT: String(await freePort()), KOPECK_DATA_DIR: dataDir });
    await ready(running);
    times.push(Math.round(performance.now() - startedAt));
    running.child.kill("SIGTERM");
    await running.ended;
  }
  return Math.min(...times);
}

export async function globalTeardown(): Promise<void> {
  cluster?.remove();
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
}
