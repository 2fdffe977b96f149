// Invoices whose time is over expire, and their shop is told in the same transaction.

import { momentFormat } from "../../domain/moment.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { job } from "../../platform/job.ts";
import { recordEvents } from "../webhooks/events.ts";
import { invoiceEvent } from "./event.ts";
import { expireDue } from "./queries.ts";

/** Small, so that nobody else waits long for this process. */
const PART_SIZE = 250;

/**
 * Parts of one transaction share a commit, and do not wait for each other: the server ends the invoices
 * of one while this process writes the events of another. On the embedded engine everybody would wait
 * for its one connection until the last part is done.
 */
const PARTS = { server: 4, embedded: 1 };

export const expireInvoicesJob = job({
  name: "expire-invoices",
  everyMs: 1_000,
  run: (app) =>
    app.db.transaction(async (tx) => {
      const parts = app.config.databaseUrl === undefined ? PARTS.embedded : PARTS.server;
      const first = await expireSome(tx, app, PART_SIZE);
      if (first < PART_SIZE) return first;
      const others = await Promise.all(
        Array.from({ length: parts - 1 }, () => expireSome(tx, app, PART_SIZE)),
      );
      return others.reduce((sum, count) => sum + count, first);
    }),
});

async function expireSome(tx: Tx, app: App, limit: number): Promise<number> {
  const now = app.clock.now();
  const reject_time = momentFormat(app.config.timeZone).text(now);
  const expired = await expireDue(tx, now, limit);
  await recordEvents(
    tx,
    app,
    expired.map((invoice) => invoiceEvent(invoice, "expired", { reject_time })),
  );
  return expired.length;
}
