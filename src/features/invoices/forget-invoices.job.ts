// Invoices that expired and never had details go after their time, with what was told of them: no money can
// be for them. Of all others that are over the payer's e-mail address goes.

import { retentionJob, sweepById } from "../../platform/retention-job.ts";
import { removeEventsOf } from "../webhooks/retention-queries.ts";
import { lockUnused, removeEmails, removeInvoices } from "./queries.ts";

export const forgetInvoicesJob = retentionJob({
  name: "forget-unused-invoices",
  kept: "unusedInvoices",
  sweep: sweepById("invoices", async (tx, ids) => {
    const quiet = await removeEventsOf(tx, await lockUnused(tx, ids));
    if (quiet.length > 0) await removeInvoices(tx, quiet);
    return quiet.length;
  }),
});

export const forgetEmailsJob = retentionJob({
  name: "forget-emails",
  kept: "payers",
  sweep: sweepById("invoices", removeEmails),
});
