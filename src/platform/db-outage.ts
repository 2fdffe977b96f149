// A database that is away: one line when the first caller notices and one when it is back, however many fail
// meanwhile. Whoever was refused is counted, and told by its own door.

import { NOBODY_WRITES } from "./db.ts";
import { codeOf } from "./failure.ts";
import type { Log } from "./log.ts";

const LOOK_EVERY_MS = 1_000;

export type Outage = ReturnType<typeof openOutage>;

/** One for all connections of a process. */
export function openOutage(log: Log) {
  let since: number | undefined;
  let failures = 0;
  let isTold = false;
  const look = async (answers: () => Promise<boolean>, failuresBefore: number): Promise<void> => {
    const isBack = (await answers()) && failures === failuresBefore;
    if (!isBack || since === undefined) return later(answers);
    const seconds = Math.round((performance.now() - since) / 1000);
    log.info({ seconds, failures }, "the database is back");
    since = undefined;
    failures = 0;
    isTold = false;
  };
  const later = (answers: () => Promise<boolean>): void => {
    setTimeout(() => void look(answers, failures), LOOK_EVERY_MS).unref();
  };
  return {
    /** Somebody has failed for that reason; the question is asked until it is answered by yes. */
    note(error: unknown, answers: () => Promise<boolean>): void {
      failures += 1;
      const reason = error instanceof Error ? error.message : String(error);
      // The first who notices only knows that a connection was lost.
      if (codeOf(error) === NOBODY_WRITES && !isTold) {
        isTold = true;
        log.error({ reason }, "none of the database servers takes writes");
      }
      if (since !== undefined) return;
      since = performance.now();
      log.error({ reason }, "the database is away, or too slow: what needs it is refused");
      later(answers);
    },
  };
}
