// A clock that was wrong for a moment may have counted payments for a day to come, and what a requisite
// took would then count for that day until it is there. Such a day is put back: its payments count for
// today, and the requisite counts what today has (invariant 8).

import { addSeconds, momentFormat } from "../../domain/moment.ts";
import { job } from "../../platform/job.ts";
import { lockAhead, putBack, requisitesAhead } from "../requisites/queries.ts";
import { countForToday, usageOfDay } from "./queries.ts";

/** Around midnight another gateway may have tomorrow already; no right clock is ahead by more. */
const GRACE_SECONDS = 60;

export const putBackDaysJob = job({
  name: "put-back-days",
  everyMs: 60_000,
  async run({ db, clock, config }) {
    const now = clock.now();
    const { day } = momentFormat(config.timeZone);
    const [today, latest] = [day(now), day(addSeconds(now, GRACE_SECONDS))];
    const ids = await requisitesAhead(db, latest);
    if (ids.length === 0) return 0;
    return db.transaction(async (tx) => {
      await countForToday(tx, ids, today, latest);
      const locked = await lockAhead(tx, ids, latest);
      const usage = await usageOfDay(tx, locked, today, latest);
      // One that has taken another payment for the day to come meanwhile is left to the next run.
      const settled = usage.filter(({ later }) => later === 0);
      await putBack(tx, settled, today, now);
      return settled.length;
    });
  },
});
