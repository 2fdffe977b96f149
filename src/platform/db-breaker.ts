// A circuit breaker for commits. A server that waits for a lost standby answers no commit, and goes on
// waiting after its client has given up: without this every further transaction would leave one more
// connection behind, eight in 15 s, until the server has none left for anybody. What waits is neither
// cancelled nor ended: that would show others what no standby has, which is what the waiting is for.

import { HttpFailure } from "./failure.ts";
import type { Log } from "./log.ts";

const PROBE_EVERY_MS = 1_000;

export interface Breaker {
  /** Refuses what would have to be committed, while commits are not answered. */
  check(): void;
  /** A commit was sent and no answer came. */
  trip(): void;
}

/** The probe tells, without a commit of its own, whether one still waits that has waited so long. */
export function openBreaker(probe: (waitedMs: number) => Promise<boolean>, log: Log): Breaker {
  let trippedAt: number | undefined;
  const look = async (since: number): Promise<void> => {
    // A server that does not even answer this is no reason to try more.
    const waits = await probe(performance.now() - since).catch(() => true);
    if (waits) return later(since);
    trippedAt = undefined;
    log.info({}, "commits are answered again, or their server is gone: transactions go on");
  };
  const later = (since: number): void => {
    setTimeout(() => void look(since), PROBE_EVERY_MS).unref();
  };
  return {
    check() {
      if (trippedAt === undefined) return;
      const failure = new HttpFailure("unavailable");
      failure.cause = new Error("commits are not answered: is a synchronous standby lost?");
      throw failure;
    },
    trip() {
      if (trippedAt !== undefined) return;
      trippedAt = performance.now();
      log.error({}, "commits are not answered: transactions are refused until they are");
      later(trippedAt);
    },
  };
}
