// One page of a table, newest first, from the place where the page before it ended. Guards that a page
// costs the same at the beginning and a million rows further on: it starts inside an index and looks at
// a bounded number of rows, whatever is asked for.

import type { Queryable } from "./db.ts";
import { HttpFailure } from "./failure.ts";
import { firstIdAt } from "./id.ts";

export interface PageWish {
  readonly limit?: number | undefined;
  /** Where the page before this one ended. */
  readonly after?: string | undefined;
  /** Moments, for tables whose ids begin with one. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Null where nothing is left. A page may hold fewer rows than asked for and still have a next. */
  readonly next: string | null;
}

/** Conditions on the scanned table, a question mark for the value; undefined leaves one out. */
type Conditions = Readonly<Record<string, unknown>>;

export interface PageSource {
  /** What is answered; the table of the list is called row. */
  readonly columns: string;
  readonly from: string;
  /** Joins that add columns to the rows of the page. */
  readonly join?: string;
  /** What an index leads to, together with the key. */
  readonly by?: Conditions;
  /** The same for a column with any of several values: each is looked up by itself. */
  readonly each?: { readonly column: string; readonly ids: readonly string[] } | undefined;
  /** What else must hold; checked row by row, for SCAN_ROWS rows at most. */
  readonly filters?: Conditions;
  /** Ids that the list is ordered by. Rows that share them all are one place: none is told after it. */
  readonly key?: readonly string[];
}

/** Two sizes are read, so that a list has a handful of prepared statements and not hundreds. */
const SMALL_PAGE = 50;
const LARGE_PAGE = 200;

/** 5,000 invoices are looked through in about 10 ms. */
const SCAN_ROWS = 5_000;

export async function page<Row>(
  db: Queryable,
  { limit = SMALL_PAGE, after, from, to }: PageWish,
  source: PageSource,
): Promise<Page<Row>> {
  const { columns, join = "", key = ["id"] } = source;
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const conditions = (wanted: Conditions = {}): string[] =>
    Object.entries(wanted)
      .filter(([, value]) => value !== undefined)
      .map(([sql, value]) => (sql.includes("?") ? sql.replace("?", () => bind(value)) : sql));

  const keys = key.map((name) => `row.${name}`);
  const where = [
    ...conditions(source.by),
    ...conditions({
      [`${keys[0]} >= ?`]: from && firstIdAt(new Date(from)),
      [`${keys[0]} < ?`]: to && firstIdAt(new Date(to)),
    }),
    ...(after === undefined ? [] : [`(${keys.join(", ")}) < (${cursor(after, key).map(bind)})`]),
  ];
  const order = keys.map((name) => `${name} desc`).join(", ");
  const place = keys.join(" || '.' || ");
  const scan =
    source.each === undefined
      ? (limits: string) => `from ${source.from} row${wherever(where)} order by ${order} ${limits}`
      : (limits: string) => `from unnest(${ids}::uuid[]) as one(id) cross join lateral (
           select row.* from ${source.from} row
           ${wherever([`row.${source.each?.column} = one.id`, ...where])}
           order by ${order} limit ${scanRows}) row order by ${order} ${limits}`;
  const ids = source.each && bind(source.each.ids);
  const bound = [...values];
  const filters = conditions({ ...source.filters, ...blank(source.by) });
  const readRows = (limit > SMALL_PAGE ? LARGE_PAGE : SMALL_PAGE) + 1;
  const scanRows = filters.length === 0 ? readRows : SCAN_ROWS;
  const rows = await db.query<Row & { place: string }>(
    `with scanned as (select row.* ${scan(`limit ${scanRows}`)}),
       found as (select row.* from scanned row${wherever(filters)}
                 order by ${order} limit ${readRows})
     select ${columns}, ${place} as place from found row ${join} order by ${order}`,
    values,
  );
  if (rows.length > limit)
    return { rows: rows.slice(0, limit), next: rows[limit - 1]?.place ?? null };
  if (filters.length === 0) return { rows, next: null };
  const [end] = await db.query<{ place: string }>(
    `select ${place} as place ${scan(`offset ${scanRows - 1} limit 1`)}`,
    bound,
  );
  if (end === undefined) return { rows, next: null };
  // A row that was made between the two statements moves the end of the scan by one: what is on this
  // page already must not be on the next one again.
  const last = rows.at(-1)?.place ?? end.place;
  return { rows, next: last < end.place ? last : end.place };
}

/** What the index has checked is not checked again. */
function blank(conditions: Conditions = {}): Conditions {
  const used = Object.entries(conditions).filter(([, value]) => value !== undefined);
  return Object.fromEntries(used.map(([sql]) => [sql, undefined]));
}

function wherever(conditions: readonly string[]): string {
  return conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
}

function cursor(after: string, key: readonly string[]): string[] {
  const parts = after.split(".");
  if (parts.length !== key.length) throw new HttpFailure("bad_request");
  return parts;
}
