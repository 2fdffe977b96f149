// Rows of the audit log that only say that something was shown go after their time; what says that
// something was changed stays for ever.

import { retentionJob, sweepById } from "../../platform/retention-job.ts";
import { removeReveals } from "./queries.ts";

export const forgetRevealsJob = retentionJob({
  name: "forget-reveals",
  kept: "auditReads",
  sweep: sweepById("audit_log", removeReveals),
});
