// The contract with the database: query, transaction, session. Both engines use one driver.

import { setTimeout as sleep } from "node:timers/promises";
import type { Outage } from "./db-failure.ts";
import { codeOf, HttpFailure, isFailure } from "./failure.ts";

export type Plan = "kept" | "once";

export interface Queryable {
  /**
   * With values the statement is prepared once per connection under a name; without, the text is
   * sent as it is and may hold several statements. bigint columns come back as bigint, moments as
   * Date, bytea as Buffer. One whose text is put together from what was asked for is planned once and
   * forgotten: there are thousands of such texts, and a connection keeps what it has prepared.
   */
  query<Row>(text: string, values?: readonly unknown[], plan?: Plan): Promise<Row[]>;
}

/** A transaction under way. Functions that write take one, and so join their caller's. */
export interface Tx extends Queryable {
  readonly kind: "tx";
  /** Called once after the commit, for metrics and logs. An error of it is logged and fails no call. */
  onCommit(tell: () => void): void;
  /**
   * For what the work ends with: a statement that is asked of it leaves together with the commit, after all
   * others, which saves a flight. Nobody hears its rows, none are told; where it fails, nothing happened.
   */
  readonly closing: Tx;
}

/**
 * Bulkheads: each kind of caller has connections of its own, so that what takes its time for one keeps no
 * other waiting. The embedded engine has one connection for all of them.
 */
export type Callers = "merchants" | "payers" | "operators" | "cabinet" | "jobs";

export interface Connections {
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
}

/**
 * Each statement of a transaction has one plan, whatever its values are. Left to itself the server finds a plan for
 * very few values cheaper than the kept one, and makes it anew each time: 0.2 to 0.5 ms, longer than it takes to run.
 * Only for statements that one plan is good for.
 */
export type Plans = "one plan";

export interface Db extends Queryable {
  /** Commits when the work resolves; leaving it by a throw is the rollback. */
  transaction<Result>(work: (tx: Tx) => Promise<Result>, plans?: Plans): Promise<Result>;
  /**
   * One connection for the work alone, which says itself where a transaction begins and ends, and waits
   * for answers however long they take. It is thrown away afterwards, with all that was set on it.
   */
  session<Result>(work: (session: Queryable) => Promise<Result>): Promise<Result>;
  /** What was read, kept until it changes; only of an engine that nobody else writes to. */
  readonly keep?: Keep;
  connections?(): Connections;
  readonly outage?: Outage | undefined;
  close(): Promise<void>;
}

/** A concurrent transaction has changed what this one has read: retried like the database's own failure. */
export class SerializationFailure extends Error {
  readonly code = "40001";
}

/** Begun anew the same may succeed: a serialization failure, a deadlock. */
export const REPEATABLE: ReadonlySet<unknown> = new Set(["40001", "40P01"]);

/**
 * Whether the same may succeed later, whatever the rows are: the database is away, or in a rush. Such a failure says
 * when to come again; a refusal is about the rows, and stays one.
 */
export function mayPass(error: unknown): boolean {
  const isRush = isFailure(error) && error.retryAfterSeconds !== undefined;
  return isRush || REPEATABLE.has(codeOf(error));
}

/** A set of rows as one parameter, for json_to_recordset: numbers of money keep all their digits. */
export function rowsOf(rows: readonly object[]): string {
  // 3.5 µs for a row of 16 columns; with a replacer, which is asked about every value, 6.6 µs.
  return JSON.stringify(rows.map(jsonRow));
}

/** What is null is left out: a column that is not there is null, too. */
function jsonRow(row: object): object {
  const plain: Record<string, unknown> = {};
  for (const name in row) {
    const value: unknown = row[name as keyof typeof row];
    if (value === null) continue;
    if (typeof value === "bigint") plain[name] = String(value);
    else plain[name] = typeof value === "object" ? jsonObject(value) : value;
  }
  return plain;
}

function jsonObject(value: object | null): unknown {
  if (value instanceof Date) return isoText(value);
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : value;
}

let lastInstant = Number.NaN;
let lastText = "";

/** The rows of a set mostly share their moments, and writing one takes 1 µs. */
function isoText(moment: Date): string {
  const instant = moment.getTime();
  if (instant !== lastInstant) {
    lastText = moment.toISOString();
    lastInstant = instant;
  }
  return lastText;
}

/**
 * Nothing is written, and everything is seen as it was at one moment; the transaction's first act. What is
 * read so is planned as large and mostly is not: compiling a statement of kopeck verify took ten times as
 * long as running it.
 */
export async function onlyRead(tx: Tx): Promise<void> {
  await tx.query(
    "set transaction isolation level repeatable read read only; set local jit = off; set local enable_seqscan = on",
  );
}

/** What a gateway calls its connections, as against those of a command. */
export const GATEWAY = "kopeck";

/** How one that knows the next secret key calls them, so that rotating finds the others. */
export function gatewayName(nextKeyIds: readonly Buffer[]): string {
  return [GATEWAY, ...nextKeyIds.map((id) => `knows ${id.toString("hex")}`)].join(", ");
}

export const OF_GATEWAYS = `datname = current_database() and application_name ~ '^${GATEWAY}(,|$)'`;

/**
 * Whether a gateway is connected, other than those with this name; of the embedded engine there is never
 * more than one user.
 */
export async function isServed(db: Queryable, apartFrom = ""): Promise<boolean> {
  // A transaction would see what it has seen first.
  await db.query("select pg_stat_clear_snapshot()", []);
  const rows = await db.query(
    `select from pg_stat_activity where ${OF_GATEWAYS} and application_name <> $1 limit 1`,
    [apartFrom],
  );
  return rows.length > 0;
}

/** The same for who refuses because of it: one that has just stopped is not held against anybody. */
export async function staysServed(db: Queryable, apartFrom = ""): Promise<boolean> {
  for (let look = 0; look < LOOKS; look += 1) {
    if (!(await isServed(db, apartFrom))) return false;
    await sleep(LOOK_AGAIN_MS);
  }
  return true;
}

/** The connections of one that has just stopped are seen for a moment longer. */
const LOOKS = 10;
const LOOK_AGAIN_MS = 100;

/** What a server that only reads says of a write: a standby, after a failover the one that was left. */
export const ONLY_READS = "25006";

class OnlyReads extends Error {
  readonly code = ONLY_READS;
}

const ANSWER_WITHIN_MS = 2_000;

export const TAKES_WRITES = `select not pg_is_in_recovery()
                and not current_setting('transaction_read_only')::boolean as writes`;

/**
 * Nothing where it answers, and would take a write: a standby, one that was told to only read, or one whose disk is
 * full, does not.
 * Else what whoever asks is told.
 */
export async function databaseFailure(db: Db): Promise<HttpFailure | undefined> {
  if (db.outage?.isFull()) return new HttpFailure("unavailable");
  const late = new Promise<HttpFailure>((resolve) => {
    setTimeout(resolve, ANSWER_WITHIN_MS, new HttpFailure("unavailable")).unref();
  });
  // A transaction, because that is what is refused while commits are not answered.
  const answered = db.transaction(async (tx) => {
    const [row] = await tx.query<{ writes: boolean }>(TAKES_WRITES, []);
    // Thrown, so that the connection is given up: the next one may lead to a server that writes.
    if (!row?.writes) throw new OnlyReads();
  });
  const failure = answered.then(
    () => undefined,
    (error: Error) =>
      new HttpFailure(codeOf(error.cause) === ONLY_READS ? "no_writes" : "unavailable"),
  );
  return Promise.race([failure, late]);
}

/** What the database tells of; see settings_changed() in the migrations. */
const TOLD_OF = ["settings_changed"] as const;

type ToldOf = (typeof TOLD_OF)[number];

type Keep = <Value>(until: ToldOf, read: () => Promise<Value>) => Promise<Value>;

/** Asked first on a connection that is to be told. */
export const LISTEN: string = TOLD_OF.map((name) => `listen ${name}`).join("; ");

export function openKept() {
  const values = new Map<string, Promise<unknown>>();
  const keep: Keep = (until, read) => {
    const known = values.get(until);
    if (known !== undefined) return known as ReturnType<typeof read>;
    const value = read();
    values.set(until, value);
    value.catch(() => {
      if (values.get(until) === value) values.delete(until);
    });
    return value;
  };
  return {
    keep,
    forget(name?: string): void {
      if (name === undefined) values.clear();
      else values.delete(name);
    },
  };
}

export type Kept = ReturnType<typeof openKept>;

/** Another one after every change of a key, token, shop, tariff or service; see migrations/01_settings.sql. */
export function settingsVersion(db: Db): Promise<bigint> {
  const read = async (): Promise<bigint> => {
    const [row] = await db.query<{ version: bigint }>("select version from settings_version", []);
    return row?.version ?? 0n;
  };
  return db.keep?.("settings_changed", read) ?? read();
}
