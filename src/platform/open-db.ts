// Opens PostgreSQL where DATABASE_URL names it, else the embedded engine.

import type { Config } from "./config.ts";
import { type Callers, type Db, gatewayName } from "./db.ts";
import { openEmbedded } from "./db-embedded.ts";
import { openOutage } from "./db-failure.ts";
import { ATTENDED } from "./db-pool.ts";
import { openPostgres } from "./db-postgres.ts";
import type { Log } from "./log.ts";
import { keyId } from "./secret.ts";

export interface OpenOptions {
  /** Somebody waits at a terminal: statements may take as long as they need. */
  readonly attended?: boolean;
  /** Where there is no embedded database yet, none is made. */
  readonly existing?: boolean;
}

export async function openDb(
  { databaseUrl, dataDir }: Pick<Config, "databaseUrl" | "dataDir">,
  log: Log,
  { attended = false, existing = false }: OpenOptions = {},
): Promise<Db> {
  const limits = attended ? ATTENDED : {};
  return databaseUrl === undefined
    ? await openEmbedded({ dataDir, log, existing, limits })
    : openPostgres({ connectionString: databaseUrl, ...limits }, log);
}

export type Pools = Readonly<Record<Callers, Db>>;

export async function openPools(config: Config, log: Log): Promise<Pools> {
  const { databaseUrl, connections, connectionMinutes, slowStatementMs } = config;
  const name = gatewayName(config.nextSecretKeys.map(keyId));
  const outage = openOutage(log);
  if (databaseUrl === undefined) {
    const { dataDir } = config;
    const db = await openEmbedded({ dataDir, log, care: { slowStatementMs, outage } });
    return { merchants: db, payers: db, operators: db, cabinet: db, jobs: db };
  }
  const open = (callers: Callers): Db =>
    openPostgres(
      { connectionString: databaseUrl, max: connections[callers], application_name: name },
      log,
      { slowStatementMs, outage, lifetimeMs: connectionMinutes * 60_000 },
    );
  return {
    merchants: open("merchants"),
    payers: open("payers"),
    operators: open("operators"),
    cabinet: open("cabinet"),
    jobs: open("jobs"),
  };
}

export async function closePools(pools: Pools): Promise<void> {
  for (const db of new Set(Object.values(pools))) await db.close();
}
