// POST /pay/{invoice}/paid: the payer says to have paid and, later, what was sent. It is written down for whoever
// looks for the transfer; nothing else changes.

import { type PageAnswer, type Visit, webPage } from "../../platform/web-page.ts";
import { isEmptyWord, MAX_TIMES_TOLD, readWord } from "../payments/payer-word.ts";
import { sayPaid, tellWord } from "../payments/word-queries.ts";
import { visitedInvoice } from "./look-up.ts";
import { mayWait, screenOf } from "./screen.ts";
import { showCheckout } from "./show-payment.page.ts";
import { WORDS } from "./words.ts";

export const sayHavingPaid = webPage({
  method: "POST",
  path: "/pay/:invoice/paid",
  async answer(app, visit): Promise<PageAnswer> {
    const row = await visitedInvoice(app, visit);
    if (row === undefined) return showCheckout(app, visit);
    const now = app.clock.now();
    const screen = screenOf(row, now);
    if (row.payment_id !== null && (mayWait(screen) || screen === "failed")) {
      const word = readWord(visit.form);
      if (word === undefined) return showCheckout(app, visit, WORDS[visit.language].amountWrong);
      if (isEmptyWord(word)) await sayPaid(app.db, row.payment_id, now);
      else await tellWord(app.db, row.payment_id, word, MAX_TIMES_TOLD, now);
    }
    return toPage(visit);
  },
});

/** What a browser loads again after a form that did not get through. */
export const leavePaid = webPage({
  method: "GET",
  path: "/pay/:invoice/paid",
  answer: async (_app, visit) => toPage(visit),
});

function toPage({ params, language }: Visit): PageAnswer {
  const id = encodeURIComponent(params["invoice"] ?? "");
  return { kind: "redirect", to: `/pay/${id}?lang=${language}` };
}
