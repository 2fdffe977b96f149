// The books must be right after every test that moves money: all invariants in one call.

import assert from "node:assert/strict";
import { findViolations } from "../src/features/ledger/queries.ts";
import type { App } from "../src/platform/app.ts";

export async function assertBooksAreRight({ app }: { readonly app: App }): Promise<void> {
  assert.deepEqual(await findViolations(app.db, app.clock.now()), []);
}
