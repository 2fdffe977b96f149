// What was read of the settings, kept while their version stands. Guards that nothing stale is used:
// a caller brings the version that the database had when its key was looked up, and what is kept was
// read at that version or after it. Versions are only compared for being the same: a database that was
// restored has an earlier one.

import type { Db, Queryable } from "./db.ts";

type Read<Value> = (db: Queryable, keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>;

export type Recall<Value> = (
  db: Db,
  version: bigint,
  keys: Iterable<string>,
) => Promise<ReadonlyMap<string, Value>>;

/** Past this many keys it is begun anew: nothing here grows without end. */
const MAX_KEPT = 10_000;

interface Kept<Value> {
  readonly version: bigint;
  readonly values: Map<string, Value>;
}

/** The given way of reading, asked only for what is not known yet; each database has its own memory. */
export function remembering<Value>(read: Read<Value>): Recall<Value> {
  const memories = new WeakMap<Db, Kept<Value>>();
  return async (db, version, keys) => {
    let kept = memories.get(db);
    if (kept?.version !== version || kept.values.size > MAX_KEPT) {
      kept = { version, values: new Map() };
      memories.set(db, kept);
    }
    const { values } = kept;
    const missing = new Set(keys).difference(values);
    if (missing.size > 0) {
      for (const [key, value] of await read(db, [...missing])) values.set(key, value);
    }
    return values;
  };
}
