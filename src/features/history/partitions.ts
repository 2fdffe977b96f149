// Tables of history in months: the act that divides them while the gateway works, and the months ahead. Guards
// that there is always a partition that takes a row: the last one is open to the end, and is cut while it is empty.

import { setTimeout as sleep } from "node:timers/promises";
import { startOfMonth } from "../../domain/month.ts";
import { type Db, type Queryable, REPEATABLE, type Tx } from "../../platform/db.ts";
import { LOCKED } from "../../platform/db-failure.ts";
import { codeOf, StartFailure } from "../../platform/failure.ts";
import { BEFORE_ALL_IDS, firstIdAt, momentOf } from "../../platform/id.ts";
import { claimOrders, countOrders, fillOrders } from "../invoices/order-queries.ts";
import {
  backendOf,
  countRows,
  cutPartitions,
  DIVIDED_TABLES,
  type Divided,
  divide,
  dividedTables,
  endAhead,
  isAlone,
  isAloneNow,
  newestAhead,
  partitionsOf,
  strangersOn,
  validateChecks,
  validateEnd,
  waitShortly,
  waitShortlyNow,
} from "./partition-queries.ts";

/** Beside the month that is now. */
const MONTHS_AHEAD = 2;

/**
 * Who waits for a whole table is waited for by everybody who comes after, so it is shortly, and shorter than the
 * second after which the server looks for deadlocks: it is never a payment that gives way.
 */
const LOCK_TIMEOUT_MS = 400;
const SHORTEST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 5_000;
/** Some minutes. */
const TRIES = 60;

/** One at a time changes partitions; undefined where somebody else does. */
export function changingPartitions<Result>(
  db: Db,
  work: (session: Queryable) => Promise<Result>,
): Promise<Result | undefined> {
  return db.session(async (session) => {
    if (!(await hasOwnConnection(db, session))) {
      throw new StartFailure("A pooler is in between: DATABASE_URL must be the server's own.");
    }
    if (!(await isAlone(session))) return undefined;
    await waitShortly(session, LOCK_TIMEOUT_MS);
    return work(session);
  });
}

/** A pooler that gives a connection for a transaction gives this one to whoever begins the next. */
async function hasOwnConnection(db: Db, session: Queryable): Promise<boolean> {
  const own = await backendOf(session);
  return db.transaction(async (tx) => {
    await backendOf(tx);
    return (await backendOf(session)) === own;
  });
}

/** Somebody else changes partitions now: for who tries again, as a lock that was waited for in vain. */
export class Busy extends Error {
  readonly code = LOCKED;
}

/** All of it or nothing, and alone. */
export async function inOneStep<Result>(
  session: Queryable,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  await session.query("begin isolation level read committed");
  try {
    if (!(await isAloneNow(session))) throw new Busy("somebody else changes the partitions");
    await waitShortlyNow(session, LOCK_TIMEOUT_MS);
    const tx: Tx = {
      ...{ kind: "tx", onCommit: (tell) => tell() },
      query: (text, values, plan) => session.query(text, values, plan),
      get closing() {
        return tx;
      },
    };
    const result = await work(tx);
    await session.query("commit");
    return result;
  } catch (error) {
    // Where the connection is lost, so is the transaction.
    await session.query("rollback").catch(() => {});
    throw error;
  }
}

/** Does what locks a whole table for a moment, again and again until it gets it. */
export async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
  let pauseMs = SHORTEST_PAUSE_MS;
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const code = codeOf(error);
      if (code !== LOCKED && !REPEATABLE.has(code)) throw error;
      if (tries === TRIES) {
        throw new StartFailure(
          "Somebody keeps a table in use for minutes (pg_stat_activity says who): try again later.",
        );
      }
    }
    await sleep(pauseMs);
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }
}

const ORDERS_AT_ONCE = 10_000;

/** Each step leaves everything working, and who was stopped goes on with it. */
export async function divideHistory(
  session: Queryable,
  now: Date,
  say: (line: string) => void,
): Promise<void> {
  const done = await dividedTables(session);
  const strange = done.length < DIVIDED_TABLES.length ? await strangersOn(session) : [];
  if (strange.length > 0) {
    throw new StartFailure(
      `What you have made on these tables would stay behind: ${strange.join(", ")}. Drop it, and make it anew afterwards.`,
    );
  }
  // Also where an older version has divided: its trigger claimed every order by a statement of its own.
  await patiently(() => claimOrders(session));
  if (!done.includes("invoices")) await rememberOrders(session, say);
  for (const table of DIVIDED_TABLES) {
    if (!done.includes(table)) {
      await patiently(() => validateChecks(session, table));
      await patiently(() => divide(session, table));
    }
    await makeAhead(session, table, now);
    await patiently(() => countRows(session, table));
    say(`${table}: in months`);
  }
}

async function rememberOrders(session: Queryable, say: (line: string) => void): Promise<void> {
  let orders = 0;
  for (let after: string | undefined = BEFORE_ALL_IDS; after !== undefined; ) {
    const from: string = after;
    after = await patiently(() => fillOrders(session, from, ORDERS_AT_ONCE));
    if (orders === 0) await patiently(() => countOrders(session));
    orders += ORDERS_AT_ONCE;
    if (orders % (10 * ORDERS_AT_ONCE) === 0) say(`${orders} orders remembered`);
  }
}

/** A row has come where there was none. */
const OVERTAKEN = "55006";

/** Makes the months that are missing up to those ahead; whether there were any. */
export async function makeAhead(session: Queryable, table: Divided, now: Date): Promise<boolean> {
  for (;;) {
    try {
      return await makeMissing(session, table, now);
    } catch (error) {
      if (codeOf(error) !== OVERTAKEN) throw error;
    }
  }
}

async function makeMissing(session: Queryable, table: Divided, now: Date): Promise<boolean> {
  const ahead = (await partitionsOf(session, table)).at(-1);
  if (ahead === undefined) return false;
  const last = startOfMonth(now, MONTHS_AHEAD + 1);
  if (ahead.fromId !== null && ahead.fromId >= firstIdAt(last)) return false;
  const newest = await newestAhead(session, table);
  const first =
    newest === undefined ? firstCut(ahead.fromId, now) : endOf(latest(now, momentOf(newest)));
  if (newest !== undefined) {
    const end = firstIdAt(first);
    await patiently(() => inOneStep(session, (tx) => endAhead(tx, table, ahead.fromId, end)));
    await patiently(() => inOneStep(session, (tx) => validateEnd(tx, table)));
  }
  const cuts = monthsFrom(first, last).map(firstIdAt);
  await patiently(() => inOneStep(session, (tx) => cutPartitions(tx, table, cuts)));
  return true;
}

/** The end of the month that an empty partition begins with. */
function firstCut(fromId: string | null, now: Date): Date {
  return fromId === null ? startOfMonth(now, 1) : startOfMonth(momentOf(fromId), 1);
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Of what is in use the end is set while nothing can reach it: to look at all of it takes time. */
function endOf(newest: Date): Date {
  const next = startOfMonth(newest, 1);
  return next.getTime() - newest.getTime() > DAY_MS ? next : startOfMonth(newest, 2);
}

function latest(one: Date, other: Date): Date {
  return one > other ? one : other;
}

/** Every beginning of a month from one on, up to another and at least one more. */
function monthsFrom(first: Date, last: Date): Date[] {
  const months = [first];
  let next = startOfMonth(first, 1);
  while (next <= last) {
    months.push(next);
    next = startOfMonth(next, 1);
  }
  return months;
}
