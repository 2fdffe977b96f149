// Lines about what may happen thousands of times in a minute: told at once, and again a minute later at the
// earliest, with how often it has happened since. Guards that nobody can flood the log, in a bounded memory.

import { perApp } from "./app.ts";
import type { Log } from "./log.ts";

const EVERY_MS = 60_000;

/** Past this the oldest are forgotten, and told at once when they happen again. */
const MAX_KEYS = 1_000;

export function openSeldom(log: Log, nowMs: () => number = () => performance.now()) {
  const told = new Map<string, { readonly at: number; more: number }>();
  return (level: "info" | "warn", of: string, fields: object, message: string): void => {
    const key = `${of} ${message}`;
    const last = told.get(key);
    const now = nowMs();
    if (last !== undefined && now - last.at < EVERY_MS) {
      last.more += 1;
      return;
    }
    told.delete(key);
    told.set(key, { at: now, more: 0 });
    if (told.size > MAX_KEYS) told.delete(told.keys().next().value ?? "");
    log[level](last?.more ? { ...fields, times: last.more + 1 } : fields, message);
  };
}

export const tellSeldom = perApp(({ log }) => openSeldom(log));
