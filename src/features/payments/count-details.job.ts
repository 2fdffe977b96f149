// What was counted of details in this gateway's memory is added to its hours, every ten seconds and when it stops.
// One that crashes loses what it had counted since, and nothing else.

import type { App } from "../../platform/app.ts";
import { job } from "../../platform/job.ts";
import { handOn } from "./details-count.ts";
import { addDetailsCounts } from "./details-count-queries.ts";

const writeDown = (app: App): Promise<void> =>
  handOn(app, (counts) => addDetailsCounts(app.db, counts));

export const countDetailsJob = job({
  name: "count-details",
  everyMs: 10_000,
  async run(app) {
    await writeDown(app);
    return 0;
  },
  due: { nextAt: async () => undefined, settle: writeDown },
  // Where the database is away, they are lost as in a crash.
  finish: (app) =>
    writeDown(app).catch((error: unknown) =>
      app.log.warn({ err: error }, "figures of details were lost"),
    ),
});
