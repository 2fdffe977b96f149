// A PostgreSQL of a part's own: started for it, and gone with it.

import { type Cluster, findPostgres, HOW_TO_INSTALL, startCluster } from "../test/postgres.ts";
import type { Trial } from "./part.ts";

/** What the databases of tests are made on. */
const SERVER_VARIABLE = "KOPECK_TEST_POSTGRES";

/** One line for a part that cannot do without it. */
export function missingPostgres(): string | undefined {
  if (findPostgres() !== undefined) return undefined;
  return `PostgreSQL is not installed (${HOW_TO_INSTALL}).`;
}

/** From now on openTestDatabase("postgres") makes its databases there. */
export async function throwawayPostgres(trial: Trial, settings: string[] = []): Promise<Cluster> {
  const binaries = findPostgres();
  if (binaries === undefined) throw new Error(missingPostgres());
  const cluster = await startCluster(binaries, settings);
  const before = process.env[SERVER_VARIABLE];
  process.env[SERVER_VARIABLE] = cluster.url("");
  trial.later(() => {
    if (before === undefined) delete process.env[SERVER_VARIABLE];
    else process.env[SERVER_VARIABLE] = before;
    cluster.remove();
  });
  return cluster;
}
