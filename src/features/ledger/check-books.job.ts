// Checks the books when somebody has asked for it, piece by piece. Guards that one gateway does so at a time,
// that one which ends or falls silent leaves the check to another, and that nobody waits for its end.

import type { App } from "../../platform/app.ts";
import { job } from "../../platform/job.ts";
import { beat, claimCheck, endCheck, leaveCheck } from "./book-check-queries.ts";
import { checkBooks, type Look, lookAt } from "./check-books.ts";

const NAMED_OF_EACH = 5;
const BEAT_MS = 10_000;
/** Whoever was not heard of for so long is gone. */
const SILENT_MS = 60_000;

class Left extends Error {}

export const checkBooksJob = job({
  name: "check-books",
  everyMs: 2_000,
  async run(app) {
    const { db, clock } = app;
    const worker = app.newId();
    const now = clock.now();
    const silentSince = new Date(now.getTime() - SILENT_MS);
    if ((await claimCheck(db, worker, now, silentSince)) === undefined) return 0;
    try {
      const found = await checkBooks(looks(app, worker), clock, NAMED_OF_EACH, () => {});
      await endCheck(db, worker, found, clock.now());
      return 1;
    } catch (error) {
      await leaveCheck(db, worker);
      if (error instanceof Left) return 0;
      throw error;
    }
  },
});

/** Each at one moment; in between it is heard of, and asked whether to go on. */
function looks(app: App, worker: string): Look {
  const { db, clock, ending } = app;
  let heardAt = clock.now().getTime();
  return async (work) => {
    if (ending.aborted) throw new Left();
    const now = clock.now();
    if (now.getTime() - heardAt >= BEAT_MS) {
      heardAt = now.getTime();
      if (!(await beat(db, worker, now))) throw new Left();
    }
    return lookAt(db, work);
  };
}
