// What a database failure means, and the log of an outage. Only what certainly did not happen is repeated.

import { setTimeout as sleep } from "node:timers/promises";
import { ONLY_READS, type Queryable, REPEATABLE } from "./db.ts";
import { codeOf, HttpFailure } from "./failure.ts";
import type { Log } from "./log.ts";

/** PostgreSQL's lock_not_available. */
export const LOCKED = "55P03";

/** Another session holds a needed row for longer than the limit; the transaction was rolled back. */
export class LockTimeout extends HttpFailure {
  constructor(cause: unknown) {
    super("unavailable");
    this.cause = cause;
  }
}

/** The server's last words where this process was silent for too long in the midst of a transaction. */
const WAS_FROZEN = "25P03";

/** The server lets nobody idle for so long, and has not heard what was just asked: only outside transactions. */
const WAS_IDLE = "57P05";

/** What every connection that is open now would say, and a new one may not. */
const OF_OLD_CONNECTIONS = new Set([ONLY_READS, WAS_IDLE]);

const BEGUN_ANEW = REPEATABLE.union(OF_OLD_CONNECTIONS).union(
  new Set([WAS_FROZEN, "ECONNRESET", "EPIPE"]),
);

/**
 * Classes 08 (connection), 57P0x (shutdown) and 53 (a full disk, no memory, too many connections), a
 * disk that fails, a statement that took too long, a server that only reads (after a failover the old
 * address may lead to a standby), and the socket's own codes.
 */
const AWAY = /^(08...|57P0.|57014|53...|58030|25006|E[A-Z]+)$/;
const SILENT = /Query read timeout/;
const AWAY_TEXTS =
  /Connection terminated|is not queryable|timeout exceeded when trying to connect|Query read timeout/;
/** The connection was there and is lost: another one may be had. */
const LOST_TEXTS = /^Connection terminated( unexpectedly)?$|is not queryable/;

/** COMMIT was sent and no answer came: it happened or it did not; only looking it up tells. */
export class OutcomeUnknown extends Error {
  constructor(cause: unknown) {
    super("the outcome of a commit is unknown", { cause });
  }
}

/** With these words the server ends the connection, or itself, for whatever reason. */
const LAST_WORDS = /^(FATAL|PANIC)$/;

export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof OutcomeUnknown) return true;
  const severity = "severity" in error ? String(error.severity) : "";
  return AWAY.test(codeOf(error)) || AWAY_TEXTS.test(error.message) || LAST_WORDS.test(severity);
}

/** COMMIT found the connection lost already, or was met by the end of a transaction that was idle. */
export function wasNotSent(error: unknown): boolean {
  const text = error instanceof Error ? error.message : "";
  return codeOf(error) === WAS_FROZEN || /is not queryable/.test(text);
}

/** Nothing has happened; other connections are needed. */
export function isOfOldConnections(error: unknown): boolean {
  return OF_OLD_CONNECTIONS.has(codeOf(error));
}

export function isSilent(error: unknown): boolean {
  return error instanceof Error && SILENT.test(error.message);
}

export function mayRepeat(error: unknown): boolean {
  // A refused connection means a database that is away, which waiting here would only hide.
  const isLost = error instanceof Error && LOST_TEXTS.test(error.message);
  return BEGUN_ANEW.has(codeOf(error)) || isLost;
}

/** Whether it may have happened all the same: of what a transaction's caller is told. */
export function mayBeDone(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof OutcomeUnknown;
}

export function asFailure(error: unknown): unknown {
  if (codeOf(error) === LOCKED) return new LockTimeout(error);
  if (!isAway(error)) return error;
  const failure = new HttpFailure("unavailable");
  failure.cause = error;
  return failure;
}

const LOOK_EVERY_MS = 1_000;

/** The disk is full, or fails: a server that answers and reads says nothing of that. */
const OF_DISK = new Set(["53100", "58030"]);

/**
 * Fails where a table could take no further pages: a megabyte of a file that the server throws away at once,
 * where tables lie. A row that is changed mostly finds room in its page, however full the disk is.
 */
export const TAKES_PAGES = `
  select set_config('work_mem', '64kB', true),
         set_config('temp_tablespaces', current_setting('default_tablespace'), true);
  select count(*) from generate_series(1, 100000)`;

export type Outage = ReturnType<typeof openOutage>;

/** Whether it would take a write, and, where that is asked for, pages too. */
type Answers = (needsPages: boolean) => Promise<boolean>;

export function openOutage(log: Log) {
  let since: number | undefined;
  let failures = 0;
  let isFull = false;
  let hasBegun = false;
  const look = async (answers: Answers, failuresBefore: number): Promise<void> => {
    const isBack = (await answers(isFull)) && failures === failuresBefore;
    if (!isBack || since === undefined) return later(answers);
    const seconds = Math.round((performance.now() - since) / 1000);
    log.info({ seconds, failures }, "the database is back");
    since = undefined;
    failures = 0;
    isFull = false;
  };
  const later = (answers: Answers): void => {
    setTimeout(() => void look(answers, failures), LOOK_EVERY_MS).unref();
  };
  return {
    /** Until then nothing is said: a start that fails has its own line, which is the only one. */
    begin(): void {
      hasBegun = true;
    },
    /** Somebody has failed for that reason; the question is asked until it is answered by yes. */
    note(error: unknown, answers: Answers): void {
      if (!hasBegun) return;
      failures += 1;
      isFull ||= OF_DISK.has(codeOf(error));
      const reason = error instanceof Error ? error.message : String(error);
      if (since !== undefined) return;
      since = performance.now();
      log.error({ reason }, "the database is away, or too slow: what needs it is refused");
      later(answers);
    },
    isFull: (): boolean => isFull,
  };
}

const PATIENCE_MS = 30_000;
const PAUSE_MS = 250;

/** The server is there and not ready yet. By the code: it says so in its own language. */
const NOT_YET = "57P03";
/** It is too busy to have answered. */
const TOO_SLOW = /connection timeout|timeout (exceeded|expired)/;

function comesSoon(error: unknown): boolean {
  return codeOf(error) === NOT_YET || TOO_SLOW.test(String(error));
}

/** A role or a server can be set so. Each connection is set otherwise; a pooler may hand out one that is not. */
const FORGETFUL =
  "synchronous_commit is off for this role: this gateway waits for the disk all the same, but behind a pooler what was answered may be lost where the database server crashes";

/**
 * For a gateway's first question. After a reboot the server recovers while gateways start, and on a busy
 * machine it takes its time. An address where nobody is, or that says no, is the operator's to mend.
 */
export async function whenAnswering(db: Queryable, log: Log): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  for (let tries = 1; ; tries += 1) {
    try {
      const [row] = await db.query<{ waits: string }>(
        "select reset_val as waits from pg_settings where name = 'synchronous_commit'",
        [],
      );
      if (row?.waits === "off") log.warn({}, FORGETFUL);
      return;
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      if (!comesSoon(cause) || performance.now() > until) throw error;
      if (tries === 1) log.info({}, "the database is not ready yet: this waits for it");
    }
    await sleep(PAUSE_MS);
  }
}
