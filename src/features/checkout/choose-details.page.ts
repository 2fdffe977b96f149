// POST /pay/{invoice}: the payer has chosen a method and a bank, and gets details, or is told why not.

import { Refusal } from "../../domain/refusal.ts";
import { ANY_BANK, BANK_CODES, isTransferService } from "../../domain/requisite.ts";
import { publicBlock } from "../../platform/address.ts";
import type { App } from "../../platform/app.ts";
import { HttpFailure } from "../../platform/failure.ts";
import { type PageAnswer, type Visit, webPage } from "../../platform/web-page.ts";
import { shopOf } from "../merchants/principal.ts";
import { issueDetails } from "../payments/details.ts";
import { visitedInvoice } from "./look-up.ts";
import { showCheckout } from "./show-payment.page.ts";
import { refusedWords } from "./words.ts";

const MAX_USER_AGENT = 255;

export const chooseDetails = webPage({
  method: "POST",
  path: "/pay/:invoice",
  async answer(app, visit): Promise<PageAnswer> {
    const row = await visitedInvoice(app, visit);
    if (row === undefined) return showCheckout(app, visit);
    const service = visit.form["service"] ?? "";
    const bank = [...BANK_CODES, ANY_BANK].find((code) => code === visit.form["bank"]);
    if (!isTransferService(service) || bank === undefined) throw new HttpFailure("bad_request");
    const shop = await shopOf(app, row.shop_id);
    const [outcome] = await issueDetails(app, [
      {
        shop,
        invoiceId: row.id,
        service,
        bank,
        payerIp: visit.address,
        payer: publicBlock(visit.address),
        payerUserAgent: cleanText(visit.userAgent),
      },
    ]);
    if (outcome instanceof Refusal) return refused(app, visit, outcome);
    if (outcome instanceof Error) throw outcome;
    // The answer is the page itself, so that loading it again asks for nothing again.
    return { kind: "redirect", to: `/pay/${row.id}?lang=${visit.language}` };
  },
});

/** What happened in the meantime is shown as what it is; what cannot be had now is said. */
async function refused(app: App, visit: Visit, refusal: Refusal): Promise<PageAnswer> {
  const isNews = ["invoice_paid", "invoice_expired", "invoice_closed"].includes(refusal.code);
  return showCheckout(app, visit, isNews ? undefined : refusedWords(refusal, visit.language));
}

function cleanText(text: string): string | null {
  const kept = text.slice(0, MAX_USER_AGENT).replaceAll("\0", "").toWellFormed();
  return kept === "" ? null : kept;
}
