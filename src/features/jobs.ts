// Every job of every room.

import { tendTablesJob } from "../platform/db-tend.ts";
import type { Job } from "../platform/job.ts";
import { tellPagesJob } from "./checkout/tell-pages.job.ts";
import { applyImportsJob } from "./intake/apply-imports.job.ts";
import { settlePayoutsJob } from "./intake/settle-payouts.job.ts";
import { watchSourcesJob } from "./intake/watch-sources.job.ts";
import { expireInvoicesJob } from "./invoices/expire-invoices.job.ts";
import { checkBooksJob } from "./ledger/check-books.job.ts";
import { releaseFreezesJob } from "./ledger/release-freezes.job.ts";
import { retentionJobs } from "./overview/forget-old.job.ts";
import { watchWaitingJob } from "./overview/watch-waiting.job.ts";
import { lapsePaymentsJob } from "./payments/lapse-payments.job.ts";
import { putBackDaysJob } from "./payments/put-back-days.job.ts";
import { endHoldsJob, endLeasesJob, returnSandboxPayoutsJob } from "./payouts/due-payouts.job.ts";
import { lookAtPayoutsJob } from "./payouts/look-at-payouts.job.ts";
import { sendPayoutsJob } from "./payouts/send-payouts.job.ts";
import { watchPayoutsJob } from "./payouts/watch-payouts.job.ts";
import { forgetVisitsJob } from "./people/forget-visits.job.ts";
import { sendLettersJob } from "./people/send-letters.job.ts";
import { tellScreensJob } from "./people/tell-screens.job.ts";
import { countStatisticsJob } from "./statistics/count-statistics.job.ts";
import { deliverEventsJob } from "./webhooks/deliver-events.job.ts";
import { stampEventsJob } from "./webhooks/stamp-events.job.ts";

export const jobs: readonly Job[] = [
  lapsePaymentsJob,
  expireInvoicesJob,
  releaseFreezesJob,
  endHoldsJob,
  endLeasesJob,
  sendPayoutsJob,
  lookAtPayoutsJob,
  returnSandboxPayoutsJob,
  putBackDaysJob,
  applyImportsJob,
  settlePayoutsJob,
  deliverEventsJob,
  stampEventsJob,
  countStatisticsJob,
  watchWaitingJob,
  watchPayoutsJob,
  watchSourcesJob,
  checkBooksJob,
  tellPagesJob,
  tellScreensJob,
  sendLettersJob,
  forgetVisitsJob,
  tendTablesJob,
  ...retentionJobs,
];
