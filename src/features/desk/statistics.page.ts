// /desk/statistics: the gateway's business over days, of all shops or of one.

import { html } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { addressOf } from "../people/list-page.ts";
import { chosenDays } from "../screens/chart.ts";
import { card, table } from "../screens/pieces.ts";
import {
  filterLines,
  readDays,
  type Statistics,
  statisticsBody,
  sumColumns,
} from "../screens/statistics-charts.ts";
import { readAllStatistics } from "../statistics/read-statistics.endpoint.ts";
import { rowLinks } from "./home-statistics.ts";
import { type DeskSight, desk, shopNames } from "./site.ts";

const MOST_SHOPS = 20;

/** The shops with most money, each with the way to its own statistics. */
async function shopTable(
  sight: DeskSight,
  { items, currency }: Statistics,
  hrefOf: (shopId: string) => string,
) {
  const top = items.slice(0, MOST_SHOPS);
  const names = await shopNames(
    sight,
    top.map(({ key }) => key),
  );
  const title = sight.say({ en: "Shops with most money", ru: "Магазины с наибольшим оборотом" });
  const rows = table({
    caption: title,
    rows: top,
    rowHref: ({ key }) => hrefOf(key),
    columns: [
      {
        label: sight.say({ en: "Shop", ru: "Магазин" }),
        cell: ({ key }) => html`<bdi>${names.get(key) ?? key}</bdi>`,
      },
      ...sumColumns(sight.look, currency),
    ],
  });
  return top.length > 0 && card(title, rows);
}

export const statisticsPages: readonly WebPage[] = [
  desk.page({
    path: "/desk/statistics",
    async show(sight) {
      const { look, say, visit, root } = sight;
      const days = chosenDays(visit.query["days"], look);
      const shopId = visit.query["shop_id"];
      const { of, byDay, byMethod, before } = await readDays(visit.query, days, (wish) =>
        sight.ask(readAllStatistics, wish),
      );
      const byShop =
        shopId === undefined && (await sight.ask(readAllStatistics, { ...of, by: "shop" }));
      const [, query = ""] = visit.url.split("?");
      const here = (change: Record<string, string>) =>
        addressOf(`${root}/statistics`, query, change);
      const all = { id: "", name: say({ en: "All shops", ru: "Все магазины" }), isChosen: false };
      const names = shopId === undefined ? undefined : await shopNames(sight, [shopId]);
      const shops = names
        ? [all, ...[...names].map(([id, name]) => ({ id, name, isChosen: true }))]
        : [];
      const lines = filterLines(days, byDay, shops, look, here);
      const links = rowLinks(sight, byDay, shopId);
      const ofShop = shopId === undefined ? "" : ` --shop-id ${shopId}`;
      const top = byShop && (await shopTable(sight, byShop, (id) => here({ shop_id: id })));
      return {
        title: say({ en: "Statistics", ru: "Статистика" }),
        body: html`${lines}${statisticsBody(byDay, byMethod, before, look, links)}${top}`,
        command: `kopeck statistics --from ${days.from} --currency ${of.currency}${ofShop}`,
      };
    },
  }),
];
