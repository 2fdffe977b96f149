// Numbered SQL files, each applied once in a transaction of its own, by one process at a time.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "./clock.ts";
import { type Db, type Queryable, REPEATABLE } from "./db.ts";
import { LOCKED } from "./db-failure.ts";
import { codeOf, isOfServer, StartFailure } from "./failure.ts";
import type { Log } from "./log.ts";

/** Any number that no other program on the same database takes by accident. */
const LOCK = 7_061_112_031;
const LOOK_AGAIN_MS = 100;

const SAY_EVERY_MS = 10_000;

/**
 * Everybody who comes after a statement that waits for a whole table waits behind it, so it waits shortly,
 * steps back and tries again.
 */
const LOCK_TIMEOUT_MS = 2_000;
const SHORTEST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
const GIVE_UP_AFTER_MS = 600_000;

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
  readonly lockTimeoutMs?: number;
  readonly giveUpAfterMs?: number;
}

export async function migrate(options: MigrateOptions): Promise<string[]> {
  const { db, log, directory, sayEveryMs = SAY_EVERY_MS } = options;
  const { waiting } = await schemaOf(db, directory);
  if (waiting.length === 0) return [];
  const say = sayer(log, sayEveryMs);
  return db.session(async (session) => {
    // Asked again and again: a statement that waits would keep its snapshot.
    await say({}, "still waiting for another process that migrates", async () => {
      while (!(await isLocked(session))) await sleep(LOOK_AGAIN_MS);
    });
    await session.query(
      `create table if not exists schema_migrations (
         version integer primary key,
         name text not null,
         checksum text not null,
         applied_at timestamptz not null
       )`,
    );
    const { waiting } = await schemaOf(session, directory);
    for (const migration of waiting) {
      const about = { migration: migration.name };
      log.info(about, "applying a migration");
      const seconds = await say(about, "still applying a migration", () =>
        whenUnlocked(migration, options, () => apply(session, migration, options)),
      );
      log.info({ ...about, seconds }, "applied a migration");
    }
    return waiting.map(({ name }) => name);
  });
}

async function isLocked(session: Queryable): Promise<boolean> {
  const [row] = await session.query<{ locked: boolean }>(
    "select pg_try_advisory_lock($1) as locked",
    [LOCK],
  );
  return row?.locked === true;
}

async function apply(
  session: Queryable,
  migration: Migration,
  { clock, lockTimeoutMs = LOCK_TIMEOUT_MS }: MigrateOptions,
): Promise<void> {
  const { version, name, checksum, text } = migration;
  // A migration of a large table takes as long as it takes; given up half-way it would begin anew.
  await session.query("set statement_timeout = 0; set idle_in_transaction_session_timeout = 0");
  await session.query(`set lock_timeout = ${lockTimeoutMs}`);
  await session.query("begin isolation level read committed");
  try {
    await session.query(
      `insert into schema_migrations (version, name, checksum, applied_at)
       values ($1, $2, $3, $4)`,
      [version, name, checksum, clock.now()],
    );
    await session.query(text);
    await session.query("commit");
  } catch (error) {
    // Where the connection is lost, so is the transaction.
    await session.query("rollback").catch(() => {});
    throw error;
  }
}

/** Tries again, after growing pauses, what found a lock taken; nothing of it has happened. */
async function whenUnlocked(
  migration: Migration,
  { log, giveUpAfterMs = GIVE_UP_AFTER_MS }: MigrateOptions,
  work: () => Promise<void>,
): Promise<void> {
  const { name } = migration;
  const until = performance.now() + giveUpAfterMs;
  for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      const code = codeOf(error);
      if (code !== LOCKED && !REPEATABLE.has(code)) throw asFailed(migration, error);
      if (performance.now() > until) {
        throw new StartFailure(
          `The migration ${name} does not get its locks: somebody keeps a table in use (pg_stat_activity says who). Nothing of it was applied; run "kopeck migrate" again.`,
        );
      }
      log.warn(
        { migration: name, pauseMs },
        "others use what a migration has to lock: it tries again",
      );
    }
    await sleep(pauseMs);
  }
}

/** What the server refuses is the operator's to mend: a right, a full disk, a table of somebody else's. */
function asFailed({ name }: Migration, error: unknown): unknown {
  if (!isOfServer(error)) return error;
  return new StartFailure(
    `The migration ${name} failed, nothing of it was applied: ${error.message} (SQLSTATE ${codeOf(error)}). Run "kopeck migrate" again when that is mended.`,
  );
}

/** Says so again and again while the work takes its time; the answer is how many seconds it took. */
function sayer(log: Log, everyMs: number) {
  return async (about: object, words: string, work: () => Promise<unknown>): Promise<number> => {
    const startedAt = performance.now();
    const seconds = (): number => Math.round(performance.now() - startedAt) / 1000;
    const timer = setInterval(() => log.warn({ ...about, seconds: seconds() }, words), everyMs);
    try {
      await work();
      return seconds();
    } finally {
      clearInterval(timer);
    }
  };
}

/** For whoever leaves the tables as they are: all that this code knows must be there. */
export async function refuseUnmigrated(db: Queryable, directory?: string): Promise<void> {
  const { waiting, unseen } = await schemaOf(db, directory);
  const [next] = waiting;
  if (next === undefined) return;
  if (unseen !== undefined) throw unseen;
  throw new StartFailure(`The database has not got ${next.name} yet: run "kopeck migrate" first.`);
}

interface Schema {
  /** What this code knows and the database has not got. */
  readonly waiting: readonly Migration[];
  /** This role sees no tables of Kopeck, and there are some. */
  readonly unseen: StartFailure | undefined;
}

interface Looked {
  readonly there: boolean;
  readonly encoding: string;
  readonly role: string;
  /** Where its tables would be made: null where it has a right to no schema that it looks in. */
  readonly own: string | null;
  readonly path: string;
  /** Where somebody's tables of Kopeck are. */
  readonly schema: string | null;
}

function unseenBy({ there, role, own, path, schema }: Looked): StartFailure | undefined {
  if (there || (own !== null && schema === null)) return undefined;
  const what =
    schema === null ? "no schema" : `nothing in the schema ${schema}, where Kopeck's tables are`;
  return new StartFailure(
    `The database role ${role} sees ${what} (search_path ${path}): use another role, or grant it what it lacks.`,
  );
}

async function schemaOf(db: Queryable, directory?: string): Promise<Schema> {
  const known = readMigrations(directory);
  const [table] = await db.query<Looked>(
    `select to_regclass('schema_migrations') is not null as there,
            current_setting('server_encoding') as encoding,
            current_user as role, current_schema() as own, current_setting('search_path') as path,
            (select min(nspname) from pg_class join pg_namespace n on n.oid = relnamespace
              where relname = 'schema_migrations' and relkind = 'r'
                -- Others call theirs so, too.
                and exists (select from pg_attribute
                            where attrelid = pg_class.oid and attname = 'checksum')) as schema`,
  );
  // Another one has no room for every name, or counts bytes where this code counts characters.
  if (table?.encoding !== "UTF8") {
    throw new StartFailure(
      `The database's encoding is ${table?.encoding}, and Kopeck needs UTF8: make one with "create database … encoding 'UTF8' template template0".`,
    );
  }
  const unseen = unseenBy(table);
  if (unseen !== undefined && table.own === null) throw unseen;
  const applied = table.there
    ? await db.query<AppliedRow>(
        "select version, name, checksum from schema_migrations order by version",
      )
    : [];
  const newer = applied.find(({ version }) => version > known.length);
  if (newer !== undefined) {
    throw new StartFailure(
      `The database has ${newer.name}, which this Kopeck does not know: run the newer Kopeck that made it.`,
    );
  }
  const changed = applied.find(({ version, checksum }) => {
    const migration = known[version - 1];
    return migration !== undefined && migration.checksum !== checksum;
  });
  if (changed !== undefined) {
    throw new StartFailure(
      `The migration ${changed.name} was changed after it had been applied to this database.`,
    );
  }
  const versions = new Set(applied.map(({ version }) => version));
  return {
    waiting: known.filter(({ version }) => !versions.has(version)),
    unseen,
  };
}

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  readonly text: string;
}

const OWN = join(import.meta.dirname, "../../migrations");

/** Stands for the rows of a CSV file beside it, which has no quotes and begins with the names of its columns. */
const SEED = /:(\w+\.csv)\b/g;
const NAME = /^(?<number>\d{2})_.*\.sql$/;

function readMigrations(directory = OWN): Migration[] {
  const names = readdirSync(directory).filter((name) => NAME.test(name));
  return names.toSorted().map((name, index) => {
    const version = Number(NAME.exec(name)?.groups?.["number"]);
    if (version !== index + 1) throw new Error(`The migrations skip a number before ${name}.`);
    const written = readFileSync(join(directory, name), "utf8");
    const text = written.replaceAll(SEED, (_, file) =>
      rowsOf(readFileSync(join(directory, file), "utf8")),
    );
    return { version, name, checksum: createHash("sha256").update(text).digest("hex"), text };
  });
}

function rowsOf(csv: string): string {
  const [, ...lines] = csv.trimEnd().split("\n");
  const quoted = (value: string) => `'${value.replaceAll("'", "''")}'`;
  return lines.map((line) => `\n  (${line.split(",").map(quoted).join(", ")})`).join(",");
}
