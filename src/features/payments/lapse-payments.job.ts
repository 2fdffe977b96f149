// Details whose time is over stop being live, and the room that they had taken on their requisite is
// given back. Their slot stays held for the quarantine: late money still finds them.

import { dueJob } from "../../platform/due-job.ts";
import { giveBackUsage } from "../requisites/queries.ts";
import { findLapsed, lapseDuePayments } from "./queries.ts";

export const lapsePaymentsJob = dueJob({
  name: "lapse-payments",
  everyMs: 1_000,
  setSize: () => 1_000,
  find: findLapsed,
  async work(tx, _app, ids, now) {
    const usages = await lapseDuePayments(tx, ids, now);
    if (usages.length > 0) await giveBackUsage(tx, usages);
    return usages.length;
  },
});
