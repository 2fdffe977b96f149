// Connections through node-postgres: limits, age, statement names. A server that only reads is left at once.

import { hash } from "node:crypto";
import type { Writable } from "node:stream";
import pg from "pg";
import { withProof } from "./config.ts";
import { type Connections, GATEWAY, type Kept, LISTEN, type Plan } from "./db.ts";
import { isAway, isOfOldConnections, type Outage } from "./db-failure.ts";
import { codeOf } from "./failure.ts";
import type { Log } from "./log.ts";

const CONNECT_TIMEOUT_MS = 3_000;
/** Nobody is served meanwhile: a machine that is very busy may take its time. */
const ATTENDED_CONNECT_TIMEOUT_MS = 15_000;
const STATEMENT_TIMEOUT_MS = 10_000;
/** The server ends the transaction of a process that is frozen in its midst, and so frees its locks. */
const FROZEN_TIMEOUT_MS = 2_000;
/** Longer than that, so that a frozen process fails no other one. */
const LOCK_TIMEOUT_MS = 2_500;
/** What somebody who waits for a command bears. */
const ATTENDED_LOCK_TIMEOUT_MS = 5_000;
/** Past the server's own limit, for a connection that went silent. */
const SILENCE_TIMEOUT_MS = 15_000;

/**
 * The server's own figure is that of a spinning disk, for which it rather reads a whole period and sorts
 * it than go through an index in order: 80 ms for a page instead of 5, on a million invoices.
 */
const INDEXES_FIRST = "-c random_page_cost=1.1";

/** A list that somebody looks at takes no further processes of the server from those who pay. */
const ALONE = "-c max_parallel_workers_per_gather=0";

/**
 * Whatever a server's default is: locks and constraints decide here, and what they decide must be seen.
 * The option is for single statements; a pooler may drop it, so a transaction names its level again.
 */
const READ_COMMITTED = "-c default_transaction_isolation=read\\ committed";

/** Whatever a role or a database is set to: days and moments are written as this code reads them. */
const ONE_WAY_OF_WRITING = "-c DateStyle=ISO -c TimeZone=UTC -c array_nulls=on";

const OPTIONS = `${INDEXES_FIRST} ${ALONE} ${READ_COMMITTED} ${ONE_WAY_OF_WRITING}`;

/**
 * A role or a server can be set so that a commit is answered before it is on any disk, and lost where the
 * server crashes. Not as an option: whoever has set something else, such as waiting for a standby, keeps it.
 */
const WAITS_FOR_DISK = `select set_config('synchronous_commit', 'on', false)
  where current_setting('synchronous_commit') = 'off'`;

/** Said as options: the driver keeps a zero to itself, and the role's own limit would hold. */
const NO_LIMITS = "-c statement_timeout=0 -c idle_in_transaction_session_timeout=0";

/** For a command that somebody waits for: no limit but that on locks, and a name of its own. */
export const ATTENDED = {
  connectionTimeoutMillis: ATTENDED_CONNECT_TIMEOUT_MS,
  query_timeout: 0,
  statement_timeout: 0,
  idle_in_transaction_session_timeout: 0,
  options: `${OPTIONS} ${NO_LIMITS}`,
  lock_timeout: ATTENDED_LOCK_TIMEOUT_MS,
  application_name: "kopeck command",
} satisfies pg.PoolConfig;

export interface PoolCare {
  /** A connection is replaced when it is older, give or take a quarter, so that not all are at once. */
  readonly lifetimeMs?: number;
  /** A statement that takes longer is logged, without its values. */
  readonly slowStatementMs?: number;
  readonly outage?: Outage;
  readonly kept?: Kept;
}

export function openPool(options: pg.PoolConfig, log: Log, care: PoolCare) {
  const { lifetimeMs = Number.POSITIVE_INFINITY, slowStatementMs = Number.POSITIVE_INFINITY } =
    care;
  const { kept } = care;
  const { connectionString = "" } = options;
  const settings: pg.PoolConfig = {
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
    types: { getTypeParser },
    ...options,
    // Of one that is named twice the last counts.
    options: `${askedFor(connectionString, "options")} ${options.options ?? OPTIONS}`.trim(),
    ...(connectionString && { connectionString: withProof(withoutOurs(connectionString)) }),
  };
  const pool = new pg.Pool(settings);
  // A lost idle connection is no reason to stop: the pool opens another when it is next needed, and who
  // gets none says that the database is away.
  pool.on("error", (error) => log.debug({ err: error }, "an idle database connection was lost"));

  let goodUntil = new WeakMap<pg.PoolClient, number>();
  pool.on("connect", (client) => {
    // One that is lost while it is in use fails its query; without a listener it would end the process.
    client.on("error", () => {});
    sendTogether(client);
    // Ahead of whatever is sent over it; where it fails or is cancelled, no COMMIT is to follow.
    const first = connectionString ? WAITS_FOR_DISK : kept && LISTEN;
    if (first) client.query(first).catch(() => streamOf(client).destroy());
    client.on("notification", ({ channel }) => kept?.forget(channel));
    client.once("end", () => kept?.forget());
    goodUntil.set(client, performance.now() + lifetimeMs * (0.75 + Math.random() / 2));
  });

  const inShortage = openLine(pool, settings.connectionTimeoutMillis ?? CONNECT_TIMEOUT_MS);

  const timed = async <Result>(text: string, work: Promise<Result>): Promise<Result> => {
    const startedAt = performance.now();
    try {
      return await work;
    } finally {
      const ms = Math.round(performance.now() - startedAt);
      if (ms > slowStatementMs) {
        log.warn({ ms, statement: firstWords(text) }, "a statement took its time");
      }
    }
  };

  const statements = new Map<string, Statement>();
  const statementOf = (text: string): Statement => {
    let known = statements.get(text);
    if (known === undefined) {
      known = { name: nameOf(text), writes: WRITES.test(text) };
      statements.set(text, known);
    }
    return known;
  };

  return {
    /** A connection that is neither too old nor like one that was found to be of no use any more. */
    async take(): Promise<pg.PoolClient> {
      for (;;) {
        const client = await inShortage(() => pool.connect()).catch(asNoConnection);
        if (performance.now() < (goodUntil.get(client) ?? 0)) return client;
        client.release(true);
      }
    },
    /** Thrown away where the failure says so, or where its state is in doubt. */
    giveBack(client: pg.PoolClient, failure?: unknown, isInDoubt = isAway(failure)): void {
      client.release(isInDoubt);
      // After a failover the others lead there, too.
      if (isOfOldConnections(failure)) goodUntil = new WeakMap();
    },
    async run<Row>(
      client: pg.PoolClient,
      text: string,
      values: readonly unknown[] | undefined,
      plan: Plan = "kept",
      limits: Pick<pg.PoolConfig, "query_timeout"> = {},
    ): Promise<Row[]> {
      if (values === undefined) {
        const result = await timed(text, client.query({ text, ...limits }));
        // Several statements in one text give several results; nobody asks for their rows.
        return Array.isArray(result) ? [] : (result.rows as Row[]);
      }
      const statement = { text, values: values as unknown[], ...limits };
      const named = plan === "once" ? statement : { ...statement, name: statementOf(text).name };
      return (await timed(text, client.query(named))).rows as Row[];
    },
    writes: (text: string): boolean => statementOf(text).writes,
    connections: (): Connections => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: (): Promise<void> => pool.end(),
  };
}

/** What SQL calls a connection that fails. */
class NoConnection extends Error {
  readonly code = "08006";
}

/** Whoever gets none has met no server: a certificate that is not believed is as good as nobody there. */
function asNoConnection(error: unknown): never {
  if (isAway(error) || !(error instanceof Error)) throw error;
  throw new NoConnection(error.message, { cause: error });
}

/**
 * Statements that are asked in one turn of the event loop leave in one packet. Each write to a socket wakes
 * the server up, and in small sets those were half of what a set of details cost the gateway.
 */
function sendTogether(client: pg.PoolClient): void {
  const stream = streamOf(client);
  const ask = client.query.bind(client) as (...of: unknown[]) => unknown;
  const askTogether = (...of: unknown[]): unknown => {
    stream.cork();
    process.nextTick(() => stream.uncork());
    return ask(...of);
  };
  client.query = askTogether as typeof client.query;
}

function streamOf(client: pg.PoolClient): Writable {
  return (client as unknown as { connection: { stream: Writable } }).connection.stream;
}

const FIRST_WORDS = 100;

/** Values travel apart from the text, so there are none in it. */
function firstWords(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, FIRST_WORDS);
}

interface Statement {
  readonly name: string;
  readonly writes: boolean;
}

/** A row that is locked "for update" is not changed yet. Statistics are rows: their commit waits, too. */
const WRITES = /\b(?:insert|delete|analyze|vacuum|(?<!\b(?:for|key)\s)update)\b/i;

/**
 * By the text alone, so that a name means the same in every process: behind a pooler that hands one
 * connection from one client to the next, a name by first use ran another process's statement.
 */
function nameOf(text: string): string {
  return `k${hash("sha256", text, "base64url")}`;
}

/** Where the driver prefers the address's word: by its name a gateway is found, and by options it is kept right. */
const OURS = ["application_name", "options"];

function withoutOurs(address: string): string {
  const url = URL.parse(address);
  if (!OURS.some((name) => url?.searchParams.has(name))) return address;
  for (const name of OURS) url?.searchParams.delete(name);
  return url?.href ?? address;
}

function askedFor(connectionString: string, name: string): string {
  return URL.parse(connectionString)?.searchParams.get(name) ?? "";
}

const TIMESTAMPTZ = 1184;
const INT8 = 20;
const DATE = 1082;

/** Whole numbers come out as bigint, days as text, moments as Date. */
function getTypeParser(oid: number, format?: "text" | "binary"): (value: string) => unknown {
  if (oid === INT8) return BigInt;
  if (oid === DATE) return String;
  if (oid === TIMESTAMPTZ) return parseMoment;
  return pg.types.getTypeParser(oid, format === "binary" ? "text" : format) as (
    value: string,
  ) => unknown;
}

const parseAnyMoment = pg.types.getTypeParser(TIMESTAMPTZ) as (value: string) => Date;

/** The engine's own parsing of an ISO text is 5 times faster than the driver's. */
function parseMoment(value: string): Date {
  if (!value.endsWith("+00")) return parseAnyMoment(value);
  return new Date(`${value.slice(0, 10)}T${value.slice(11, -3)}Z`);
}

/** As many as the server takes, or as our role or database may have. */
const TOO_MANY = "53300";

/** Makes connections by what it is given, and waits in between where it has to. */
function openLine(pool: pg.Pool, mostMs: number) {
  // One whose line breaks while it is thrown away is removed twice.
  const living = new Set<pg.PoolClient>();
  pool.on("connect", (client) => living.add(client));
  pool.on("remove", (client) => living.delete(client));
  const line = new Set<() => void>();
  pool.on("release", () => {
    for (const wake of line) {
      line.delete(wake);
      return wake();
    }
  });
  const oneIsFree = async (withinMs: number): Promise<void> => {
    if (pool.idleCount > 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, withinMs);
    line.add(resolve);
    await promise;
    line.delete(resolve);
    clearTimeout(timer);
  };
  return async (connect: () => Promise<pg.PoolClient>): Promise<pg.PoolClient> => {
    const untilMs = performance.now() + mostMs;
    if (line.size > 0) await oneIsFree(mostMs);
    for (;;) {
      try {
        return await connect();
      } catch (error) {
        const leftMs = untilMs - performance.now();
        if (codeOf(error) !== TOO_MANY || living.size === 0 || leftMs <= 0) throw error;
        await oneIsFree(leftMs);
      }
    }
  };
}
