// GET /pay/{invoice}: what the payer sees, whatever state the payment is in.

import { isTransferService, WALLET_OF_SERVICE } from "../../domain/requisite.ts";
import { feeOf } from "../../domain/tariff.ts";
import type { App } from "../../platform/app.ts";
import { html } from "../../platform/html.ts";
import { type Document, type Visit, webPage } from "../../platform/web-page.ts";
import { openWallet } from "../requisites/wallet.ts";
import { tariffsOfShops } from "../tariffs/queries.ts";
import { type CheckoutRow, findCheckout, offeredBanks } from "./queries.ts";
import { type Screen, screenOf } from "./screen.ts";
import { styleOf } from "./style.ts";
import { checkoutPage, type Method } from "./view.ts";
import { WORDS } from "./words.ts";

export const showPayment = webPage({
  method: "GET",
  path: "/pay/:invoice",
  answer: (app, visit) => showCheckout(app, visit, undefined),
});

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The invoice that a visit names; only those that have a page. */
export async function visitedInvoice(app: App, visit: Visit): Promise<CheckoutRow | undefined> {
  const { invoice = "" } = visit.params;
  if (!UUID.test(invoice)) return undefined;
  const row = await findCheckout(app.db, invoice);
  return row?.type === "link" ? row : undefined;
}

/** Where a payer may go back to the choice: another bank, or another method. */
const MAY_CHANGE: ReadonlySet<Screen> = new Set(["details", "lapsed"]);

export async function showCheckout(
  app: App,
  visit: Visit,
  problem: string | undefined,
): Promise<Document> {
  const row = await visitedInvoice(app, visit);
  if (row === undefined) return notFoundPage(visit);
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
    methods: screen === "choose" ? await methodsOf(app, row) : [],
    chosen: visit.query["service"] ?? visit.form["service"],
    isChange,
    problem,
  });
  return problem === undefined ? page : { ...page, status: 422 };
}

function walletOf({ secrets }: App, row: CheckoutRow): string | null {
  if (row.requisite_id === null || row.service === null) return null;
  return openWallet(secrets, row.requisite_id, WALLET_OF_SERVICE[row.service], row);
}

/** The invoice's methods that have a tariff and a bank, with the payer's part of the fee. */
async function methodsOf({ db }: App, row: CheckoutRow): Promise<Method[]> {
  const [tariffs, offers] = await Promise.all([
    tariffsOfShops(db, [row.shop_id]),
    offeredBanks(db, row.services, row.currency),
  ]);
  const usable = (tariffs.get(row.shop_id) ?? []).filter(
    ({ enabled, currency }) => enabled && currency === row.currency,
  );
  return row.services.filter(isTransferService).flatMap((service) => {
    const tariff = usable.find((one) => one.service === service);
    const banks = offers.filter((offer) => offer.service === service).map(({ bank }) => bank);
    if (tariff === undefined || banks.length === 0) return [];
    const { payerMinor } = feeOf(row.amount_minor, tariff);
    const toPayMinor = row.amount_minor + payerMinor;
    return [{ service, feeMinor: payerMinor, toPayMinor, banks }];
  });
}

function notFoundPage({ language }: Visit): Document {
  const words = WORDS[language];
  return {
    kind: "document",
    status: 404,
    language,
    title: words.notFound,
    style: styleOf(null),
    body: html`<main><div class="card"><h1>${words.notFound}</h1><p>${words.notFoundText}</p></div></main>`,
  };
}
