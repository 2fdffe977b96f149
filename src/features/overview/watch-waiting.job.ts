// What waits for a person, as figures that an alert can be set on: money in suspense, events that no
// receiver took, rows that a job fails on, and how long the oldest event has been due.

import { job } from "../../platform/job.ts";
import { countWaiting } from "./queries.ts";

export const watchWaitingJob = job({
  name: "watch-waiting",
  everyMs: 15_000,
  async run({ db, clock, metrics }) {
    const now = clock.now();
    const { suspense, exhausted, failing, due_since } = await countWaiting(db);
    const overdueMs = due_since === null ? 0 : Math.max(0, now.getTime() - due_since.getTime());
    metrics.gauge("kopeck_suspense_transfers", "Transfers in suspense.", Number(suspense));
    metrics.gauge("kopeck_events_exhausted", "Events that no receiver took.", Number(exhausted));
    metrics.gauge("kopeck_failing_rows", "Rows that a job cannot work on.", Number(failing));
    metrics.gauge(
      "kopeck_events_overdue_seconds",
      "How long the next event has been due; a little while is usual.",
      overdueMs / 1000,
    );
    return 0;
  },
});
