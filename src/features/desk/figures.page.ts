// /desk/figures: how business goes, over days that the address says. Guards that every place of a chart leads to its
// rows.

import { html, type Part } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { readShop } from "../merchants/manage-shops.endpoint.ts";
import { addressOf } from "../people/list-address.ts";
import { sparkline } from "../screens/chart.ts";
import { card, money } from "../screens/pieces.ts";
import { table } from "../screens/table.ts";
import {
  conversionOf,
  funnel,
  invoiceCharts,
  methodTables,
  moneyChart,
  percentText,
  speedChart,
  type Tally,
  todayFigures,
  weekGrid,
} from "../screens/tally-charts.ts";
import { currencyLine, currencyOf, type InCurrency } from "../screens/tally-currency.ts";
import { chosenDays, dayAfter, periodLine } from "../screens/tally-period.ts";
import { readPaySpeedsDoor } from "../tallies/read-pay-speeds.endpoint.ts";
import { readTalliesDoor } from "../tallies/read-tallies.endpoint.ts";
import { suspenseFlows } from "./flow-charts.ts";
import { tallySightOf } from "./home-figures.ts";
import { type DeskSight, desk } from "./site.ts";

const TOP = 3;

/** Whose money it is most of, each with their own days. */
async function topShops(
  sight: DeskSight,
  shops: readonly Tally[],
  { from, ...told }: InCurrency & { readonly from: string },
): Promise<Part> {
  const { say, look, root } = sight;
  const { currency, only } = currencyOf(told);
  const top = shops.filter(({ received }) => received > 0).slice(0, TOP);
  if (top.length === 0) return false;
  const rows = await Promise.all(
    top.map(async (shop) => {
      const of = { from, currency, shop_id: shop.key };
      const [known, { items }] = await Promise.all([
        sight.askIfAllowed(readShop, { shop_id: shop.key }),
        sight.ask(readTalliesDoor, of),
      ]);
      return { ...shop, name: known?.name ?? shop.key, days: items };
    }),
  );
  const title = say({ en: "Shops with most money", ru: "Магазины с наибольшим оборотом" });
  return card(
    title,
    table({
      ...{ caption: title, rows },
      rowHref: ({ key }) => `${root}/invoices?shop_id=${key}&from=${from}${only}`,
      columns: [
        { label: say({ en: "Shop", ru: "Магазин" }), cell: ({ name }) => html`<bdi>${name}</bdi>` },
        {
          label: say({ en: "By day", ru: "По дням" }),
          cell: (row) => sparkline(row.days.map(({ received }) => received)),
        },
        {
          label: say({ en: "Received", ru: "Получено" }),
          align: "end",
          cell: ({ received }) => money(received, look, currency),
        },
        {
          label: say({ en: "Fees", ru: "Комиссия" }),
          align: "end",
          cell: ({ fee }) => money(fee, look, currency),
        },
        {
          label: say({ en: "Conversion", ru: "Конверсия" }),
          align: "end",
          cell: (row) => percentText(conversionOf([row])),
        },
      ],
    }),
  );
}

export const figurePages: readonly WebPage[] = [
  desk.page({
    path: "/desk/figures",
    async show(sight) {
      const { look, say, visit, root } = sight;
      const days = chosenDays(visit.query["days"], look);
      const { currency: asked } = visit.query;
      const wish = { from: days.from, ...(asked !== undefined && { currency: asked }) };
      const byDay = await sight.ask(readTalliesDoor, wish);
      const of = { from: days.from, currency: byDay.currency };
      const before = { ...of, from: dayAfter(days.from, -days.count), to: days.from };
      const [earlier, byShop, byMethod, byBank, byHour, speeds] = await Promise.all([
        sight.ask(readTalliesDoor, before),
        sight.ask(readTalliesDoor, { ...of, by: "shop" }),
        sight.ask(readTalliesDoor, { ...of, by: "service" }),
        sight.ask(readTalliesDoor, { ...of, by: "bank" }),
        sight.ask(readTalliesDoor, { ...of, by: "weekday_hour" }),
        sight.ask(readPaySpeedsDoor, of),
      ]);
      const tallies = tallySightOf(sight, byDay);
      const [, query = ""] = visit.url.split("?");
      const here = (change: Record<string, string>) => addressOf(`${root}/figures`, query, change);
      const line = periodLine(days, byDay.as_of, look, (count) => here({ days: String(count) }));
      const currencies = currencyLine(byDay, look, (currency) => here({ currency }));
      const [top, flows] = await Promise.all([
        topShops(sight, byShop.items, { ...byDay, ...of }),
        suspenseFlows(sight, of),
      ]);
      const body = html`${todayFigures(byDay.items, tallies, "fee")}${line}${currencies}${card(undefined, moneyChart(byDay.items, earlier.items, tallies))}${top}<div class="grid">${invoiceCharts(byDay.items, tallies)}${funnel(byDay.items, tallies)}${card(
        undefined,
        speedChart(speeds.items, tallies),
      )}</div>${methodTables(byMethod.items, byBank.items, tallies)}${card(undefined, weekGrid(byHour.items, tallies))}${flows}`;
      const title = say({ en: "Figures", ru: "Показатели" });
      return {
        title,
        body,
        command: `kopeck tally list --from ${days.from} --currency ${of.currency}`,
      };
    },
  }),
];
