// Which engine: a PostgreSQL server where one is named, else the embedded one in the data directory.

import type { Config } from "./config.ts";
import type { Db } from "./db.ts";
import { openEmbedded } from "./db-embedded.ts";
import { ATTENDED, openPostgres } from "./db-postgres.ts";
import type { Log } from "./log.ts";

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

/** Usable at once: what is asked of it before the database is open waits until it is. */
export function whenOpen(opening: Promise<Db>): Db {
  let open: Db | undefined;
  opening.then(
    (db) => {
      open = db;
    },
    () => {},
  );
  const ready = <Result>(ask: (db: Db) => Promise<Result>): Promise<Result> =>
    open === undefined ? opening.then(ask) : ask(open);
  return {
    query: (text, values) => ready((db) => db.query(text, values)),
    transaction: (work) => ready((db) => db.transaction(work)),
    session: (work) => ready((db) => db.session(work)),
    close: () => ready((db) => db.close()),
  };
}
