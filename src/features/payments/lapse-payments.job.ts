// Details whose time is over stop being live, and the room that they had taken on their requisite is
// given back. Their slot stays held for the quarantine: late money still finds them.

import { lockAvailable } from "../../platform/db-row.ts";
import { dueJob } from "../../platform/job.ts";
import { giveBackUsage } from "../requisites/queries.ts";
import { LAPSE_PAYMENTS, lapseDuePayments } from "./queries.ts";

export const lapsePaymentsJob = dueJob({
  name: LAPSE_PAYMENTS,
  everyMs: 1_000,
  setSize: () => 1_000,
  async work(tx, _app, ids, now) {
    const own = await lockAvailable(tx, "payments", ids);
    const usages = await lapseDuePayments(tx, own, now);
    if (usages.length > 0) await giveBackUsage(tx, usages);
    return { over: own, done: usages.length };
  },
});
