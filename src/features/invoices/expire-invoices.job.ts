// Invoices whose time is over expire, and their shop is told in the same transaction.

import { momentFormat } from "../../domain/moment.ts";
import { lockAvailable } from "../../platform/db-row.ts";
import { dueJob } from "../../platform/job.ts";
import { recordEvents } from "../webhooks/events.ts";
import { countInvoices } from "./count.ts";
import { invoiceEvent } from "./event.ts";
import { EXPIRE_INVOICES, expireInvoices } from "./queries.ts";

/** Small, so that nobody else waits long for this process. */
const PART_SIZE = 250;

export const expireInvoicesJob = dueJob({
  name: EXPIRE_INVOICES,
  everyMs: 1_000,
  /** On the embedded engine everybody would wait for its one connection until the last part is done. */
  setSize: ({ config }) => (config.databaseUrl === undefined ? PART_SIZE : 4 * PART_SIZE),
  /** In parts that do not wait for each other's answers; their events are recorded together, last. */
  async work(tx, app, ids, now) {
    const own = await lockAvailable(tx, "invoices", ids);
    const parts: string[][] = [];
    for (let from = 0; from < own.length; from += PART_SIZE) {
      parts.push(own.slice(from, from + PART_SIZE));
    }
    const expired = (await Promise.all(parts.map((part) => expireInvoices(tx, part, now)))).flat();
    const reject_time = momentFormat(app.config.timeZone).text(now);
    // Receivers are locked by their ids: in parts, two transactions could wait for each other.
    await recordEvents(
      tx,
      app,
      expired.map((invoice) => invoiceEvent(invoice, "expired", { reject_time })),
    );
    tx.onCommit(() => countInvoices(app, "expired", expired.length));
    return { over: own, done: expired.length };
  },
});
