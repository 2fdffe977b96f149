// What a view of the payment page reads, in one look, and which screen that is.

import { isOver } from "../../domain/invoice.ts";
import { type BankCode, isTransferService, type TransferService } from "../../domain/requisite.ts";
import { feeOf, leavesCredit } from "../../domain/tariff.ts";
import { type App, perApp } from "../../platform/app.ts";
import { coalesce } from "../../platform/coalesce.ts";
import type { Config } from "../../platform/config.ts";
import type { Queryable } from "../../platform/db.ts";
import { HttpFailure, type Language } from "../../platform/failure.ts";
import type { Visit } from "../../platform/web-page.ts";
import { MAX_DETAILS_ON_PAGE } from "../payments/details.ts";
import { type ShopTariff, tariffsOfShops } from "../tariffs/queries.ts";
import {
  type CheckoutRow,
  findCheckouts,
  type Offer,
  offeredBanks,
  type Standing,
  standings,
} from "./queries.ts";

export type Screen = "choose" | "details" | "lapsed" | "paid" | "expired" | "failed" | "refunded";

/** A method that can be chosen: its banks, and what it costs the payer. */
export interface Method {
  readonly service: TransferService;
  readonly feeMinor: bigint;
  readonly toPayMinor: bigint;
  readonly banks: readonly BankCode[];
}

export interface Checkout {
  readonly config: Config;
  readonly language: Language;
  readonly now: Date;
  readonly row: CheckoutRow;
  readonly screen: Screen;
  /** The card or phone to pay to, on the screen that shows it. */
  readonly wallet: string | null;
  readonly methods: readonly Method[];
  /** The method that was chosen, where there are several. */
  readonly chosen: string | undefined;
  /** The payer wants to choose again, though there were details already. */
  readonly isChange: boolean;
  /** Whether there are details that the payer may go back to. */
  readonly hasDetails: boolean;
  /** Why the last wish could not be met. */
  readonly problem: string | undefined;
}

/** What the rows say counts; between a moment and the job that writes it, the moment does. */
export function screenOf(row: CheckoutRow, now: Date): Screen {
  if (row.state !== "created" && row.state !== "pending") return row.state;
  if (isOver(row.expires_at, now)) return "expired";
  if (row.payment_state === null || row.ends_at === null) return "choose";
  const isLive = row.payment_state === "live" && !isOver(row.ends_at, now);
  // A card that was switched off is shown to nobody any more; money that is under way is found all the same.
  return isLive && row.is_given_out ? "details" : "lapsed";
}

/** Whether the order has had its last details: then no button offers more of them. */
export function isSpent({ details }: CheckoutRow): boolean {
  return details >= MAX_DETAILS_ON_PAGE;
}

/** Whether there were details, and their money may still come. */
export function mayWait(screen: Screen): boolean {
  return screen === "details" || screen === "lapsed" || screen === "expired";
}

/** Whether money that comes now is no longer recognised by itself, whoever sent it. */
export function isTooLate({ row, now }: Pick<Checkout, "row" | "now">): boolean {
  return row.slot_until !== null && isOver(row.slot_until, now);
}

/** Banks tell of most transfers sooner; whoever has waited so long is asked what was sent. */
const ASK_AFTER_MS = 2 * 60_000;

/** How far a payer is who says to have paid: not said, said, long ago enough to be asked what was sent. */
export function saidOf({ row, now }: Pick<Checkout, "row" | "now">): "no" | "now" | "before" {
  if (row.paid_said_at === null) return "no";
  return now.getTime() - row.paid_said_at.getTime() < ASK_AFTER_MS ? "now" : "before";
}

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
