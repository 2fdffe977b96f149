// Frozen credits whose time is over become available: each exactly once, never early.

import { freezeOver } from "../../domain/posting.ts";
import { job } from "../../platform/job.ts";
import { post } from "./post.ts";
import { releaseDueFreezes } from "./queries.ts";

const SET_SIZE = 1_000;

export const releaseFreezesJob = job({
  name: "release-freezes",
  everyMs: 1_000,
  run: (app) =>
    app.db.transaction(async (tx) => {
      const freezes = await releaseDueFreezes(tx, app.clock.now(), SET_SIZE);
      await post(
        tx,
        app,
        freezes.map((freeze) => freezeOver({ ...freeze, sourceId: freeze.paymentId })),
      );
      return freezes.length;
    }),
});
