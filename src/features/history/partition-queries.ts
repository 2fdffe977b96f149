// The tables of history as partitions: every statement that divides one, and that makes the next months. What
// changes many things at once stands in the database as a function (migrations/0025_months.sql).

import type { Queryable } from "../../platform/db.ts";

/** What lies in months, and by which id: postings by what they are of, because that is their key. */
const DIVIDED = {
  invoices: "id",
  payments: "id",
  events: "id",
  ledger_postings: "source_id",
} as const;

export type Divided = keyof typeof DIVIDED;

export const DIVIDED_TABLES = Object.keys(DIVIDED) as Divided[];

/** Any number that no other program on the same database takes by accident. */
const LOCK = 7_061_112_032;

/** Whether nobody else changes partitions until this session ends. */
export async function isAlone(session: Queryable): Promise<boolean> {
  const [row] = await session.query<{ locked: boolean }>(
    "select pg_try_advisory_lock($1) as locked",
    [LOCK],
  );
  return row?.locked === true;
}

/** The same until a transaction ends, wherever a pooler has it done. */
export async function isAloneNow(tx: Queryable): Promise<boolean> {
  const [row] = await tx.query<{ locked: boolean }>(
    "select pg_try_advisory_xact_lock($1) as locked",
    [LOCK],
  );
  return row?.locked === true;
}

/** Which of the server's processes answers. */
export async function backendOf(db: Queryable): Promise<number | undefined> {
  const [row] = await db.query<{ pid: number }>("select pg_backend_pid() as pid");
  return row?.pid;
}

/**
 * A statement takes as long as it takes, and does not wait for a lock. Who is silent between two of them for longer
 * than any pause here was stopped, or is gone: the server ends the session, and others go on.
 */
export async function waitShortly(session: Queryable, lockTimeoutMs: number): Promise<void> {
  await session.query(
    `set statement_timeout = 0; set idle_in_transaction_session_timeout = '30s';
     set idle_session_timeout = '30s'; set lock_timeout = ${lockTimeoutMs}`,
  );
}

/** The same for a transaction alone. Who is stopped in it may have everything locked, and is not waited for. */
export async function waitShortlyNow(tx: Queryable, lockTimeoutMs: number): Promise<void> {
  await tx.query(
    `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = '3s';
     set local lock_timeout = ${lockTimeoutMs}`,
  );
}

/** Those that lie in months already. */
export async function dividedTables(db: Queryable): Promise<Divided[]> {
  const rows = await db.query<{ name: Divided }>(
    `select relname as name from pg_class
     where relkind = 'p' and oid = any(array(select to_regclass(name) from unnest($1::text[]) name))`,
    [DIVIDED_TABLES],
  );
  return rows.map(({ name }) => name);
}

export interface Partition {
  readonly name: string;
  /** Null where it has no beginning, or no end. */
  readonly fromId: string | null;
  readonly beforeId: string | null;
}

/** In the order of their ids. */
export function partitionsOf(db: Queryable, table: Divided): Promise<Partition[]> {
  return db.query<Partition>(
    `select name, from_id as "fromId", before_id as "beforeId" from partitions_of($1)`,
    [table],
  );
}

/** The views of these tables that are ours: they are made anew with the table. */
const OWN_VIEWS = [
  ...["bank_facts", "event_states", "hook_facts"],
  ...["ledger_entries", "tally_cohorts", "tally_facts"],
];

/**
 * What an operator has made on these tables and would stay with the first partition, in words: it would show, guard or
 * send that one alone from then on.
 */
export async function strangersOn(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ what: string }>(
    `with divided as (select to_regclass(name)::oid as id from unnest($1::text[]) name)
     select distinct 'the view ' || view.oid::regclass as what
     from pg_depend join pg_rewrite on pg_rewrite.oid = objid and classid = 'pg_rewrite'::regclass
     join pg_class view on view.oid = ev_class
     where refobjid in (select id from divided)
       and (view.relname <> all($2) or view.relnamespace <> current_schema()::regnamespace)
     union all
     select 'the foreign key of ' || conrelid::regclass from pg_constraint
     where contype = 'f' and confrelid in (select id from divided)
     union all
     select 'the publication ' || quote_ident(pubname) from pg_publication_rel
     join pg_publication on pg_publication.oid = prpubid where prrelid in (select id from divided)
     union all
     select 'the row security of ' || oid::regclass from pg_class
     where oid in (select id from divided) and relrowsecurity
     union all
     select distinct 'the rights to columns of ' || attrelid::regclass from pg_attribute
     where attrelid in (select id from divided) and attacl is not null
     order by 1`,
    [DIVIDED_TABLES, OWN_VIEWS],
  );
  return rows.map(({ what }) => what);
}

/** Checks that a migration has left for later: a table that is attached has none of these. */
export async function validateChecks(db: Queryable, table: Divided): Promise<void> {
  const checks = await db.query<{ name: string }>(
    `select quote_ident(conname) as name from pg_constraint
     where conrelid = $1::text::regclass and contype = 'c' and not convalidated`,
    [table],
  );
  for (const { name } of checks) {
    await db.query(`alter table ${table} validate constraint ${name}`);
  }
}

/** The whole table becomes the only partition of a new one of its name; nothing of it is read. */
export async function divide(db: Queryable, table: Divided): Promise<void> {
  await db.query("select partition_table($1, $2)", [table, DIVIDED[table]], "once");
}

/** For the planner: the server counts the rows of partitions by itself, and never those of the table that they make. */
export async function countRows(db: Queryable, table: Divided): Promise<void> {
  await db.query(`analyze ${table}`);
}

/** The newest key of the partition that is open to the end; undefined while it is empty. */
export async function newestAhead(db: Queryable, table: Divided): Promise<string | undefined> {
  const key = DIVIDED[table];
  const [row] = await db.query<{ key: string }>(
    `select ${key} as key from ${table}_ahead order by ${key} desc limit 1`,
  );
  return row?.key;
}

/** Nothing at or after an id is taken there any more. */
export async function endAhead(
  db: Queryable,
  table: Divided,
  fromId: string | null,
  beforeId: string,
): Promise<void> {
  const key = DIVIDED[table];
  const begins = fromId === null ? "" : `${key} >= '${fromId}' and`;
  await db.query(
    `alter table ${table}_ahead drop constraint if exists ends,
       add constraint ends check (${begins} ${key} < '${beforeId}') not valid`,
  );
}

/** Reads all of it, and nobody waits. */
export async function validateEnd(db: Queryable, table: Divided): Promise<void> {
  await db.query(`alter table ${table}_ahead validate constraint ends`);
}

/** Where it is cut, and where it begins from now on. */
export async function cutPartitions(
  db: Queryable,
  table: Divided,
  cuts: readonly string[],
): Promise<void> {
  await db.query("select cut_partitions($1, $2)", [table, cuts], "once");
}
