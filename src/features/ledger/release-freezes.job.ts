// Frozen credits whose time is over become available: each exactly once, never early.

import { freezeOver } from "../../domain/posting.ts";
import { dueJob } from "../../platform/due-job.ts";
import { post } from "./post.ts";
import { findThawed, releaseFreezes } from "./queries.ts";

export const releaseFreezesJob = dueJob({
  name: "release-freezes",
  everyMs: 1_000,
  setSize: () => 1_000,
  find: findThawed,
  async work(tx, app, ids, now) {
    const freezes = await releaseFreezes(tx, ids, now);
    await post(
      tx,
      app,
      freezes.map((freeze) => freezeOver({ ...freeze, sourceId: freeze.paymentId })),
    );
    return freezes.length;
  },
});
