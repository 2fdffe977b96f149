// Forward-only migrations: numbered SQL files, each applied once, all in one transaction. Guards that
// two processes starting at once do not both apply them, and that a database newer than the code is
// left alone.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "./clock.ts";
import type { Db, Queryable, Tx } from "./db.ts";
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

const SAY_EVERY_MS = 10_000;

/** A migration of a large table takes as long as it takes; given up half-way it would begin anew. */
const NO_LIMITS = `set local statement_timeout = 0; set local lock_timeout = 0;
  set local idle_in_transaction_session_timeout = 0`;

const OWN = join(import.meta.dirname, "../../migrations");

interface AppliedRow {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

interface MigrateOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly directory?: string;
  /** How often somebody who waits hears that it goes on. */
  readonly sayEveryMs?: number;
}

/** The names of those that were applied now. */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const { db, clock, log, sayEveryMs = SAY_EVERY_MS } = options;
  const known = readMigrations(options.directory ?? OWN);
  const say = sayer(log, sayEveryMs);
  const apply = async (tx: Tx): Promise<string[]> => {
    await tx.query(NO_LIMITS);
    // Held until the transaction ends, so a pooler in between does no harm.
    await say({}, "still waiting for another process that migrates", () =>
      tx.query("select pg_advisory_xact_lock($1)", [LOCK]),
    );
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
      const about = { migration: migration.name };
      log.info(about, "applying a migration");
      await tx.query(
        "insert into schema_migrations (version, name, checksum, applied_at) values ($1, $2, $3, $4)",
        [migration.version, migration.name, migration.checksum, clock.now()],
      );
      const seconds = await say(about, "still applying a migration", () =>
        tx.query(migration.text),
      );
      log.info({ ...about, seconds }, "applied a migration");
    }
    return waiting.map(({ name }) => name);
  };
  return db.transaction(apply, { isPatient: true });
}

/** Says so again and again while the work takes its time; the answer is how many seconds it took. */
function sayer(log: Log, everyMs: number) {
  return async (about: object, words: string, work: () => Promise<unknown>): Promise<number> => {
    const startedAt = performance.now();
    const seconds = (): number => Math.round(performance.now() - startedAt) / 1000;
    const timer = setInterval(() => log.info({ ...about, seconds: seconds() }, words), everyMs);
    try {
      await work();
      return seconds();
    } finally {
      clearInterval(timer);
    }
  };
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
