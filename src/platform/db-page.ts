// One page of a table, newest first. It starts inside an index and reads a bounded number of rows.

import type { Queryable } from "./db.ts";
import { HttpFailure } from "./failure.ts";
import { AFTER_ALL_IDS, firstIdAt } from "./id.ts";

export interface PageWish {
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
  /** Moments, for tables whose ids begin with one. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface KeysetPage<Row> {
  readonly rows: readonly Row[];
  /** Null where nothing is left. A page may hold fewer rows than asked for and still have a next. */
  readonly next: string | null;
}

/**
 * Conditions on the scanned table: a column that has the value, or SQL with a question mark for it;
 * undefined leaves one out.
 */
type Conditions = Readonly<Record<string, unknown>>;

export interface PageSource {
  readonly columns: string;
  readonly from: string;
  readonly join?: string;
  /** Conditions that lead to a few rows by themselves. */
  readonly by?: Conditions;
  /** A column with any of several ids: each is looked up by itself, and the rows are merged. */
  readonly each?: { readonly column: string; readonly ids: readonly string[] } | undefined;
  /**
   * Columns and their values, the best first. Where nothing above leads, the first that is asked for
   * does: an index begins with it and goes on with the key. The others are filters.
   */
  readonly leads?: Readonly<Record<string, unknown>>;
  /** What else must hold; checked row by row, for SCAN_ROWS rows at most. */
  readonly filters?: Conditions;
  /** Where a period is not of the key's moments: the id whose they are, and how much later the key's can be. */
  readonly dated?: { readonly column: string; readonly withinMs: number };
  /** Ids that the list is ordered by. Rows that share them all are one place: none is told after it. */
  readonly key?: readonly string[];
}

/** Two sizes are read, so that a list has a handful of statements to look at and not hundreds. */
const SMALL_PAGE = 50;
const LARGE_PAGE = 200;

/** 2,000 invoices are looked through in about 8 ms, and in 50 where none of them is in memory. */
const SCAN_ROWS = 2_000;

export async function page<Row>(
  db: Queryable,
  wish: PageWish,
  source: PageSource,
): Promise<KeysetPage<Row>> {
  const { limit = SMALL_PAGE } = wish;
  const { quick, whole, values, isFiltered, lowest = "" } = statementsOf(wish, source);
  if (source.each?.ids.length === 0) return { rows: [], next: null };
  const rows = await db.query<Placed<Row>>(quick, values, "once");
  if (rows.length > limit || !isFiltered) return cutTo(limit, rows, null);
  // Not full, so the next page goes on where this scan ends. It is read once more, by one statement with its end: a
  // row that comes or goes meanwhile moves no other one out of sight.
  const all = await db.query<Placed<Row> & { readonly ended: string | null }>(
    whole,
    values,
    "once",
  );
  const ended = all[0]?.ended ?? null;
  const found = all.filter(({ place }) => place !== null);
  return cutTo(limit, found, ended !== null && ended >= lowest ? ended : null);
}

type Placed<Row> = Row & { readonly place: string };

function cutTo<Row>(
  limit: number,
  rows: readonly Placed<Row>[],
  next: string | null,
): KeysetPage<Row> {
  if (rows.length <= limit) return { rows, next };
  return { rows: rows.slice(0, limit), next: rows[limit - 1]?.place ?? null };
}

function statementsOf(wish: PageWish, source: PageSource) {
  const { limit = SMALL_PAGE, from, to } = wish;
  const { columns, join = "", key = ["id"], dated } = source;
  const { lead, each, rest } = waysIn(source);
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const conditions = (wanted: Conditions = {}): string[] =>
    Object.entries(wanted)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => name.replace(/^\w+$/, "$& = ?").replace("?", () => bind(value)));

  const keys = key.map((name) => `row.${name}`);
  const ids = each && bind(each.ids);
  const first = (each ?? lead)?.column;
  const [lowest, highest] = endsOf(wish, keys, dated?.withinMs);
  const isLow = lowest === undefined ? {} : { [`${keys[0]} >= ?`]: lowest };
  const where = wherever([
    ...conditions(source.by),
    ...(first === undefined
      ? [...conditions(isLow), ...before(keys, highest.map(bind))]
      : ids === undefined
        ? ledBy(`row.${first}`, bind([lead?.value]), bind(lead?.value), keys, highest.map(bind))
        : ledBy(`row.${first}`, "array[one.id]", "one.id", keys, highest.map(bind))),
  ]);
  const period = dated && {
    [`${dated.column} >= ?`]: from && firstIdAt(new Date(from)),
    [`${dated.column} < ?`]: to && firstIdAt(new Date(to)),
  };
  const filters = conditions({ ...source.filters, ...rest, ...period });
  const readRows = (limit > SMALL_PAGE ? LARGE_PAGE : SMALL_PAGE) + 1;
  const scanRows = filters.length === 0 ? readRows : scanRowsOf(each?.ids.length ?? 1);
  const order = descending([...(first === undefined ? [] : [`row.${first}`]), ...keys]);
  const rowsFrom = `select row.* from ${source.from} row${where} order by ${order} limit ${scanRows}`;
  const scan =
    ids === undefined
      ? rowsFrom
      : `select row.* from unnest(${ids}::uuid[]) as one(id) cross join lateral (${rowsFrom}) row
         order by ${descending(keys)} limit ${scanRows}`;
  // As it was scanned, so that it need not be sorted and ends with the page.
  const found = ids === undefined ? order : descending(keys);
  const low = first === undefined ? [] : conditions(isLow);
  const place = keys.join(" || '.' || ");
  const find = `found as (select row.* from scanned row${wherever([...filters, ...low])}
         order by ${found} limit ${readRows})`;
  const show = `select ${columns}, ${place} as place from found row ${join}`;
  return {
    values,
    isFiltered: filters.length > 0,
    lowest,
    quick: `with scanned as (${scan}), ${find} ${show} order by ${found}`,
    whole: `with scanned as materialized (${scan}), ${find}, shown as (${show})
     select shown.*, scan.ended
     from (select (select ${place} from scanned row order by ${found}
                   offset ${scanRows - 1} limit 1) as ended) scan left join shown on true
     order by shown.place desc`,
  };
}

/**
 * The rows of one value of the column that leads, from a place on. The value is no equation: beside one, PostgreSQL
 * begins at the value's newest row and walks to the place, 12 ms where that is 200,000 rows down. Nor is the place
 * one of the key alone: then a plan may walk through everybody's rows of a period, 40 ms instead of 1. A bound of both
 * is where a scan of their index begins, and leads into no other. One more of both, or a plain one of the value,
 * would pass for few rows: all of the value's would be read by another index, and sorted, 170 ms. So where a period
 * begins is a filter: a page reads no more than it may look through.
 */
function ledBy(
  column: string,
  values: string,
  value: string,
  keys: readonly string[],
  place: readonly string[],
): string[] {
  const isEnd = place.length === 0;
  const start = isEnd
    ? `(${column}, ${keys[0]}) <= (${value}, '${AFTER_ALL_IDS}')`
    : `(${[column, ...keys.slice(0, place.length)]}) < (${[value, ...place]})`;
  return [`${column} >= any(${values})`, start];
}

function before(keys: readonly string[], place: readonly string[]): string[] {
  return place.length === 0 ? [] : [`(${keys.slice(0, place.length)}) < (${place})`];
}

/** The lowest id that is asked for, and the place that the page comes after. */
function endsOf(
  { after, from, to }: PageWish,
  keys: readonly string[],
  withinMs = 0,
): [lowest: string | undefined, highest: readonly string[]] {
  const lowest = from && firstIdAt(new Date(from));
  const end = to === undefined ? [] : [firstIdAt(new Date(Date.parse(to) + withinMs))];
  const place = after === undefined ? [] : cursor(after, keys);
  const isBefore = place[0] !== undefined && (end[0] === undefined || place[0] < end[0]);
  return [lowest, isBefore ? place : end];
}

function descending(columns: readonly string[]): string {
  return columns.map((name) => `${name} desc`).join(", ");
}

/**
 * Each of several is looked through for its share, so that all together stay bounded. The share is
 * halved, not divided, for the sake of few statements.
 */
function scanRowsOf(several: number): number {
  return Math.max(LARGE_PAGE + 1, SCAN_ROWS >> Math.ceil(Math.log2(Math.max(1, several))));
}

/** Which way in is taken, and what is left to check row by row. */
function waysIn({ by = {}, each, leads = {} }: PageSource) {
  const asked = Object.entries(leads).filter(([, value]) => value !== undefined);
  const isFound = Object.values(by).some((value) => value !== undefined);
  if (isFound) {
    const several = each && { [`${each.column} = any(?::uuid[])`]: each.ids };
    return { rest: { ...Object.fromEntries(asked), ...several } };
  }
  if (each !== undefined && each.ids.length !== 1) return { each, rest: Object.fromEntries(asked) };
  const own = each?.ids.map((id) => [each.column, id] as const) ?? [];
  const [lead, ...others] = [...own, ...asked];
  return { lead: lead && { column: lead[0], value: lead[1] }, rest: Object.fromEntries(others) };
}

function wherever(conditions: readonly string[]): string {
  return conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
}

function cursor(after: string, key: readonly string[]): string[] {
  const parts = after.toLowerCase().split(".");
  if (parts.length !== key.length) throw new HttpFailure("bad_request");
  return parts;
}
