// POST /pay/{invoice}/simulate: in the sandbox the payer's own button plays the bank.

import { HttpFailure } from "../../platform/failure.ts";
import { webPage } from "../../platform/web-page.ts";
import { visitedInvoice } from "../checkout/look-up.ts";
import { acceptTransfer } from "../transfers/transfers.ts";

export const simulateTransfer = webPage({
  method: "POST",
  path: "/pay/:invoice/simulate",
  async answer(app, visit) {
    const row = await visitedInvoice(app, visit);
    if (row === undefined) throw new HttpFailure("path_not_found");
    const { requisite_id: requisiteId, to_pay_minor: amountMinor, payment_id: paymentId } = row;
    if (requisiteId !== null && amountMinor !== null) {
      // One transfer a payment: pressing twice sends no money twice.
      const reference = `simulated ${paymentId}`;
      const arrival = { requisiteId, currency: row.currency, amountMinor, reference };
      await app.db.transaction((tx) =>
        acceptTransfer(tx, app, { ...arrival, payer: "Sandbox payer" }),
      );
    }
    return { kind: "redirect", to: `/pay/${row.id}?lang=${visit.language}` };
  },
});
