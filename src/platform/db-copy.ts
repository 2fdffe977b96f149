// Copies every table of one database into another that has the same tables. The tables, their order
// and their keys come from the catalogue, so that a table of a later migration cannot be forgotten.
// Guards that nothing is lost on the way: rows travel as JSON text, in which numbers keep all digits.

import type { Queryable, Tx } from "./db.ts";

export interface CopiedTable {
  readonly table: string;
  readonly rows: number;
}

const PAGE_ROWS = 1_000;

interface Table {
  readonly name: string;
  /** The first column of the primary key, and its type. */
  readonly key: string | null;
  readonly key_type: string | null;
  /** The other tables that its rows point to. */
  readonly needs: readonly string[];
}

const IN_SCHEMA = "class.relkind = 'r' and class.relnamespace = current_schema()::regnamespace";

export async function tableNames(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `select class.relname as name from pg_class class where ${IN_SCHEMA} order by 1`,
    [],
  );
  return rows.map(({ name }) => name);
}

/** What a row points to by a foreign key comes before it; otherwise the older table does. */
async function tablesInOrder(db: Queryable): Promise<Table[]> {
  const tables = await db.query<Table>(
    `select class.relname as name, quote_ident(attribute.attname) as key,
            format_type(attribute.atttypid, null) as key_type,
            array(select distinct confrelid::regclass::text from pg_constraint
                  where contype = 'f' and conrelid = class.oid and confrelid <> class.oid) as needs
     from pg_class class
     left join pg_index index on index.indrelid = class.oid and index.indisprimary
     left join pg_attribute attribute
       on attribute.attrelid = class.oid and attribute.attnum = index.indkey[0]
     where ${IN_SCHEMA}
     order by class.oid`,
    [],
  );
  const ordered: Table[] = [];
  const placed = new Set<string>();
  while (ordered.length < tables.length) {
    const next = tables.find(
      ({ name, needs }) => !placed.has(name) && needs.every((need) => placed.has(need)),
    );
    if (next === undefined) throw new Error("The tables point to each other in a circle.");
    placed.add(next.name);
    ordered.push(next);
  }
  return ordered;
}

/**
 * Both sides see one moment: the caller's transactions. What the target's migrations have put there
 * is replaced, because the source's own may have been changed since.
 */
export async function copyTables(
  source: Tx,
  target: Tx,
  onTable: (copied: CopiedTable) => void,
): Promise<void> {
  const tables = await tablesInOrder(source);
  // Triggers guard what is written row by row in its own order; a copy is whole only at its end.
  const triggers = async (act: "disable" | "enable"): Promise<void> => {
    for (const { name } of tables) await target.query(`alter table ${name} ${act} trigger user`);
  };
  await triggers("disable");
  for (const { name } of tables.toReversed()) await emptyTable(target, name);
  for (const table of tables) {
    let rows = 0;
    for await (const page of pagesOf(source, table)) {
      await target.query(
        `insert into ${table.name} select * from json_populate_recordset(null::${table.name}, $1)`,
        [`[${page.join(",")}]`],
      );
      rows += page.length;
    }
    onTable({ table: table.name, rows });
  }
  await copySequences(source, target);
  await triggers("enable");
}

/** What they give out next comes after what was copied. */
async function copySequences(source: Tx, target: Tx): Promise<void> {
  const sequences = await source.query<{ name: string; last: bigint | null }>(
    `select quote_ident(sequencename) as name, last_value as last from pg_sequences
     where schemaname = current_schema()`,
    [],
  );
  for (const { name, last } of sequences) {
    if (last !== null) await target.query("select setval($1::regclass, $2)", [name, last]);
  }
}

/** An empty one is left alone: some tables refuse a deletion whatever it would delete. */
async function emptyTable(target: Tx, name: string): Promise<void> {
  if ((await countRows(target, name)) > 0) await target.query(`delete from ${name}`, []);
}

interface Line {
  readonly line: string;
  /** Where the next page goes on. */
  readonly last: string;
}

/** Rows that share the first column of their key come in one page, and so are written by one statement. */
async function* pagesOf(source: Tx, { name, key, key_type: type }: Table) {
  if (key === null) throw new Error(`The table ${name} has no primary key to read it by.`);
  const page = (where: string): string =>
    `select row_to_json(row)::text as line, row.${key}::text as last from ${name} row ${where}
     order by row.${key} fetch first ${PAGE_ROWS} rows with ties`;
  let rows = await source.query<Line>(page(""), []);
  while (rows.length > 0) {
    yield rows.map(({ line }) => line);
    rows = await source.query<Line>(page(`where row.${key} > $1::${type}`), [rows.at(-1)?.last]);
  }
}

export async function countRows(db: Queryable, table: string): Promise<number> {
  const [row] = await db.query<{ rows: bigint }>(`select count(*) as rows from ${table}`, []);
  return Number(row?.rows ?? 0);
}
