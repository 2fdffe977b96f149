// /my/statistics: a merchant's business over days, of all shops or of one.

import { type Html, html } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { readOwnShops } from "../merchants/own-shops.endpoint.ts";
import { addressOf } from "../people/list-page.ts";
import { chosenDays, lastDays } from "../screens/chart.ts";
import {
  filterLines,
  type RowLinks,
  readDays,
  type Statistics,
  statisticsBody,
  todayCards,
} from "../screens/statistics-charts.ts";
import { readOwnStatistics } from "../statistics/read-statistics.endpoint.ts";
import { cabinet, type MySight } from "./site.ts";

/** No list has what came in: the balance is moved by what is left of it, and is of all shops together. */
function rowLinks(
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

const PATH = "/my/statistics";

export const myStatisticsPages: readonly WebPage[] = [
  cabinet.page({
    path: PATH,
    async show(sight) {
      const { look, say, visit } = sight;
      const days = chosenDays(visit.query["days"], look);
      const shopId = visit.query["shop_id"];
      const { of, byDay, byMethod, before } = await readDays(visit.query, days, (wish) =>
        sight.ask(readOwnStatistics, wish),
      );
      const { items: own } = await sight.ask(readOwnShops, {});
      const all = { id: "", name: say({ en: "All shops", ru: "Все магазины" }) };
      const several = own.length > 1 ? own : [];
      const shops = [all, ...several.map(({ shop_id: id, name }) => ({ id, name }))].map((one) => ({
        ...one,
        isChosen: one.id === (shopId ?? ""),
      }));
      const [, query = ""] = visit.url.split("?");
      const lines = filterLines(days, byDay, shops, look, (change) =>
        addressOf(PATH, query, change),
      );
      const links = rowLinks(sight, byDay, shopId);
      const ofShop = shopId === undefined ? "" : ` --shop-id ${shopId}`;
      return {
        title: say({ en: "Statistics", ru: "Статистика" }),
        body: html`${lines}${statisticsBody(byDay, byMethod, before, look, links)}`,
        command: `kopeck my statistics --from ${days.from} --currency ${of.currency}${ofShop}`,
      };
    },
  }),
];
