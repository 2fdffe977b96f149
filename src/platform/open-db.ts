// Which engine: a PostgreSQL server where one is named, else the embedded one in the data directory.

import type { Config } from "./config.ts";
import type { Db } from "./db.ts";
import { openEmbedded } from "./db-embedded.ts";
import { openPostgres } from "./db-postgres.ts";
import type { Log } from "./log.ts";

export async function openDb({ databaseUrl, dataDir }: Config, log: Log): Promise<Db> {
  return databaseUrl === undefined
    ? await openEmbedded({ dataDir, log })
    : openPostgres({ connectionString: databaseUrl }, log);
}
