// Slots that nobody has taken over since their time, quarantine included, was over long ago go.

import { retentionJob } from "../../platform/retention-job.ts";
import { sweepSlots } from "./slot-queries.ts";

export const forgetSlotsJob = retentionJob({
  name: "forget-slots",
  kept: "slots",
  sweep: sweepSlots,
});
