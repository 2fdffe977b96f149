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
  /** What is answered; the table of the list is called row. */
  readonly columns: string;
  readonly from: string;
  /** Joins that add columns to the rows of the page. */
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
  const first = statementsOf(wish, source, "first");
  const rows = await db.query<Placed<Row>>(first.find, first.values, "once");
  if (rows.length > limit || !first.isFiltered) return cutTo(limit, rows, null);
  // Not full, so the next page goes on where this scan ends. The end is fixed first, and everything above
  // it is read once more: a row that comes or goes meanwhile moves no other one out of sight.
  const [end] = await db.query<{ place: string }>(first.end, first.endValues, "once");
  const again = statementsOf({ ...wish, downTo: end?.place }, source, "again");
  const found = await db.query<Placed<Row>>(again.find, again.values, "once");
  return cutTo(limit, found, end?.place ?? null);
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

interface Bounds extends PageWish {
  /** The last place to look at. */
  readonly downTo?: string | undefined;
}

function statementsOf(wish: Bounds, source: PageSource, look: "first" | "again") {
  const { limit = SMALL_PAGE } = wish;
  const { columns, join = "", key = ["id"], dated } = source;
  const { lead, each, rest } = waysIn(source);
  // The column that leads has one value, and is named in the order all the same. Said as a plain
  // equation, the planner would leave it out of the order and might walk along all rows by the key alone
  // until enough of them have that value: pending invoices are the newest, and a page behind them took
  // 170 ms on a million instead of 2.
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const conditions = (wanted: Conditions = {}): string[] =>
    Object.entries(wanted)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => name.replace(/^\w+$/, "$& = ?").replace("?", () => bind(value)));

  const keys = key.map((name) => `row.${name}`);
  const ids = each && bind(each.ids);
  const first = (each ?? lead)?.column;
  const value = ids === undefined ? lead && bind([lead.value]) : "array[one.id]";
  const order = descending([...(first === undefined ? [] : [`row.${first}`]), ...keys]);
  // Bounds name the leading column, too: by the key alone the planner may also walk through everybody's
  // rows of a month, 88 ms for a shop of a million invoices instead of 3.
  const leadOf = (column: string) => ({
    column: `row.${column}`,
    value: () => (ids === undefined ? bind(lead?.value) : "one.id"),
  });
  const scanned = dated ? { ...wish, to: endAfter(wish.to, dated.withinMs) } : wish;
  const where = wherever([
    ...conditions(source.by),
    ...(first === undefined ? [] : [`row.${first} = any(${value})`]),
    ...boundsOf(scanned, keys, bind, first === undefined ? undefined : leadOf(first)),
  ]);
  const place = keys.join(" || '.' || ");
  const rowsFrom = (limits: string): string =>
    `from ${source.from} row${where} order by ${order} ${limits}`;
  const scan = (limits: string): string =>
    ids === undefined
      ? rowsFrom(limits)
      : `from unnest(${ids}::uuid[]) as one(id)
         cross join lateral (select row.* ${rowsFrom(`limit ${scanRows}`)}) row
         order by ${descending(keys)} ${limits}`;
  const endValues = [...values];
  const period = dated && {
    [`${dated.column} >= ?`]: wish.from && firstIdAt(new Date(wish.from)),
    [`${dated.column} < ?`]: wish.to && firstIdAt(new Date(wish.to)),
  };
  const filters = conditions({ ...source.filters, ...rest, ...period });
  const readRows = (limit > SMALL_PAGE ? LARGE_PAGE : SMALL_PAGE) + 1;
  const share = scanRowsOf(each?.ids.length ?? 1);
  // The second time the end is known; the limit is only there because everything has one.
  const bounded = look === "first" ? share : share * 2;
  const scanRows = filters.length === 0 ? readRows : bounded;
  const found = ids === undefined ? order : descending(keys);
  return {
    isFiltered: filters.length > 0,
    find: `with scanned as (select row.* ${scan(`limit ${scanRows}`)}),
       found as (select row.* from scanned row${wherever(filters)}
                 order by ${found} limit ${readRows})
     select ${columns}, ${place} as place from found row ${join} order by ${found}`,
    values,
    end: `select ${place} as place ${scan(`offset ${scanRows - 1} limit 1`)}`,
    endValues,
  };
}

/** Where the page begins and ends: one bound above, one below. */
function boundsOf(
  { after, from, to, downTo }: Bounds,
  keys: readonly string[],
  bind: (value: unknown) => string,
  lead: { readonly column: string; value(): string } | undefined,
): string[] {
  const compare = (sign: string, ids: readonly string[]): string[] => {
    if (ids.length === 0) return [];
    const columns = [...(lead === undefined ? [] : [lead.column]), ...keys.slice(0, ids.length)];
    const values = [...(lead === undefined ? [] : [lead.value()]), ...ids.map(bind)];
    return [`(${columns}) ${sign} (${values})`];
  };
  const start = from === undefined ? [] : [firstIdAt(new Date(from))];
  const lowest = downTo === undefined ? start : cursor(downTo, keys);
  const end = to === undefined ? [] : [firstIdAt(new Date(to))];
  const place = after === undefined ? [] : cursor(after, keys);
  const isBefore = place[0] !== undefined && (end[0] === undefined || place[0] < end[0]);
  return [...compare(">=", lowest), ...compare("<", isBefore ? place : end)];
}

function endAfter(to: string | undefined, withinMs: number): string | undefined {
  return to && new Date(Date.parse(to) + withinMs).toISOString();
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
