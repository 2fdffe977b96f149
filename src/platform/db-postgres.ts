// Statements, transactions and retries through node-postgres, with a circuit breaker for commits.

import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { type Db, type Plans, type Queryable, TAKES_WRITES, type Tx } from "./db.ts";
import { commitWaits, standbyIsMissed } from "./db-clock.ts";
import {
  asFailure,
  isAway,
  isOfOldConnections,
  isSilent,
  LockTimeout,
  mayRepeat,
  OutcomeUnknown,
  TAKES_PAGES,
  wasNotSent,
} from "./db-failure.ts";
import { openPool, type PoolCare } from "./db-pool.ts";
import { codeOf, HttpFailure } from "./failure.ts";
import type { Log } from "./log.ts";

const PROBE_EVERY_MS = 1_000;

/**
 * Without it every further transaction would leave one more connection behind, eight in 15 s, until the
 * server has none left for anybody. What waits is neither cancelled nor ended: that would show others
 * what no standby has, which is what the waiting is for. Whether one still waits that has waited so long
 * is asked without a commit of its own.
 */
function openBreaker(db: Queryable, log: Log) {
  let trippedAt: number | undefined;
  let hasLooked = false;
  const look = async (since: number): Promise<void> => {
    // A server that does not even answer this is no reason to try more.
    const waits = await commitWaits(db, performance.now() - since).catch(() => true);
    if (waits) return later(since);
    trippedAt = undefined;
    log.info({}, "commits are answered again, or their server is gone: transactions go on");
  };
  const later = (since: number): void => {
    setTimeout(() => void look(since), PROBE_EVERY_MS).unref();
  };
  /** A commit was sent and no answer came. */
  const trip = (): void => {
    if (trippedAt !== undefined) return;
    trippedAt = performance.now();
    log.error({}, "commits are not answered: transactions are refused until they are");
    later(trippedAt);
  };
  /** Refuses what would have to be committed, while commits are not answered. */
  const check = (): void => {
    if (trippedAt === undefined) return;
    const failure = new HttpFailure("unavailable");
    failure.cause = new Error("commits are not answered: is a synchronous standby lost?");
    throw failure;
  };
  return {
    trip,
    check,
    /**
     * The same; but one that is new here learns from what others have left waiting: started again and
     * again, it would leave its own share behind every time.
     */
    async pass(): Promise<void> {
      if (!hasLooked) {
        if (await standbyIsMissed(db)) trip();
        hasLooked = true;
      }
      check();
    },
  };
}

const MAX_ATTEMPTS = 5;

/** What a session waits for an answer: the longest that a timer can be set to, 24 days. */
const PATIENT = { query_timeout: 2 ** 31 - 1 };

/** Named again, because a pooler may have dropped the connection's own. */
const BEGIN = "begin isolation level read committed";

/**
 * Such a plan is kept while its tables grow, and one that was made while a table was small read all of it: in the
 * first minutes of a new installation, crediting a set of transfers took 44 ms instead of 5.
 */
const WITH_ONE_PLAN =
  "; set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off; set local jit = off";

/** What every further statement hears once one has failed. */
const ABORTED = "25P02";

export function openPostgres(options: pg.PoolConfig, log: Log, care: PoolCare = {}): Db {
  const pool = openPool(options, log, care);
  const breaker = openBreaker({ query: (...asked) => ask(...asked) }, log);
  const inside = new AsyncLocalStorage<true>();
  const attempt = async <Result>(
    work: (tx: Tx) => Promise<Result>,
    plans: Plans | undefined,
    onCommit: Tx["onCommit"],
  ): Promise<Result> => {
    await breaker.pass();
    const client = await pool.take();
    let committing = false;
    let isOver = false;
    let firstFailure: unknown;
    try {
      // Whoever has waited for a connection may have got the place of one that is waited for in vain.
      breaker.check();
      const begun = client.query(BEGIN + (plans === undefined ? "" : WITH_ONE_PLAN));
      begun.catch((error: unknown) => {
        firstFailure ??= error;
      });
      let inOrder: Promise<unknown> | undefined;
      const query: Tx["query"] = async (text, values, plan) => {
        try {
          // What only reads or locks does not wait for the beginning. What changes anything does, and all
          // that comes after it: a BEGIN can be cancelled, and the rest would be done outside of it.
          if (values === undefined || pool.writes(text)) inOrder ??= begun;
          if (inOrder !== undefined) await inOrder;
          if (isOver) throw new Error("The transaction is over.");
          const rows = await pool.run<never>(client, text, values, plan);
          await begun;
          return rows;
        } catch (error) {
          firstFailure ??= error;
          throw error;
        }
      };
      const lasts: (() => Promise<unknown>)[] = [];
      const last: Tx["query"] = async (text, values, plan) => {
        if (isOver) throw new Error("The transaction is over.");
        lasts.push(() => pool.run(client, text, values, plan));
        return [];
      };
      const tx = openTx({ query, onCommit }, last);
      const result = await inside.run(true, work, tx);
      await begun;
      isOver = true;
      breaker.check();
      committing = true;
      const sent = lasts.map((send) =>
        send().catch((error: unknown) => {
          firstFailure ??= error;
        }),
      );
      const { command } = await client.query("commit");
      if (command !== "COMMIT") {
        // It certainly did not happen. Why may be heard after the answer that follows from it.
        committing = false;
        await Promise.all(sent);
        // Where a failure was swallowed by the work, the server says so only here, and not as an error.
        throw sent.length > 0 && firstFailure !== undefined
          ? firstFailure
          : new Error("A commit was answered by a rollback.");
      }
      pool.giveBack(client);
      return result;
    } catch (caught) {
      // A statement that went along hears only that something failed, and may be heard before it. A commit hears
      // only that the connection is lost where what left with it was told why.
      const isHearsay = codeOf(caught) === ABORTED || (committing && wasNotSent(firstFailure));
      const error = isHearsay ? (firstFailure ?? caught) : caught;
      // One part of the work has failed; another one that goes on must not go on outside of it.
      isOver = true;
      // A connection whose state is in doubt is thrown away rather than returned to the pool.
      const clean = !isAway(error) && !committing && (await rolledBack(client));
      pool.giveBack(client, error, !clean);
      if (committing && isSilent(error)) breaker.trip();
      if (isAway(error) && committing && !wasNotSent(error)) throw new OutcomeUnknown(error);
      throw error;
    }
  };

  const ask: Queryable["query"] = async (text, values, plan) => {
    const writes = plan !== "once" && pool.writes(text);
    if (writes) await breaker.pass();
    for (let tries = 1; ; tries += 1) {
      const client = await pool.take();
      try {
        if (writes) breaker.check();
        const rows = await pool.run<never>(client, text, values, plan);
        pool.giveBack(client);
        return rows;
      } catch (error) {
        pool.giveBack(client, error);
        // The server's own limit is shorter: what took longer than that was not the statement.
        if (writes && isSilent(error)) breaker.trip();
        if (tries > 1 || !isOfOldConnections(error)) throw error;
      }
    }
  };

  const query: Queryable["query"] = async (text, values, plan) => {
    // On an engine with one connection this would wait for itself for ever.
    if (inside.getStore()) throw new Error("Inside a transaction use its tx, not the database.");
    try {
      return await ask(text, values, plan);
    } catch (error) {
      throw noted(error);
    }
  };

  /** Asked past those who count failures. */
  const answers = async (needsPages: boolean): Promise<boolean> => {
    try {
      if (needsPages) await ask(TAKES_PAGES);
      const [row] = await ask<{ writes: boolean }>(TAKES_WRITES, []);
      return row?.writes === true;
    } catch {
      return false;
    }
  };
  const noted = (error: unknown): unknown => {
    const failure = asFailure(error);
    if (failure !== error && !(failure instanceof LockTimeout)) care.outage?.note(error, answers);
    return failure;
  };

  return {
    query,
    async transaction(work, plans) {
      for (let tries = 1; ; tries += 1) {
        const tells: (() => void)[] = [];
        let result: Awaited<ReturnType<typeof work>>;
        try {
          result = await attempt(work, plans, (tell) => tells.push(tell));
        } catch (error) {
          if (tries === MAX_ATTEMPTS || !mayRepeat(error)) throw noted(error);
          await sleep(Math.random() * 10 * 2 ** tries);
          continue;
        }
        for (const tell of tells) {
          // The work is done: an error here must not fail the call, or the caller would do it twice.
          try {
            tell();
          } catch (error) {
            log.error({ err: error }, "a step after the commit failed");
          }
        }
        return result;
      }
    },
    async session(work) {
      let client: pg.PoolClient | undefined;
      try {
        const own = await pool.take();
        client = own;
        return await work({
          query: (text, values, plan) => pool.run(own, text, values, plan, PATIENT),
        });
      } catch (error) {
        throw noted(error);
      } finally {
        if (client) pool.giveBack(client, undefined, true);
      }
    },
    connections: pool.connections,
    outage: care.outage,
    close: pool.close,
  };
}

function openTx(handle: Pick<Tx, "query" | "onCommit">, last: Tx["query"]): Tx {
  const closing: Tx = {
    ...handle,
    kind: "tx",
    query: last,
    get closing() {
      return closing;
    },
  };
  return { ...handle, kind: "tx", closing };
}

async function rolledBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query("rollback");
    return true;
  } catch {
    return false;
  }
}
