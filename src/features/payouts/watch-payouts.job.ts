// Payouts that have not ended, as figures that an alert can be set on.

import { job } from "../../platform/job.ts";
import { countOpen } from "./attempt-queries.ts";
import { allRails } from "./rail-queries.ts";
import { countConflicts, countUnexplained } from "./settle.ts";

export const watchPayoutsJob = job({
  name: "watch-payouts",
  everyMs: 15_000,
  async run(app) {
    const { db, clock, metrics } = app;
    const now = clock.now();
    const {
      unknown_since: unknownSince,
      queued_since: queuedSince,
      held_since: heldSince,
      ...counts
    } = await countOpen(db);
    for (const [state, count] of Object.entries(counts)) {
      metrics.gauge("kopeck_payouts", "Payouts that have not ended.", Number(count), { state });
    }
    const seconds = (since: Date | null): number =>
      since === null ? 0 : Math.max(0, (now.getTime() - since.getTime()) / 1000);
    metrics.gauge(
      "kopeck_payout_unknown_seconds",
      "How long nobody has known whether the oldest of them has left.",
      seconds(unknownSince),
    );
    metrics.gauge(
      "kopeck_payout_queued_seconds",
      "How long the first in line has waited for somebody to send it.",
      seconds(queuedSince),
    );
    metrics.gauge(
      "kopeck_payout_held_seconds",
      "How long the oldest that is held has waited for a person.",
      seconds(heldSince),
    );
    // Those that did not happen are counted, too: the first one is a step from 0, which an alert sees.
    for (const { code } of await allRails(db)) countConflicts(app, code, 0);
    countUnexplained(app, 0);
    return 0;
  },
});
