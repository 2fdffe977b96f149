// A circuit breaker for commits. A server that waits for a lost standby answers no commit, and goes on
// waiting after its client has given up. Guards that no more of them are left behind than a pool has
// connections, however long it takes, and that work goes on by itself when they are answered.

import type { Queryable } from "./db.ts";
import { commitWaits, standbyIsMissed } from "./db-clock.ts";
import { HttpFailure } from "./failure.ts";
import type { Log } from "./log.ts";

const PROBE_EVERY_MS = 1_000;

/**
 * Without it every further transaction would leave one more connection behind, eight in 15 s, until the
 * server has none left for anybody. What waits is neither cancelled nor ended: that would show others
 * what no standby has, which is what the waiting is for. Whether one still waits that has waited so long
 * is asked without a commit of its own.
 */
export function openBreaker(db: Queryable, log: Log) {
  let trippedAt: number | undefined;
  let hasLooked = false;
  const look = async (since: number): Promise<void> => {
    // A server that does not even answer this is no reason to try more.
    const waits = await commitWaits(db, performance.now() - since).catch(() => true);
    if (waits) return later(since);
    trippedAt = undefined;
    log.info({}, "commits are answered again, or their server is gone: transactions go on");
  };
  const later = (since: number): void => {
    setTimeout(() => void look(since), PROBE_EVERY_MS).unref();
  };
  /** A commit was sent and no answer came. */
  const trip = (): void => {
    if (trippedAt !== undefined) return;
    trippedAt = performance.now();
    log.error({}, "commits are not answered: transactions are refused until they are");
    later(trippedAt);
  };
  /** Refuses what would have to be committed, while commits are not answered. */
  const check = (): void => {
    if (trippedAt === undefined) return;
    const failure = new HttpFailure("unavailable");
    failure.cause = new Error("commits are not answered: is a synchronous standby lost?");
    throw failure;
  };
  return {
    trip,
    check,
    /**
     * The same; but one that is new here learns from what others have left waiting: started again and
     * again, it would leave its own share behind every time.
     */
    async pass(): Promise<void> {
      if (!hasLooked) {
        if (await standbyIsMissed(db)) trip();
        hasLooked = true;
      }
      check();
    },
  };
}
