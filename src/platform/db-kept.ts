// What was read and is kept until the database says that it has changed. Only for an engine that nobody but this
// process writes to: it is told on the one connection that everything is asked over, so whoever hears of a commit
// knows by then what it changed. Guards that nothing is kept of a connection that is gone.

import type { Db } from "./db.ts";

/** What the database tells of; see settings_changed() in the migrations. */
const TOLD_OF = ["settings_changed"] as const;

type ToldOf = (typeof TOLD_OF)[number];

export type Keep = <Value>(until: ToldOf, read: () => Promise<Value>) => Promise<Value>;

/** Asked first on a connection that is to be told. */
export const LISTEN: string = TOLD_OF.map((name) => `listen ${name}`).join("; ");

export function openKept() {
  const values = new Map<string, Promise<unknown>>();
  const keep: Keep = (until, read) => {
    const known = values.get(until);
    if (known !== undefined) return known as ReturnType<typeof read>;
    const value = read();
    values.set(until, value);
    value.catch(() => {
      if (values.get(until) === value) values.delete(until);
    });
    return value;
  };
  return {
    keep,
    /** Of everything, where it is not said of what. */
    forget(name?: string): void {
      if (name === undefined) values.clear();
      else values.delete(name);
    },
  };
}

export type Kept = ReturnType<typeof openKept>;

/** Another one after every change of a key, token, shop, tariff or service; see migrations/01_settings.sql. */
export function settingsVersion(db: Db): Promise<bigint> {
  const read = async (): Promise<bigint> => {
    const [row] = await db.query<{ version: bigint }>("select version from settings_version", []);
    return row?.version ?? 0n;
  };
  return db.keep?.("settings_changed", read) ?? read();
}
