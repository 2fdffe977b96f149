// Today's figures of the whole gateway, for the first page.

import type { Html } from "../../platform/html.ts";
import { type TallySight, todayFigures } from "../screens/tally-charts.ts";
import { currencyOf, type InCurrency, inEachCurrency } from "../screens/tally-currency.ts";
import { lastDays } from "../screens/tally-period.ts";
import { readTalliesDoor } from "../tallies/read-tallies.endpoint.ts";
import type { DeskSight } from "./site.ts";

/** Today, and two weeks before it. */
const DAYS = 15;

/** Where the rows of some days are: invoices that were created then, money that came then. */
export function tallySightOf(
  { look, root }: Pick<DeskSight, "look" | "root">,
  told: InCurrency,
): TallySight {
  const { only, ...currency } = currencyOf(told);
  const transfers = (from: string, to: string) => `${root}/transfers?from=${from}&to=${to}${only}`;
  return {
    ...{ look, ...currency, moneyRows: transfers, receivedRows: transfers },
    invoices: (from, to) => `${root}/invoices?from=${from}&to=${to}${only}`,
  };
}

/** In the usual currency, and in each other one that had something. */
export async function homeFigures(sight: DeskSight): Promise<Html[]> {
  const { from } = lastDays(DAYS, sight.look);
  const usual = await sight.askIfAllowed(readTalliesDoor, { from });
  if (usual === undefined) return [];
  const ask = (currency: string) => sight.ask(readTalliesDoor, { from, currency });
  return (await inEachCurrency(usual, ask)).map((told) =>
    todayFigures(told.items, tallySightOf(sight, told), "fee"),
  );
}
