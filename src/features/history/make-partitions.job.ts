// The months ahead, where history lies in months; and months that somebody has closed in order to take them out,
// and has not: they are opened again; and what is left of those that are out. Where the tables are whole there is nothing to do.

import { type Job, job } from "../../platform/job.ts";
import { removeArchived } from "../webhooks/feed-queries.ts";
import { openMonths } from "./archive-queries.ts";
import { dividedTables } from "./partition-queries.ts";
import { Busy, inOneStep, makeAhead } from "./partitions.ts";

/** Of what an archive has taken along, so many a time are removed here. */
const SET = 1_000;

export const makePartitionsJob: Job = job({
  name: "make-partitions",
  everyMs: 60_000,
  async run({ db, clock, config }) {
    if (config.databaseUrl === undefined) return 0;
    const tables = await dividedTables(db);
    if (tables.length === 0) return 0;
    await db.session(async (session) => {
      try {
        await inOneStep(session, openMonths);
        for (const table of tables) await makeAhead(session, table, clock.now());
      } catch (error) {
        // Somebody takes a month out, or divides: the next time will do.
        if (!(error instanceof Busy)) throw error;
      }
    });
    return db.transaction((tx) => removeArchived(tx, SET));
  },
});
