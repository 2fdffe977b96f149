// The embedded engine: PostgreSQL in a worker thread on a directory of its own, reached through the
// same driver as a server. Guards that one process at a time opens the directory, and none what is somebody else's.

import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type pg from "pg";
import { ENGINE_FOLDER, hasDatabase, openDataDir, wrongInDatabase } from "./data-dir.ts";
import type { Db } from "./db.ts";
import { startEngine } from "./db-embedded-socket.ts";
import { openKept } from "./db-kept.ts";
import type { PoolCare } from "./db-pool.ts";
import { openPostgres } from "./db-postgres.ts";
import { codeOf, StartFailure } from "./failure.ts";
import type { Log } from "./log.ts";

/** Everybody waits for the one connection, so waiting is no sign of a database that is away. */
const WAIT_FOR_CONNECTION_MS = 15_000;
const STUCK_MS = 60_000;

export async function openEmbedded(options: {
  dataDir: string;
  log: Log;
  existing?: boolean;
  limits?: pg.PoolConfig;
  care?: PoolCare;
}): Promise<Db> {
  const { dataDir, log, existing = false, limits = {}, care = {} } = options;
  const directory = join(dataDir, ENGINE_FOLDER);
  const wrong = wrongInDatabase(directory);
  if (wrong !== undefined) {
    throw new StartFailure(`KOPECK_DATA_DIR ${dataDir} cannot be used: ${directory} ${wrong}.`);
  }
  if (existing && !hasDatabase(directory)) refuseMissing(dataDir, directory);
  const unlock = lockDirectory(dataDir);
  try {
    if (!hasDatabase(directory)) {
      log.info({ directory }, "creating the embedded database; this takes seconds, only once");
    }
    const engine = await startEngine(directory);
    const kept = openKept();
    const db = openPostgres(
      {
        stream: () => engine.connect(),
        max: 1,
        idleTimeoutMillis: 0,
        connectionTimeoutMillis: WAIT_FOR_CONNECTION_MS,
        query_timeout: STUCK_MS,
        user: "postgres",
        database: "postgres",
        ...limits,
      },
      log,
      { ...care, kept },
    );
    const close = async (): Promise<void> => {
      await db.close();
      await engine.stop();
      unlock();
    };
    return { ...db, keep: kept.keep, close };
  } catch (error) {
    unlock();
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartFailure(`The embedded database in ${dataDir} cannot be opened: ${reason}`);
  }
}

/** What is there and closed to whoever asks is not missing. */
function refuseMissing(dataDir: string, directory: string): never {
  const reason = whyMissing(directory);
  throw new StartFailure(
    reason === undefined
      ? `There is no database in ${dataDir}. Set DATABASE_URL or KOPECK_DATA_DIR, or start Kopeck once.`
      : `KOPECK_DATA_DIR ${dataDir} cannot be used: ${reason}`,
  );
}

function whyMissing(directory: string): string | undefined {
  try {
    statSync(directory);
    return undefined;
  } catch (error) {
    return ["ENOENT", "ENOTDIR"].includes(codeOf(error)) ? undefined : String(error);
  }
}

/**
 * Node has no file locks, but its SQLite takes one that the kernel drops when the process dies, in
 * whatever way: a lock left behind can never block the next start, and pids never matter.
 */
function lockDirectory(dataDir: string): () => void {
  try {
    openDataDir(dataDir);
    const lock = new DatabaseSync(join(dataDir, "lock"));
    lock.exec("pragma locking_mode = exclusive; pragma journal_mode = memory; begin exclusive");
    return () => lock.close();
  } catch (error) {
    if (error instanceof Error && error.message.includes("locked")) {
      throw new StartFailure(
        `Another Kopeck process is using ${dataDir}. Stop it, or choose another KOPECK_DATA_DIR.`,
      );
    }
    throw new StartFailure(`KOPECK_DATA_DIR ${dataDir} cannot be used: ${String(error)}`);
  }
}
