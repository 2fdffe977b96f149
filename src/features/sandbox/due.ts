// Time that is moved on, moment by moment: what falls due on the way happens at its own moment, as if
// the time had really passed, and has happened when this returns.

import type { App } from "../../platform/app.ts";
import { nextTryAt } from "../../platform/db-failing-rows.ts";
import type { Job } from "../../platform/job.ts";
import { expireInvoicesJob } from "../invoices/expire-invoices.job.ts";
import { releaseFreezesJob } from "../ledger/release-freezes.job.ts";
import { lapsePaymentsJob } from "../payments/lapse-payments.job.ts";
import { deliverDue, nextDeliveryAt } from "../webhooks/deliver-events.job.ts";

const JOBS: readonly Job[] = [lapsePaymentsJob, expireInvoicesJob, releaseFreezesJob];

export async function passTime(app: App, until: Date): Promise<void> {
  await runDue(app);
  for (let last = 0; ; ) {
    const nextMs = await nextDueMs(app);
    // What is due and still there after its run is in somebody else's hands.
    if (nextMs > until.getTime() || nextMs === last) break;
    app.clock.moveTo(new Date(nextMs));
    await runDue(app);
    last = nextMs;
  }
  app.clock.moveTo(until);
  await runDue(app);
}

async function runDue(app: App): Promise<void> {
  for (const one of JOBS) while ((await one.run(app)) > 0);
  await deliverDue(app);
}

async function nextDueMs(app: App): Promise<number> {
  const moments = await Promise.all([
    ...JOBS.map((one) => one.nextAt?.(app)),
    nextDeliveryAt(app),
    nextTryAt(app.db),
  ]);
  return Math.min(...moments.map((moment) => moment?.getTime() ?? Number.POSITIVE_INFINITY));
}
