// A server that takes no further connection. Guards that nobody is told that the database is away while the pool
// has connections that it still answers: one of those is waited for, in line, for as long as a full pool would let
// them wait. Whoever was refused does not ask the server again before one is free: each refusal costs it a process.

import type pg from "pg";
import { codeOf } from "./failure.ts";

/** As many as the server takes, or as our role or database may have. */
const TOO_MANY = "53300";

/** Makes connections by what it is given, and waits in between where it has to. */
export function openLine(pool: pg.Pool, mostMs: number) {
  // One whose line breaks while it is thrown away is removed twice.
  const living = new Set<pg.PoolClient>();
  pool.on("connect", (client) => living.add(client));
  pool.on("remove", (client) => living.delete(client));
  const line = new Set<() => void>();
  pool.on("release", () => {
    for (const wake of line) {
      line.delete(wake);
      return wake();
    }
  });
  const oneIsFree = async (withinMs: number): Promise<void> => {
    if (pool.idleCount > 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, withinMs);
    line.add(resolve);
    await promise;
    line.delete(resolve);
    clearTimeout(timer);
  };
  return async (connect: () => Promise<pg.PoolClient>): Promise<pg.PoolClient> => {
    const untilMs = performance.now() + mostMs;
    if (line.size > 0) await oneIsFree(mostMs);
    for (;;) {
      try {
        return await connect();
      } catch (error) {
        const leftMs = untilMs - performance.now();
        if (codeOf(error) !== TOO_MANY || living.size === 0 || leftMs <= 0) throw error;
        await oneIsFree(leftMs);
      }
    }
  };
}
