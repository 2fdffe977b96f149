// What is kept for so many days by a setting, and then removed. Guards that nobody waits for it: a pass
// goes through a table in the order of its primary key, in small sets, each a short transaction that leaves
// out what others hold. Ids begin with their moment, so no index is needed to find what is old.

import { setTimeout as sleep } from "node:timers/promises";
import { perApp } from "./app.ts";
import type { Config } from "./config.ts";
import type { Tx } from "./db.ts";
import { nextIds } from "./db-ids.ts";
import { BEFORE_ALL_IDS, firstIdAt } from "./id.ts";
import { type Job, job } from "./job.ts";

export const RETENTION_SET = 500;
const DAY_MS = 24 * 60 * 60 * 1000;

export interface Swept {
  readonly removed: number;
  /** Where the next set begins; undefined where nothing old enough is left. */
  readonly next: string | undefined;
}

/** Of the next set after a place, removes what may go and is older than the moment. */
type Sweep = (tx: Tx, after: string, before: Date) => Promise<Swept>;

/** Each day begins a new pass: what could not go when it was passed may have ended since. */
export function retentionJob(name: string, kept: keyof Config["retainDays"], sweep: Sweep): Job {
  const passOf = perApp(() => ({ day: "", after: BEFORE_ALL_IDS }));
  return job({
    name,
    everyMs: 60_000,
    async run(app) {
      const days = app.config.retainDays[kept];
      if (days === undefined) return 0;
      const now = app.clock.now();
      const pass = passOf(app);
      const day = now.toISOString().slice(0, 10);
      if (pass.day !== day) Object.assign(pass, { day, after: BEFORE_ALL_IDS });
      const before = new Date(now.getTime() - days * DAY_MS);
      while (!app.ending.aborted) {
        const startedAt = performance.now();
        const { removed, next } = await app.db.transaction((tx) => sweep(tx, pass.after, before));
        pass.after = next ?? pass.after;
        if (removed > 0 || next === undefined) return removed;
        await sleep(performance.now() - startedAt);
      }
      return 0;
    },
  });
}

/** A set of rows that were made before the moment; how many of them went is the answer. */
export function sweepById(
  table: string,
  remove: (tx: Tx, ids: readonly string[], before: Date) => Promise<number>,
): Sweep {
  return async (tx, after, before) => {
    const ids = await nextIds(tx, table, { after, before: firstIdAt(before) }, RETENTION_SET);
    const removed = ids.length === 0 ? 0 : await remove(tx, ids, before);
    return { removed, next: ids.length < RETENTION_SET ? undefined : ids.at(-1) };
  };
}
