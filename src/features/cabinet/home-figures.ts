// Today's figures of one merchant, for the first page of their cabinet.

import { html, type Part } from "../../platform/html.ts";
import { type TallySight, todayFigures } from "../screens/tally-charts.ts";
import { lastDays } from "../screens/tally-period.ts";
import { readOwnTallies } from "../tallies/own-tallies.endpoint.ts";
import type { MySight } from "./site.ts";

/** Today, and two weeks before it. */
const DAYS = 15;
export const CURRENCY = "RUB";

/** Where the rows of some days are, of one shop or of all. */
export function tallySightOf({ look, root }: MySight, shopId?: string): TallySight {
  const invoices = (from: string, to: string): string =>
    `${root}/invoices?from=${from}&to=${to}${shopId === undefined ? "" : `&shop_id=${shopId}`}`;
  return {
    ...{ look, currency: CURRENCY, invoices },
    // What came in is in no list: the balance is moved by what is left of it. That is of all shops together, and
    // invoices are found by the day that they were created on.
    ...(shopId === undefined && {
      moneyRows: (from: string, to: string) => `${root}/balance/entries?from=${from}&to=${to}`,
    }),
  };
}

/** Nothing for whose role sees no money. */
export async function homeFigures(sight: MySight): Promise<Part> {
  const { from } = lastDays(DAYS, sight.look);
  const tallies = await sight.askIfAllowed(readOwnTallies, { from, currency: CURRENCY });
  return tallies && html`${todayFigures(tallies.items, tallySightOf(sight), "credited")}`;
}
