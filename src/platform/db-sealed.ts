// Checks that every sealed text opens, and seals all of them anew under another key.

import { type Queryable, rowsOf, type Tx } from "./db.ts";
import { type Secrets, sameDigest } from "./secret.ts";

export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The column that names the row; several rows may share its value. Without it: id. */
  readonly id?: string;
  readonly idType?: "uuid" | "text";
  /** What the text is, before the row's id. */
  readonly name: string;
  /** The associated data that the text is bound to. */
  readonly boundTo: (row: SealedRow) => string;
  /** A column with a keyed digest of the text; and other columns that the digest or the bond is made of. */
  readonly digest?: {
    readonly column: string;
    readonly of: (secrets: Secrets, text: string, row: SealedRow) => Buffer;
  };
  readonly reads?: readonly string[];
  readonly page?: number;
  /** A text that does not open is left as it is, and counted. */
  readonly mayBeLost?: boolean;
}

interface SealedRow {
  readonly id: string;
  readonly sealed: Buffer;
  readonly digest: Buffer | null;
  readonly [column: string]: unknown;
}

const PAGE = 1_000;

/** What does not open with this secret key, and each digest that is not its text's own, in words. */
export async function sealedFaults(
  db: Queryable,
  columns: readonly SealedColumn[],
  secrets: Secrets,
): Promise<string[]> {
  const faults: string[] = [];
  for (const column of columns) {
    for await (const page of pagesOf(db, column)) {
      for (const row of page) {
        const text = opened(secrets, column, row);
        const called = `${column.name} ${row.id}`;
        if (text === undefined) faults.push(`${called} does not open`);
        else if (!isOwnDigest(secrets, column, row, text))
          faults.push(`the digest of ${called} is not its own`);
      }
    }
  }
  return faults;
}

/** How many texts of each table were sealed anew, and how many that may be lost did not open. */
export async function reseal(
  tx: Tx,
  columns: readonly SealedColumn[],
  present: Secrets,
  next: Secrets,
): Promise<{ sealed: Record<string, number>; lost: number }> {
  const sealed: Record<string, number> = {};
  let lost = 0;
  for (const column of columns) {
    const { table, name, mayBeLost = false } = column;
    sealed[table] ??= 0;
    for await (const page of pagesOf(tx, column, "for no key update")) {
      const fresh = page.flatMap((row) => {
        const text = opened(present, column, row);
        if (text === undefined && !mayBeLost) throw new Error(`${name} ${row.id} does not open`);
        return text === undefined ? [] : [sealedAnew(next, column, row, text)];
      });
      await replace(tx, column, fresh);
      sealed[table] += fresh.length;
      lost += page.length - fresh.length;
    }
  }
  return { sealed, lost };
}

function opened(secrets: Secrets, { boundTo }: SealedColumn, row: SealedRow): string | undefined {
  try {
    return secrets.open(boundTo(row), row.sealed);
  } catch {
    return undefined;
  }
}

function isOwnDigest(
  secrets: Secrets,
  { digest }: SealedColumn,
  row: SealedRow,
  text: string,
): boolean {
  if (digest === undefined) return true;
  return row.digest !== null && sameDigest(row.digest, digest.of(secrets, text, row));
}

interface FreshText {
  readonly id: string;
  readonly was: Buffer;
  readonly sealed: Buffer;
  readonly digest: Buffer | undefined;
}

function sealedAnew(
  next: Secrets,
  { boundTo, digest }: SealedColumn,
  row: SealedRow,
  text: string,
): FreshText {
  return {
    id: row.id,
    was: row.sealed,
    sealed: next.seal(boundTo(row), text),
    digest: digest?.of(next, text, row),
  };
}

/** With ties, so that rows which share an id stand in one page. */
async function* pagesOf(
  db: Queryable,
  { table, column, id = "id", digest, reads = [], page = PAGE }: SealedColumn,
  lock = "",
): AsyncGenerator<SealedRow[]> {
  const columns = [`${id} as id`, `${column} as sealed`, `${digest?.column ?? "null"} as digest`];
  let last: string | undefined;
  while (true) {
    const rows: SealedRow[] = await db.query<SealedRow>(
      `select ${[...columns, ...reads].join(", ")} from ${table}
       where ${column} is not null ${last === undefined ? "" : `and ${id} > $1`}
       order by ${id} fetch first ${page} rows with ties ${lock}`,
      last === undefined ? [] : [last],
    );
    if (rows.length === 0) return;
    yield rows;
    last = rows.at(-1)?.id;
  }
}

/** An update of no row would still be taken for a change of the settings. */
async function replace(tx: Tx, one: SealedColumn, fresh: readonly FreshText[]): Promise<void> {
  if (fresh.length === 0) return;
  const { table, column, id = "id", idType = "uuid", digest } = one;
  const digestToo = digest === undefined ? "" : `, ${digest.column} = fresh.digest`;
  await tx.query(
    `update ${table} known set ${column} = fresh.sealed ${digestToo}
     from json_to_recordset($1) as fresh(id ${idType}, was bytea, sealed bytea, digest bytea)
     where known.${id} = fresh.id and known.${column} = fresh.was`,
    [rowsOf(fresh)],
  );
}
