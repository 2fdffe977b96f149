// Details whose time is over stop being live, and the room that they had taken on their requisite is
// given back. Their slot stays held for the quarantine: late money still finds them.

import { job } from "../../platform/job.ts";
import { giveBackUsage } from "../requisites/queries.ts";
import { lapseDuePayments } from "./queries.ts";

const SET_SIZE = 1_000;

export const lapsePaymentsJob = job({
  name: "lapse-payments",
  everyMs: 1_000,
  run: ({ db, clock }) =>
    db.transaction(async (tx) => {
      const usages = await lapseDuePayments(tx, clock.now(), SET_SIZE);
      if (usages.length > 0) await giveBackUsage(tx, usages);
      return usages.length;
    }),
});
