// What the payment pages look up. Views that arrive together share a statement, whether they are of one
// invoice or of many; and only a few at a time do, so that between them there is room for the API.

import { isTransferService } from "../../domain/requisite.ts";
import { feeOf, leavesCredit } from "../../domain/tariff.ts";
import { type App, perApp } from "../../platform/app.ts";
import { coalesce } from "../../platform/coalesce.ts";
import type { Queryable } from "../../platform/db.ts";
import { HttpFailure } from "../../platform/failure.ts";
import type { Visit } from "../../platform/web-page.ts";
import { type ShopTariff, tariffsOfShops } from "../tariffs/queries.ts";
import {
  type CheckoutRow,
  findCheckouts,
  type Offer,
  offeredBanks,
  type Standing,
  standings,
} from "./queries.ts";
import type { Method } from "./screen.ts";

/**
 * They are also drawn and sent together, 0.4 ms each, while every other request waits. With 64 readers
 * of a page, sets of 4 left 0.75 of the rate of details, sets of 8 left 0.65, sets of any size 0.4.
 */
const VIEWS_AT_ONCE = 4;

const checkouts = lookUp("page of an invoice", findCheckouts);
const latestStandings = lookUp("standing of an invoice", standings);

/** The invoice that a visit names; only those that have a page. */
export async function visitedInvoice(app: App, visit: Visit): Promise<CheckoutRow | undefined> {
  const id = invoiceIdOf(visit);
  return id === undefined ? undefined : checkouts(app)(id);
}

/** How the invoice stands that a visit names: all that a page asks for which is open already. */
export async function visitedStanding(app: App, visit: Visit): Promise<Standing> {
  const id = invoiceIdOf(visit);
  const found = id === undefined ? undefined : await latestStandings(app)(id);
  if (found === undefined) throw new HttpFailure("path_not_found");
  return found;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function invoiceIdOf({ params: { invoice = "" } }: Visit): string | undefined {
  const id = invoice.toLowerCase();
  return UUID.test(id) ? id : undefined;
}

function lookUp<Row extends { readonly id: string }>(
  name: string,
  read: (db: Queryable, ids: readonly string[]) => Promise<Row[]>,
) {
  return perApp((app) =>
    coalesce<string, Row | undefined>({
      async run(ids) {
        const rows = await read(app.db, [...new Set(ids)]);
        const byId = new Map(rows.map((row) => [row.id, row]));
        return ids.map((id) => byId.get(id));
      },
      maxSetSize: VIEWS_AT_ONCE,
      onSet: (size, seconds) => app.metrics.setRun(name, size, seconds),
    }),
  );
}

/** The methods of an invoice that can be chosen now. */
export const methodsOf = perApp((app) =>
  coalesce<CheckoutRow, readonly Method[]>({
    async run(rows) {
      const [tariffs, offers] = await Promise.all([
        tariffsOfShops(
          app.db,
          rows.map((row) => row.shop_id),
        ),
        offeredBanks(app.db, [...new Set(rows.map((row) => row.currency))]),
      ]);
      return rows.map((row) => usableMethods(row, tariffs.get(row.shop_id) ?? [], offers));
    },
    onSet: (size, seconds) => app.metrics.setRun("methods of an invoice", size, seconds),
  }),
);

/** Those that have a tariff and a bank, with the payer's part of the fee; the cheapest first. */
function usableMethods(
  row: CheckoutRow,
  tariffs: readonly ShopTariff[],
  offers: readonly Offer[],
): Method[] {
  const methods = row.services.filter(isTransferService).flatMap((service): Method[] => {
    const tariff = tariffs.find(
      (one) => one.service === service && one.enabled && one.currency === row.currency,
    );
    const banks = offers
      .filter((offer) => offer.currency === row.currency && offer[service])
      .map(({ bank }) => bank);
    if (tariff === undefined || banks.length === 0) return [];
    const fee = feeOf(row.amount_minor, tariff);
    if (!leavesCredit(row.amount_minor, fee)) return [];
    const { payerMinor } = fee;
    const toPayMinor = row.amount_minor + payerMinor;
    return [{ service, feeMinor: payerMinor, toPayMinor, banks }];
  });
  return methods.toSorted((left, right) => Number(left.feeMinor - right.feeMinor));
}
