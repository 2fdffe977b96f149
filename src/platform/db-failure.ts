// What a failure of the database means: that it is away, that a transaction may be repeated, that a lock
// was not had, or that nobody knows. Guards that only what certainly did not happen is repeated.

import { ONLY_READS, REPEATABLE } from "./db.ts";
import { codeOf, HttpFailure } from "./failure.ts";

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
