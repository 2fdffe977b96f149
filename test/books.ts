// The books must be right after every test that moves money: all invariants in one call.

import assert from "node:assert/strict";
import { findViolations } from "../src/features/ledger/queries.ts";
import { stampEventsJob } from "../src/features/webhooks/stamp-events.job.ts";
import type { App } from "../src/platform/app.ts";

export async function assertBooksAreRight({ app }: { readonly app: App }): Promise<void> {
  // A test moves time on faster than the job that gives events their positions comes by.
  await stampEventsJob.due?.settle(app);
  assert.deepEqual(await findViolations(app.db, app.clock.now()), []);
}
