// What goes after so many days, of all rooms, each by a setting of its own; how, each room's statements say.

import { type Job, retentionJob, sweepById } from "../../platform/job.ts";
import { removeParties } from "../intake/line-queries.ts";
import { lockUnused, removeEmails, removeInvoices } from "../invoices/queries.ts";
import { removeReveals } from "../operators/queries.ts";
import { removeAddresses, thoseOver } from "../payments/queries.ts";
import { removeWords } from "../payments/word-queries.ts";
import { sweepSlots } from "../requisites/queries.ts";
import { removePayers } from "../transfers/queries.ts";
import { removeBodies, removeDeliveries, removeEventsOf } from "../webhooks/event-queries.ts";

/** Invoices that expired or were canceled and never had details, with what was told of them: no money can be for them. */
const sweepUnused = sweepById("invoices", async (tx, ids) => {
  const quiet = await removeEventsOf(tx, await lockUnused(tx, ids));
  if (quiet.length > 0) await removeInvoices(tx, quiet);
  return quiet.length;
});

/** Where payers came from, and what they said of their transfers. */
const sweepAddresses = sweepById("payments", async (tx, ids) => {
  const [removed, words] = [await removeAddresses(tx, ids), await removeWords(tx, ids)];
  return removed + words;
});

export const retentionJobs: readonly Job[] = [
  // Of events that were delivered. The event itself stays: when it happened, what it said of its invoice,
  // how often it was tried.
  retentionJob("forget-event-bodies", "eventBodies", sweepById("events", removeBodies)),
  retentionJob("forget-deliveries", "deliveries", sweepById("events", removeDeliveries)),
  // That something was shown; what says that something was changed stays for ever.
  retentionJob("forget-reveals", "auditReads", sweepById("audit_log", removeReveals)),
  retentionJob("forget-slots", "slots", (...set) => sweepSlots(...set, thoseOver)),
  retentionJob("forget-unused-invoices", "unusedInvoices", sweepUnused),
  // Of what is over: e-mail addresses, where payers came from and what they said, who sent the money. Of money that waits in
  // suspense it stays: it may tell whose it is.
  retentionJob("forget-emails", "payers", sweepById("invoices", removeEmails)),
  retentionJob("forget-addresses", "payers", sweepAddresses),
  retentionJob("forget-payers", "payers", sweepById("transfers", removePayers)),
  retentionJob("forget-parties", "payers", sweepById("statement_lines", removeParties)),
];
