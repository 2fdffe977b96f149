// Once before all tests: a throwaway PostgreSQL cluster and a migrated embedded database to copy.
// What the machine cannot run is said in one line; in CI nothing may be missing.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGateway } from "../src/gateway.ts";
import { openLog } from "../src/platform/log.ts";
import { testConfig } from "./gateway.ts";
import { type Cluster, findPostgres, HOW_TO_INSTALL, startCluster } from "./postgres.ts";

let cluster: Cluster | undefined;
let directory: string | undefined;

export async function globalSetup(): Promise<void> {
  directory = mkdtempSync(join(tmpdir(), "kopeck-test-"));
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
}

export async function globalTeardown(): Promise<void> {
  cluster?.remove();
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
}
