// Invoices whose time is over expire, and their shop is told in the same transaction.

import { momentFormat } from "../../domain/moment.ts";
import { job } from "../../platform/job.ts";
import { recordEvents } from "../webhooks/events.ts";
import { invoiceEvent } from "./event.ts";
import { expireDue } from "./queries.ts";

/** Small, so that nobody else waits long for the database or for this process. */
const SET_SIZE = 100;

export const expireInvoicesJob = job({
  name: "expire-invoices",
  everyMs: 1_000,
  run: (app) =>
    app.db.transaction(async (tx) => {
      const now = app.clock.now();
      const reject_time = momentFormat(app.config.timeZone).text(now);
      const expired = await expireDue(tx, now, SET_SIZE);
      await recordEvents(
        tx,
        app,
        expired.map((invoice) => invoiceEvent(invoice, "expired", { reject_time })),
      );
      return expired.length;
    }),
});
