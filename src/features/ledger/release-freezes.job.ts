// Frozen credits whose time is over become available: each exactly once, never early.

import { freezeOver } from "../../domain/posting.ts";
import { lockAvailable } from "../../platform/db-row.ts";
import { dueJob } from "../../platform/job.ts";
import { post } from "./post.ts";
import { RELEASE_FREEZES, releaseFreezes } from "./queries.ts";

export const releaseFreezesJob = dueJob({
  name: RELEASE_FREEZES,
  everyMs: 1_000,
  setSize: () => 1_000,
  async work(tx, app, ids, now) {
    const own = await lockAvailable(tx, "ledger_freezes", ids);
    const freezes = await releaseFreezes(tx, own, now);
    await post(
      tx,
      app,
      freezes.map((freeze) => freezeOver({ ...freeze, sourceId: freeze.paymentId })),
    );
    return { over: own, done: freezes.length };
  },
});
