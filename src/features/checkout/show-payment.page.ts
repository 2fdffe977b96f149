// GET /pay/{invoice}, and the two forms of the payment page: the choice of a method, and the payer's word.

import { Refusal } from "../../domain/refusal.ts";
import {
  ANY_BANK,
  BANK_CODES,
  isTransferService,
  WALLET_OF_SERVICE,
} from "../../domain/requisite.ts";
import { publicBlock } from "../../platform/address.ts";
import type { App } from "../../platform/app.ts";
import { HttpFailure } from "../../platform/failure.ts";
import { type Document, type PageAnswer, type Visit, webPage } from "../../platform/web-page.ts";
import { shopOf } from "../merchants/principal.ts";
import { issueDetails } from "../payments/details.ts";
import { isEmptyWord, MAX_TIMES_TOLD, readWord } from "../payments/payer-word.ts";
import { sayPaid, tellWord } from "../payments/word-queries.ts";
import { openWallet } from "../requisites/wallet.ts";
import { mayWait, methodsOf, type Screen, screenOf, visitedInvoice } from "./look-up.ts";
import type { CheckoutRow } from "./queries.ts";
import { checkoutPage, notFoundPage } from "./view.ts";
import { refusedWords, WORDS } from "./words.ts";

export const showPayment = webPage({
  method: "GET",
  path: "/pay/:invoice",
  answer: (app, visit) => showCheckout(app, visit),
});

/** Where a payer may go back to the choice: another bank, or another method. */
const MAY_CHANGE: ReadonlySet<Screen> = new Set(["details", "lapsed"]);

async function showCheckout(app: App, visit: Visit, problem?: string): Promise<Document> {
  const row = await visitedInvoice(app, visit);
  if (row === undefined) {
    if (visit.wantsJson) throw new HttpFailure("path_not_found");
    return notFoundPage(visit.language);
  }
  const now = app.clock.now();
  const stands = screenOf(row, now);
  const isChange = visit.query["change"] !== undefined;
  const screen = isChange && MAY_CHANGE.has(stands) ? "choose" : stands;
  const page = checkoutPage({
    config: app.config,
    language: visit.language,
    now,
    row,
    screen,
    wallet: screen === "details" ? walletOf(app, row) : null,
    methods: screen === "choose" ? await methodsOf(app)(row) : [],
    chosen: visit.query["service"] ?? visit.form["service"],
    isChange,
    hasDetails: stands === "details",
    problem,
  });
  return problem === undefined ? page : { ...page, status: 422 };
}

function walletOf({ secrets }: App, row: CheckoutRow): string | null {
  const { requisite_id: id, service, number_sealed: sealed } = row;
  if (id === null || service === null || sealed === null) return null;
  return openWallet(secrets, id, WALLET_OF_SERVICE[service], sealed);
}

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
