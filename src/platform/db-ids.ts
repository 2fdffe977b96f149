// Going through a whole table by its ids, a little at a time. Guards that no part of it takes long.

import type { Queryable } from "./db.ts";
import { AFTER_ALL_IDS, BEFORE_ALL_IDS } from "./id.ts";

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
