// Forward-only migrations: numbered SQL files, each applied once, all in one transaction. Guards that
// two processes starting at once do not both apply them, and that a database newer than the code is
// left alone.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "./clock.ts";
import type { Db, Queryable } from "./db.ts";
import { StartFailure } from "./failure.ts";
import type { Log } from "./log.ts";

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
}

/** Any number that no other program on the same database takes by accident. */
const LOCK = 7_061_112_031;

const OWN = join(import.meta.dirname, "../../migrations");

interface AppliedRow {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

/** The names of those that were applied now. */
export async function migrate(options: {
  db: Db;
  clock: Clock;
  log: Log;
  directory?: string;
}): Promise<string[]> {
  const { db, clock, log } = options;
  const known = readMigrations(options.directory ?? OWN);
  return db.transaction(async (tx) => {
    await tx.query("set local statement_timeout = 0; set local lock_timeout = 0");
    // Held until the transaction ends, so a pooler in between does no harm.
    await tx.query("select pg_advisory_xact_lock($1)", [LOCK]);
    await tx.query(
      `create table if not exists schema_migrations (
         version integer primary key,
         name text not null,
         checksum text not null,
         applied_at timestamptz not null
       )`,
    );
    const waiting = withoutApplied(known, await appliedTo(tx));
    for (const migration of waiting) {
      log.info({ migration: migration.name }, "applying a migration");
      await tx.query(
        "insert into schema_migrations (version, name, checksum, applied_at) values ($1, $2, $3, $4)",
        [migration.version, migration.name, migration.checksum, clock.now()],
      );
      await tx.query(migration.text);
    }
    return waiting.map(({ name }) => name);
  });
}

/** The names of those that were not applied yet, for whoever only looks. */
export async function pendingMigrations(db: Queryable, directory = OWN): Promise<string[]> {
  const [table] = await db.query<{ there: boolean }>(
    "select to_regclass('schema_migrations') is not null as there",
  );
  const applied = table?.there ? await appliedTo(db) : [];
  return withoutApplied(readMigrations(directory), applied).map(({ name }) => name);
}

function appliedTo(db: Queryable): Promise<AppliedRow[]> {
  return db.query<AppliedRow>(
    "select version, name, checksum from schema_migrations order by version",
  );
}

function readMigrations(directory: string): Migration[] {
  const names = readdirSync(directory).filter((name) => /^\d{4}_.*\.sql$/.test(name));
  return names.toSorted().map((name, index) => {
    const version = Number(name.slice(0, 4));
    if (version !== index + 1) throw new Error(`The migrations skip a number before ${name}.`);
    const text = readFileSync(join(directory, name), "utf8");
    return { version, name, text, checksum: createHash("sha256").update(text).digest("hex") };
  });
}

function withoutApplied(
  known: readonly Migration[],
  applied: readonly AppliedRow[],
): readonly Migration[] {
  for (const row of applied) {
    const migration = known[row.version - 1];
    if (migration === undefined) {
      throw new StartFailure(
        `The database is at version ${applied.length}, this Kopeck knows versions up to ${known.length}. Run a newer Kopeck.`,
      );
    }
    if (migration.checksum !== row.checksum) {
      throw new StartFailure(
        `The migration ${row.name} was changed after it had been applied to this database.`,
      );
    }
  }
  return known.slice(applied.length);
}
