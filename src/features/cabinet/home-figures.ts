// Today's figures of one merchant, for the first page of their cabinet.

import type { Part } from "../../platform/html.ts";
import { type TallySight, todayFigures } from "../screens/tally-charts.ts";
import { currencyOf, type InCurrency, inEachCurrency } from "../screens/tally-currency.ts";
import { lastDays } from "../screens/tally-period.ts";
import { readOwnTallies } from "../tallies/own-tallies.endpoint.ts";
import type { MySight } from "./site.ts";

/** Today, and two weeks before it. */
const DAYS = 15;

/** Where the rows of some days are, of one shop or of all. */
export function tallySightOf(
  { look, root }: MySight,
  told: InCurrency,
  shopId?: string,
): TallySight {
  const { only, ...currency } = currencyOf(told);
  const ofShop = shopId === undefined ? "" : `&shop_id=${shopId}`;
  return {
    ...{ look, ...currency },
    invoices: (from, to) => `${root}/invoices?from=${from}&to=${to}${ofShop}${only}`,
    // What came in is in no list: the balance is moved by what is left of it. That is of all shops together, and
    // invoices are found by the day that they were created on.
    ...(shopId === undefined && {
      moneyRows: (from: string, to: string) =>
        `${root}/balance/entries?from=${from}&to=${to}${only}`,
    }),
  };
}

/** In the usual currency, and in each other one that had something; nothing for whose role sees no money. */
export async function homeFigures(sight: MySight): Promise<Part> {
  const { from } = lastDays(DAYS, sight.look);
  const usual = await sight.askIfAllowed(readOwnTallies, { from });
  const all =
    usual &&
    (await inEachCurrency(usual, (currency) => sight.ask(readOwnTallies, { from, currency })));
  return all?.map((told) => todayFigures(told.items, tallySightOf(sight, told), "credited"));
}
