// What waits for a person, as figures that an alert can be set on: money in suspense, requisites that are
// full, events that no receiver took, rows that a job fails on, and how long the oldest event has been due.

import { INVOICE_STATES } from "../../domain/invoice.ts";
import { momentFormat } from "../../domain/moment.ts";
import { job } from "../../platform/job.ts";
import { countInvoices } from "../invoices/count.ts";
import { countRequisites, countWaiting } from "./queries.ts";

export const watchWaitingJob = job({
  name: "watch-waiting",
  everyMs: 15_000,
  async run(app) {
    const { db, clock, config, metrics } = app;
    const now = clock.now();
    const { exhausted, failing, due_since, unproven, lines, ...suspense } = await countWaiting(
      db,
      now,
    );
    const overdueMs = due_since === null ? 0 : Math.max(0, now.getTime() - due_since.getTime());
    for (const [age, count] of Object.entries(suspense)) {
      const help =
        "Transfers in suspense, by how long they have waited: up to an hour, a day, a week.";
      metrics.gauge("kopeck_suspense_transfers", help, Number(count), { age });
    }
    const day = momentFormat(config.timeZone).day(now);
    const { enabled, ...full } = await countRequisites(db, day);
    metrics.gauge("kopeck_requisites", "Requisites that are given out.", Number(enabled));
    for (const [limit, count] of Object.entries(full)) {
      const help = "Of these, those that are full by one of their limits.";
      metrics.gauge("kopeck_requisites_at_limit", help, Number(count), { limit });
    }
    metrics.gauge("kopeck_events_exhausted", "Events that no receiver took.", Number(exhausted));
    metrics.gauge(
      "kopeck_unproven_transfers",
      "Transfers that only a phone has told of, and that no statement has shown for two days.",
      Number(unproven),
    );
    const help = "Lines of statements that wait for a person, or that a later file no longer has.";
    metrics.gauge("kopeck_statement_lines_waiting", help, Number(lines));
    metrics.gauge("kopeck_failing_rows", "Rows that a job cannot work on.", Number(failing));
    metrics.gauge(
      "kopeck_events_overdue_seconds",
      "How long the next event has been due; a little while is usual.",
      overdueMs / 1000,
    );
    // The first one that is paid is a step from 0, too: else an alert takes its hour for one in which nobody pays.
    for (const state of INVOICE_STATES) countInvoices(app, state, 0);
    return 0;
  },
});
