// GET /pay/{invoice}: what the payer sees, whatever state the payment is in.

import { WALLET_OF_SERVICE } from "../../domain/requisite.ts";
import type { App } from "../../platform/app.ts";
import { HttpFailure } from "../../platform/failure.ts";
import { type Document, type Visit, webPage } from "../../platform/web-page.ts";
import { openWallet } from "../requisites/wallet.ts";
import { methodsOf, visitedInvoice } from "./look-up.ts";
import type { CheckoutRow } from "./queries.ts";
import { type Screen, screenOf } from "./screen.ts";
import { checkoutPage, notFoundPage } from "./view.ts";

export const showPayment = webPage({
  method: "GET",
  path: "/pay/:invoice",
  answer: (app, visit) => showCheckout(app, visit),
});

/** Where a payer may go back to the choice: another bank, or another method. */
const MAY_CHANGE: ReadonlySet<Screen> = new Set(["details", "lapsed"]);

export async function showCheckout(app: App, visit: Visit, problem?: string): Promise<Document> {
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
