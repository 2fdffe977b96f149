// What the database says of itself.

import type { Queryable } from "../../platform/db.ts";

export interface DatabaseFacts {
  readonly version: string;
  readonly bytes: bigint;
  /** Null where nothing is archived. */
  readonly archived_at: Date | null;
  readonly archive_failed_at: Date | null;
}

export async function databaseFacts(db: Queryable): Promise<DatabaseFacts> {
  const [row] = await db.query<DatabaseFacts>(
    `select current_setting('server_version') as version,
            pg_database_size(current_database()) as bytes,
            (select last_archived_time from pg_stat_archiver) as archived_at,
            (select last_failed_time from pg_stat_archiver) as archive_failed_at`,
    [],
  );
  if (row === undefined) throw new Error("A statement without a table gave no row.");
  return row;
}
