// /desk/figures: how business goes, over days that the address says, and what waits now. Guards that every place of
// a chart leads to its rows.

import { html, type Part } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { readShop } from "../merchants/manage-shops.endpoint.ts";
import { barChart, sparkline } from "../screens/chart.ts";
import { numberText } from "../screens/locale.ts";
import { card, momentText, money } from "../screens/pieces.ts";
import { table } from "../screens/table.ts";
import {
  conversionOf,
  funnel,
  invoiceCharts,
  methodTable,
  moneyChart,
  percentText,
  speedChart,
  type Tally,
  weekGrid,
} from "../screens/tally-charts.ts";
import { chosenDays, type Days, dayAfter, periodLine } from "../screens/tally-period.ts";
import { readDetailsTallies } from "../tallies/read-details-tallies.endpoint.ts";
import { readPaySpeedsDoor } from "../tallies/read-pay-speeds.endpoint.ts";
import { readTalliesDoor } from "../tallies/read-tallies.endpoint.ts";
import { figuresOfNow } from "./figures-of-now.ts";
import { CURRENCY, homeFigures, tallySightOf } from "./home-figures.ts";
import { type DeskSight, desk } from "./site.ts";

const TOP = 10;

/** Whose money it is most of, each with their own days. */
async function topShops(sight: DeskSight, shops: readonly Tally[], days: Days): Promise<Part> {
  const { say, look, root } = sight;
  const top = shops.filter(({ received }) => received > 0).slice(0, TOP);
  if (top.length === 0) return false;
  const rows = await Promise.all(
    top.map(async (shop) => {
      const of = { from: days.from, currency: CURRENCY, shop_id: shop.key };
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
      rowHref: ({ key }) => `${root}/invoices?shop_id=${key}&from=${days.from}`,
      columns: [
        { label: say({ en: "Shop", ru: "Магазин" }), cell: ({ name }) => html`<bdi>${name}</bdi>` },
        {
          label: say({ en: "By day", ru: "По дням" }),
          cell: (row) => sparkline(row.days.map(({ received }) => received)),
        },
        {
          label: say({ en: "Received", ru: "Получено" }),
          align: "end",
          cell: ({ received }) => money(received, look, CURRENCY),
        },
        {
          label: say({ en: "Fees", ru: "Комиссия" }),
          align: "end",
          cell: ({ fee }) => money(fee, look, CURRENCY),
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

/** As many hours as a chart has room for, and the one that is not over. */
const HOURS = 48;
const HOUR_MS = 60 * 60 * 1000;

/** Why who asked for details got none, hour by hour; and how often they were given by raising the amount. */
async function refusals(sight: DeskSight): Promise<Part> {
  const { say, look } = sight;
  const from = new Date(look.now.getTime() - (HOURS - 1) * HOUR_MS).toISOString();
  const { items } = await sight.ask(readDetailsTallies, { from });
  const chart = barChart({
    title: say({
      en: "Why details were refused, by hour",
      ru: "Почему не выданы реквизиты, по часам",
    }),
    bars: items.map(({ key, nothing_free: held, limits, share, off }, at) => ({
      ...{ label: momentText(key, look), parts: [held, limits + share, off] },
      isUnfinished: at === items.length - 1,
    })),
    series: [
      say({ en: "This amount is not free", ru: "Сумма занята" }),
      say({ en: "Limits and shares", ru: "Лимиты и доли" }),
      say({ en: "Nothing suits, or is off", ru: "Нет подходящих или выключено" }),
    ],
    line: {
      label: say({ en: "Given with a raised amount", ru: "Выданы с поднятой суммой" }),
      values: items.map(({ raised }) => raised),
    },
    format: (value) => numberText(value, look.language),
    look,
  });
  const own = items.reduce((sum, { invoice }) => sum + invoice, 0);
  const note = say({
    en: `Refused for the invoice itself (over, paid, asked for too often) and not drawn: ${own}. Counted in the memory of each gateway and written down every 10 s: a crash loses ten seconds of these figures, and nothing else.`,
    ru: `Отказано из-за самого счёта (истёк, оплачен, слишком много попыток), на графике этого нет: ${own}. Считается в памяти каждого шлюза и записывается раз в 10 с: сбой теряет десять секунд этих чисел и больше ничего.`,
  });
  return card(undefined, html`${chart}<p class="muted">${note}</p>`);
}

export const figurePages: readonly WebPage[] = [
  desk.page({
    path: "/desk/figures",
    async show(sight) {
      const { look, say, visit, root } = sight;
      const days = chosenDays(visit.query["days"], look);
      const of = { from: days.from, currency: CURRENCY };
      const before = { from: dayAfter(days.from, -days.count), to: days.from, currency: CURRENCY };
      const [byDay, earlier, byShop, byMethod, byHour, speeds] = await Promise.all([
        sight.ask(readTalliesDoor, of),
        sight.ask(readTalliesDoor, before),
        sight.ask(readTalliesDoor, { ...of, by: "shop" }),
        sight.ask(readTalliesDoor, { ...of, by: "service" }),
        sight.ask(readTalliesDoor, { ...of, by: "weekday_hour" }),
        sight.ask(readPaySpeedsDoor, of),
      ]);
      const tallies = tallySightOf(sight);
      const line = periodLine(days, byDay.as_of, look, (count) => `${root}/figures?days=${count}`);
      const body = html`${await homeFigures(sight)}${line}${card(undefined, moneyChart(byDay.items, earlier.items, tallies))}${await topShops(
        sight,
        byShop.items,
        days,
      )}<div class="grid">${invoiceCharts(byDay.items, tallies)}${funnel(byDay.items, tallies)}${card(
        undefined,
        speedChart(speeds.items, tallies),
      )}</div>${methodTable(byMethod.items, tallies)}${card(undefined, weekGrid(byHour.items, tallies))}${await refusals(sight)}${await figuresOfNow(sight)}`;
      const title = say({ en: "Figures", ru: "Показатели" });
      return { title, body, command: `kopeck tally list --from ${days.from}` };
    },
  }),
];
