// Where the payers of old payments came from goes: addresses, and what their browsers called themselves.

import { retentionJob, sweepById } from "../../platform/retention-job.ts";
import { removeAddresses } from "./queries.ts";

export const forgetAddressesJob = retentionJob({
  name: "forget-addresses",
  kept: "payers",
  sweep: sweepById("payments", removeAddresses),
});
