// POST /pay/{invoice}/simulate: in the sandbox the payer's own buttons play the bank, each its ending.

import { HttpFailure } from "../../platform/failure.ts";
import type { Job } from "../../platform/job.ts";
import { webPage } from "../../platform/web-page.ts";
import { visitedInvoice } from "../checkout/look-up.ts";
import { bookTold } from "../transfers/book-transfers.endpoint.ts";
import { ENDINGS, moneyFor } from "./add-transfer.endpoint.ts";

export const simulateTransfer = (jobs: readonly Job[]) =>
  webPage({
    method: "POST",
    path: "/pay/:invoice/simulate",
    async answer(app, visit) {
      const row = await visitedInvoice(app, visit);
      if (row === undefined) throw new HttpFailure("path_not_found");
      const { ending: wanted = "exact" } = visit.form;
      const ending = ENDINGS.find((one) => one === wanted);
      if (ending === undefined) throw new HttpFailure("bad_request");
      // Before there are details there is nothing to pay.
      if (row.payment_id !== null) {
        const money = await moneyFor(app, jobs, row.id, ending);
        await app.db.transaction(async (tx) => {
          const booked = await bookTold(tx, app, money);
          for (const one of booked) if (one instanceof Error) throw one;
        });
      }
      return { kind: "redirect", to: `/pay/${row.id}?lang=${visit.language}` };
    },
  });
