// The database through node-postgres: the pool, named statements, and transactions, which wait for locks
// in one of three manners. Guards that a transaction is repeated only where it certainly did not happen.

import { AsyncLocalStorage } from "node:async_hooks";
import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Db, GATEWAY, type Queryable, type Tx } from "./db.ts";
import { openBreaker } from "./db-breaker.ts";
import { commitWaits } from "./db-clock.ts";
import {
  asFailure,
  codeOf,
  isAway,
  isSilent,
  LOCKED,
  mayRepeat,
  OutcomeUnknown,
  wasNotSent,
} from "./db-failure.ts";
import { InDemand } from "./db-held.ts";
import { getTypeParser } from "./db-values.ts";
import type { Log } from "./log.ts";

const MAX_ATTEMPTS = 5;
const CONNECT_TIMEOUT_MS = 3_000;
const STATEMENT_TIMEOUT_MS = 10_000;
/** Many times what a healthy transaction holds a row for. */
const LOCK_TIMEOUT_MS = 500;
/** How long a process that was frozen in the midst of a transaction keeps its locks from all others. */
const FROZEN_TIMEOUT_MS = 2_000;
/** Who has waited for a lock in vain takes care for as long as a frozen process may still have it. */
const CAREFUL_FOR_MS = FROZEN_TIMEOUT_MS - LOCK_TIMEOUT_MS;
/** How long a careful transaction still waits, for what it could not know that it would need. */
const CAREFUL_LOCK_TIMEOUT_MS = 100;
/**
 * How long one stands in line for what others only use, on a machine that is very busy. A row is waited
 * for twice, for one's turn and for its holder, and both together take less long than a frozen process
 * keeps its locks: one that is frozen in the line would inherit them, and keep them anew.
 */
const LINE_TIMEOUT_MS = 900;
/** What somebody who waits for a command bears. */
const ATTENDED_LOCK_TIMEOUT_MS = 5_000;
/** Past the server's own limit, for a connection that went silent. */
const SILENCE_TIMEOUT_MS = 15_000;

/** For a command that somebody waits for: no limit but that on locks, and a name of its own. */
export const ATTENDED = {
  query_timeout: 0,
  statement_timeout: 0,
  idle_in_transaction_session_timeout: 0,
  lock_timeout: ATTENDED_LOCK_TIMEOUT_MS,
  application_name: "kopeck command",
} satisfies pg.PoolConfig;

/** What a session waits for an answer: the longest that a timer can be set to, 24 days. */
const PATIENT = { query_timeout: 2 ** 31 - 1 };

/**
 * The server's own figure is that of a spinning disk, for which it rather reads a whole period and sorts
 * it than go through an index in order: 80 ms for a page instead of 5, on a million invoices.
 */
const INDEXES_FIRST = "-c random_page_cost=1.1";

/**
 * Whatever a server's default is: locks and constraints decide here, and what they decide must be seen.
 * The option is for single statements; a pooler may drop it, so a transaction names its level again.
 */
const READ_COMMITTED = "-c default_transaction_isolation=read\\ committed";
const BEGIN_READ_COMMITTED = "begin isolation level read committed";

/** How a transaction waits for locks. */
const BEGIN = {
  ordinary: BEGIN_READ_COMMITTED,
  careful: `${BEGIN_READ_COMMITTED}; set local lock_timeout = ${CAREFUL_LOCK_TIMEOUT_MS}`,
  "in line": `${BEGIN_READ_COMMITTED}; set local lock_timeout = ${LINE_TIMEOUT_MS}`,
};

/** What every further statement hears once one has failed. */
const ABORTED = "25P02";

export function openPostgres(options: pg.PoolConfig, log: Log): Db {
  const pool = new pg.Pool({
    max: 8,
    // Statements that do not wait for each other's answers travel together.
    pipeline: true,
    // No timer for each idle connection: it takes a third of the driver's time for a short statement.
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: SILENCE_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: FROZEN_TIMEOUT_MS,
    application_name: GATEWAY,
    options: `${INDEXES_FIRST} ${READ_COMMITTED}`,
    types: { getTypeParser },
    ...options,
    ...(options.connectionString && { connectionString: unnamed(options.connectionString) }),
  });
  // A lost idle connection is no reason to stop: the pool opens another when it is next needed.
  pool.on("error", (error) => log.warn({ err: error }, "an idle database connection was lost"));

  // One that is lost while it is in use fails its query; without a listener it would end the process.
  pool.on("connect", (client) => client.on("error", () => {}));

  const statements = new Map<string, Statement>();
  const statementOf = (text: string): Statement => {
    let known = statements.get(text);
    if (known === undefined) {
      known = { name: nameOf(text), writes: WRITES.test(text) };
      statements.set(text, known);
    }
    return known;
  };
  const run = async <Row>(
    client: pg.Pool | pg.PoolClient,
    text: string,
    values: readonly unknown[] | undefined,
    limits?: Pick<pg.PoolConfig, "query_timeout">,
  ): Promise<Row[]> => {
    if (values === undefined) {
      const result = await client.query({ text, ...limits });
      // Several statements in one text give several results; nobody asks for their rows.
      return Array.isArray(result) ? [] : (result.rows as Row[]);
    }
    const { name } = statementOf(text);
    const result = await client.query({ name, text, values: values as unknown[], ...limits });
    return result.rows as Row[];
  };

  const breaker = openBreaker((waitedMs) => commitWaits({ query }, waitedMs), log);
  const holders = new Map<string, string>();
  let carefulUntil = Number.NEGATIVE_INFINITY;
  const inside = new AsyncLocalStorage<true>();
  const attempt = async <Result>(
    work: (tx: Tx) => Promise<Result>,
    manner: keyof typeof BEGIN,
  ): Promise<Result> => {
    breaker.check();
    const careful = manner === "careful" ? holders : undefined;
    const client = await pool.connect();
    let committing = false;
    let isOver = false;
    let firstFailure: unknown;
    try {
      // The first statement does not wait for it: a connection that cannot begin cannot go on either.
      const begun = client.query(BEGIN[manner]);
      begun.catch(() => {});
      const query: Tx["query"] = async (text, values) => {
        if (isOver) throw new Error("The transaction is over.");
        try {
          return await run(client, text, values);
        } catch (error) {
          firstFailure ??= error;
          throw error;
        }
      };
      const result = await inside.run(true, work, { kind: "tx", careful, query });
      await begun;
      isOver = true;
      committing = true;
      const { command } = await client.query("commit");
      // Where a failure was swallowed by the work, the server says so only here, and not as an error.
      if (command !== "COMMIT") throw new Error("A commit was answered by a rollback.");
      client.release();
      return result;
    } catch (caught) {
      // A statement that went along hears only that something failed, and may be heard before it.
      const error = codeOf(caught) === ABORTED ? (firstFailure ?? caught) : caught;
      // One part of the work has failed; another one that goes on must not go on outside of it.
      isOver = true;
      // A connection whose state is in doubt is thrown away rather than returned to the pool.
      const clean = !isAway(error) && !committing && (await rolledBack(client));
      client.release(!clean);
      if (committing && isSilent(error)) breaker.trip();
      if (isAway(error) && committing && !wasNotSent(error)) throw new OutcomeUnknown(error);
      throw error;
    }
  };

  const query: Queryable["query"] = async (text, values) => {
    // On an engine with one connection this would wait for itself for ever.
    if (inside.getStore()) throw new Error("Inside a transaction use its tx, not the database.");
    const { writes } = statementOf(text);
    if (writes) breaker.check();
    try {
      return await run(pool, text, values);
    } catch (error) {
      // The server's own limit is shorter: what took longer than that was not the statement.
      if (writes && isSilent(error)) breaker.trip();
      throw asFailure(error);
    }
  };

  return {
    query,
    async transaction(work) {
      let inLine = false;
      for (let tries = 1; ; tries += 1) {
        const usual = performance.now() < carefulUntil ? "careful" : "ordinary";
        const manner = inLine ? "in line" : usual;
        try {
          return await attempt(work, manner);
        } catch (error) {
          const isNews = codeOf(error) === LOCKED && manner === "ordinary";
          if (isNews) {
            carefulUntil = performance.now() + CAREFUL_FOR_MS;
            holders.clear();
          }
          inLine ||= error instanceof InDemand;
          const atOnce = isNews || error instanceof InDemand;
          if (tries === MAX_ATTEMPTS || !(atOnce || mayRepeat(error))) throw asFailure(error);
          if (!atOnce) await sleep(Math.random() * 10 * 2 ** tries);
        }
      }
    },
    async session(work) {
      const client = await pool.connect();
      try {
        return await work({ query: (text, values) => run(client, text, values, PATIENT) });
      } catch (error) {
        throw asFailure(error);
      } finally {
        client.release(true);
      }
    },
    close: () => pool.end(),
  };
}

interface Statement {
  /** What it is prepared under. */
  readonly name: string;
  readonly writes: boolean;
}

const WRITES = /\b(?:insert|update|delete)\b/i;

/**
 * By the text alone, so that a name means the same in every process: behind a pooler that hands one
 * connection from one client to the next, a name by first use ran another process's statement.
 */
function nameOf(text: string): string {
  return `k${hash("sha256", text, "base64url")}`;
}

/** The driver prefers the address's word, but by its name a gateway is found: ours must win. */
function unnamed(connectionString: string): string {
  const url = URL.parse(connectionString);
  if (!url?.searchParams.has("application_name")) return connectionString;
  url.searchParams.delete("application_name");
  return url.href;
}

async function rolledBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query("rollback");
    return true;
  } catch {
    return false;
  }
}
