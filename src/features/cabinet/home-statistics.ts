// Today's statistics of one merchant, for the first page of their cabinet.

import type { Html } from "../../platform/html.ts";
import { lastDays } from "../screens/period.ts";
import { type RowLinks, type Statistics, todayCards } from "../screens/statistics-charts.ts";
import { readOwnStatistics } from "../statistics/own-statistics.endpoint.ts";
import type { MySight } from "./site.ts";

/** No list has what came in: the balance is moved by what is left of it, and is of all shops together. */
export function rowLinks(
  { root }: Pick<MySight, "root">,
  { currency, currencies }: Pick<Statistics, "currency" | "currencies">,
  shopId?: string,
): RowLinks {
  const only = currencies.length > 1 ? `&currency=${currency}` : "";
  const ofShop = shopId === undefined ? "" : `&shop_id=${shopId}`;
  return {
    invoices: (from, to) => `${root}/invoices?from=${from}&to=${to}${ofShop}${only}`,
    ...(shopId === undefined && {
      money: (from: string, to: string) => `${root}/balance/entries?from=${from}&to=${to}${only}`,
    }),
  };
}

/** Nothing for a role that sees no money. */
export async function homeStatistics(sight: MySight): Promise<Html[]> {
  const { from } = lastDays(2, sight.look);
  const usual = await sight.askIfAllowed(readOwnStatistics, { from });
  if (usual === undefined) return [];
  const ask = (currency: string) => sight.ask(readOwnStatistics, { from, currency });
  return todayCards(usual, ask, sight.look, (told) => rowLinks(sight, told), "credited");
}
