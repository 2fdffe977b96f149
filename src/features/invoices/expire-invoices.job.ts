// Invoices whose time is over expire, and their shop is told in the same transaction.

import { momentFormat } from "../../domain/moment.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { dueJob } from "../../platform/due-job.ts";
import { recordEvents } from "../webhooks/events.ts";
import { invoiceEvent } from "./event.ts";
import { expireInvoices, findExpired } from "./queries.ts";

/** Small, so that nobody else waits long for this process. */
const PART_SIZE = 250;

export const expireInvoicesJob = dueJob({
  name: "expire-invoices",
  everyMs: 1_000,
  /** On the embedded engine everybody would wait for its one connection until the last part is done. */
  setSize: ({ config }) => (config.databaseUrl === undefined ? PART_SIZE : 4 * PART_SIZE),
  find: findExpired,
  /**
   * Parts of one transaction share a commit, and do not wait for each other: the server ends the invoices
   * of one while this process writes the events of another.
   */
  async work(tx, app, ids, now) {
    const parts: string[][] = [];
    for (let from = 0; from < ids.length; from += PART_SIZE) {
      parts.push(ids.slice(from, from + PART_SIZE));
    }
    const counts = await Promise.all(parts.map((part) => expirePart(tx, app, part, now)));
    return counts.reduce((sum, count) => sum + count, 0);
  },
});

async function expirePart(tx: Tx, app: App, ids: readonly string[], now: Date): Promise<number> {
  const reject_time = momentFormat(app.config.timeZone).text(now);
  const expired = await expireInvoices(tx, ids, now);
  await recordEvents(
    tx,
    app,
    expired.map((invoice) => invoiceEvent(invoice, "expired", { reject_time })),
  );
  return expired.length;
}
