// Who sent the money of old transfers goes. Of what waits in suspense it stays: it may tell whose it is.

import { retentionJob, sweepById } from "../../platform/retention-job.ts";
import { removePayers } from "./queries.ts";

export const forgetPayersJob = retentionJob({
  name: "forget-payers",
  kept: "payers",
  sweep: sweepById("transfers", removePayers),
});
