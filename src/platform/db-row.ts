// SQL for single tables, put together from names: rows by key, added, changed, walked by id.

import { type Queryable, rowsOf, type Tx } from "./db.ts";
import { AFTER_ALL_IDS, BEFORE_ALL_IDS } from "./id.ts";

export interface RowSource {
  readonly from: string;
  readonly columns: string;
  readonly join?: string;
  /** The column that they are found and ordered by; id without it. */
  readonly keyColumn?: string;
}

/** Those that have these values, each by its column's name with its table; the first first. */
export function findRows<Row>(
  db: Queryable,
  { columns, from, join = "", keyColumn = "id" }: RowSource,
  values: Readonly<Record<string, string>>,
  tail: "" | "for no key update" = "",
): Promise<Row[]> {
  const wanted = Object.keys(values).map((column, index) => `${column} = $${index + 1}`);
  return db.query<Row>(
    `select ${columns} from ${from} row ${join} where ${wanted.join(" and ") || "true"}
     order by row.${keyColumn} ${tail}`,
    Object.values(values),
  );
}

/**
 * Adds rows whose fields are called as the columns: "insert into users (id, name)" says which, the table
 * itself of what type they are. What a row does not have is null.
 */
export function addRows<Row>(
  tx: Tx,
  insert: string,
  rows: readonly object[],
  tail = "",
): Promise<Row[]> {
  const [, table, columns] = /^insert into (\w+) \(([^)]+)\)$/.exec(insert) ?? [];
  return tx.query<Row>(
    `${insert} select ${columns} from json_populate_recordset(null::${table}, $1) ${tail}`,
    [rowsOf(rows)],
  );
}

/** Changes the row with this id: "update shops set" and what its columns are from now on. */
export async function changeRow(
  tx: Tx,
  update: string,
  id: string,
  values: Readonly<Record<string, unknown>>,
): Promise<void> {
  const columns = Object.keys(values).map((name, index) => `${name} = $${index + 2}`);
  await tx.query(`${update} ${columns.join(", ")} where id = $1`, [id, ...Object.values(values)]);
}

/** Locks those of these rows that no other session holds, in the order of their ids. */
export async function lockAvailable(
  tx: Tx,
  table: "invoices" | "payments" | "ledger_freezes",
  ids: readonly string[],
): Promise<string[]> {
  const column = table === "ledger_freezes" ? "payment_id" : "id";
  const rows = await tx.query<{ id: string }>(
    `select ${column} as id from ${table} where ${column} = any($1::uuid[])
     order by ${column} for no key update skip locked`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

const PIECE_MS = 500;
const MAX_ROWS = 50_000;
const GROWTH = 4;

/**
 * Piece by piece, from before all ids to after all: each begins where the one before it has ended, and
 * grows or shrinks with the time that it took.
 */
export async function inPieces(
  work: (after: string, rows: number) => Promise<string>,
): Promise<void> {
  let [after, rows] = [BEFORE_ALL_IDS, 1];
  while (after !== AFTER_ALL_IDS) {
    const startedAt = performance.now();
    after = await work(after, rows);
    const fitting = (rows * PIECE_MS) / (performance.now() - startedAt);
    rows = Math.ceil(Math.min(fitting, rows * GROWTH, MAX_ROWS));
  }
}

/** The next ids after one, in their order, and before another. */
export async function nextIds(
  db: Queryable,
  table: string,
  range: { readonly after: string; readonly before: string },
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select id from ${table} where id > $1 and id < $2 order by id limit $3`,
    [range.after, range.before, limit],
  );
  return rows.map(({ id }) => id);
}
