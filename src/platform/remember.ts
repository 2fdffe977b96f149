// Keeps settings in memory under their version. No value is older than its caller's proof.

import { type App, perApp } from "./app.ts";
import type { Queryable } from "./db.ts";

/** Somebody who was let in, by the settings of a version. */
export interface Proven {
  readonly settingsVersion: bigint;
}

/** Past this many it is begun anew: nothing here grows without end. */
const MAX_KEPT = 10_000;

/** Values that stand for as long as the version does. */
export function keptAtVersion<Value>(): (app: App, version: bigint) => Map<string, Value> {
  const memory = perApp(() => ({ version: -1n, values: new Map<string, Value>() }));
  return (app, version) => {
    const kept = memory(app);
    if (kept.version !== version || kept.values.size > MAX_KEPT) {
      kept.version = version;
      // Never emptied: whoever reads at the version before goes on with what belongs to it.
      kept.values = new Map();
    }
    return kept.values;
  };
}

/** Of a proof that is kept: what runs out by itself changes no settings. */
export function isOver(endsAt: Date | null | undefined, now: Date): boolean {
  return endsAt != null && endsAt <= now;
}

type Read<Value> = (
  db: Queryable,
  keys: readonly string[],
  app: App,
) => Promise<ReadonlyMap<string, Value>>;

export type Recall<Value> = (
  app: App,
  callers: readonly Proven[],
  keys: Iterable<string>,
) => Promise<ReadonlyMap<string, Value>>;

/** The given way of reading, asked only for what is not known yet to be as new as every caller's proof. */
export function remembering<Value>(read: Read<Value>): Recall<Value> {
  const valuesAt = keptAtVersion<Value>();
  return async (app, callers, keys) => {
    const values = valuesAt(app, latest(callers));
    const missing = new Set(keys).difference(values);
    if (missing.size > 0) {
      for (const [key, value] of await read(app.db, [...missing], app)) values.set(key, value);
    }
    return values;
  };
}

function latest(callers: readonly Proven[]): bigint {
  let version = 0n;
  for (const { settingsVersion } of callers)
    if (settingsVersion > version) version = settingsVersion;
  return version;
}

/**
 * What is made of sealed texts that belong to a row, kept: who opens them again for that row finds the same.
 * It is as secret as the key that opens them, which is kept in the same memory.
 */
export function keptBySeal<Value>(): (
  app: App,
  row: string,
  sealed: readonly Buffer[],
  make: () => Value,
) => Value {
  const memory = perApp(() => new Map<string, Value>());
  return (app, row, sealed, make) => {
    const kept = memory(app);
    const key = [row, ...sealed.map((text) => text.toString("latin1"))].join();
    const known = kept.get(key);
    if (known !== undefined) return known;
    const value = make();
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(key, value);
    return value;
  };
}
