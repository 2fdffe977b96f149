// Today's statistics of the whole gateway, for the first page and for a wall.

import type { Html } from "../../platform/html.ts";
import { lastDays } from "../screens/chart.ts";
import { type RowLinks, type Statistics, todayCards } from "../screens/statistics-charts.ts";
import { readAllStatistics } from "../statistics/read-statistics.endpoint.ts";
import type { DeskSight } from "./site.ts";

/** No list of transfers is of one shop. */
export function rowLinks(
  { root }: Pick<DeskSight, "root">,
  { currency, currencies }: Pick<Statistics, "currency" | "currencies">,
  shopId?: string,
): RowLinks {
  const only = currencies.length > 1 ? `&currency=${currency}` : "";
  const ofShop = shopId === undefined ? "" : `&shop_id=${shopId}`;
  const transfers = (from: string, to: string) => `${root}/transfers?from=${from}&to=${to}${only}`;
  return {
    ...(shopId === undefined && { money: transfers, received: transfers }),
    invoices: (from, to) => `${root}/invoices?from=${from}&to=${to}${ofShop}${only}`,
  };
}

export async function homeStatistics(
  sight: Pick<DeskSight, "look" | "root" | "ask" | "askIfAllowed">,
): Promise<Html[]> {
  const { from } = lastDays(2, sight.look);
  const usual = await sight.askIfAllowed(readAllStatistics, { from });
  if (usual === undefined) return [];
  const ask = (currency: string) => sight.ask(readAllStatistics, { from, currency });
  return todayCards(usual, ask, sight.look, (told) => rowLinks(sight, told), "fee");
}
