// A Citus cluster that somebody else runs, by the address of its coordinator and a superuser there: databases
// with the extension are made on it for a run of tests, and dropped with it.

import { randomUUID } from "node:crypto";
import pg from "pg";

export const CITUS_VARIABLE = "KOPECK_TEST_CITUS";

export interface Citus {
  url(database: string): string;
  /** A database with the extension and nothing else, which can be copied. */
  empty: string;
  /** Another one for tests to copy, which is filled first. */
  template(name: string, fill: (databaseUrl: string) => Promise<void>): Promise<string>;
  remove(): Promise<void>;
}

export async function joinCitus(address: string): Promise<Citus> {
  const run = randomUUID().slice(0, 8);
  const made: string[] = [];
  const url = (database: string): string => `${address.replace(/\/$/, "")}/${database}`;
  const onServer = async (database: string, ...statements: string[]): Promise<void> => {
    const client = new pg.Client({ connectionString: url(database) });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  const template: Citus["template"] = async (name, fill) => {
    const own = `${name}_${run}`;
    made.push(own);
    await onServer("postgres", `create database ${own}`);
    await onServer(own, "create extension citus");
    await fill(url(own));
    // Citus keeps a process in every database that has it, and one that is in use cannot be copied.
    await onServer(
      "postgres",
      `alter database ${own} allow_connections false`,
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${own}'`,
    );
    return url(own);
  };
  return {
    url,
    empty: await template("citus_empty", async () => {}),
    template,
    async remove() {
      for (const own of made) await onServer("postgres", `drop database ${own} with (force)`);
    },
  };
}
