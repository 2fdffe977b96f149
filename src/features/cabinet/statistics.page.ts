// /my/statistics: a merchant's business over days, of all shops or of one.

import { html } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { readOwnShops } from "../merchants/own-shops.endpoint.ts";
import { addressOf } from "../people/list-address.ts";
import { chosenDays, dayAfter } from "../screens/period.ts";
import { filterLines, statisticsBody } from "../screens/statistics-charts.ts";
import { readOwnStatistics } from "../statistics/own-statistics.endpoint.ts";
import { rowLinks } from "./home-statistics.ts";
import { cabinet } from "./site.ts";

const PATH = "/my/statistics";

export const myStatisticsPages: readonly WebPage[] = [
  cabinet.page({
    path: PATH,
    async show(sight) {
      const { look, say, visit } = sight;
      const days = chosenDays(visit.query["days"], look);
      const { currency: asked, shop_id: shopId } = visit.query;
      const wish = {
        from: days.from,
        ...(asked !== undefined && { currency: asked }),
        ...(shopId === undefined ? {} : { shop_id: shopId }),
      };
      const byDay = await sight.ask(readOwnStatistics, wish);
      const of = { ...wish, currency: byDay.currency };
      const before = { ...of, from: dayAfter(days.from, -days.count), to: days.from };
      const [byMethod, earlier, { items: own }] = await Promise.all([
        sight.ask(readOwnStatistics, { ...of, by: "method" }),
        sight.ask(readOwnStatistics, { ...before, by: "method" }),
        sight.ask(readOwnShops, {}),
      ]);
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
        body: html`${lines}${statisticsBody(byDay, byMethod, earlier.total, look, links)}`,
        command: `kopeck my statistics --from ${days.from} --currency ${of.currency}${ofShop}`,
      };
    },
  }),
];
