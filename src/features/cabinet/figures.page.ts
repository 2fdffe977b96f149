// /my/figures: how a merchant's business goes, over days and of a shop that the address says.

import { html, type Part } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { readOwnBalance } from "../ledger/own-balance.endpoint.ts";
import { readOwnShops } from "../merchants/own-shops.endpoint.ts";
import { addressOf } from "../people/list-address.ts";
import { card, figures, money } from "../screens/pieces.ts";
import {
  funnel,
  invoiceCharts,
  methodTables,
  moneyChart,
  speedChart,
} from "../screens/tally-charts.ts";
import { currencyLine } from "../screens/tally-currency.ts";
import { chosenDays, dayAfter, periodLine } from "../screens/tally-period.ts";
import { labelOf } from "../screens/words.ts";
import { readOwnPaySpeeds, readOwnTallies } from "../tallies/own-tallies.endpoint.ts";
import { homeFigures, tallySightOf } from "./home-figures.ts";
import { cabinet, type MySight } from "./site.ts";

const PATH = "/my/figures";

/** Links to the figures of each shop, where there are several. */
async function shopLine(sight: MySight, chosen: string | undefined): Promise<Part> {
  const { items } = await sight.ask(readOwnShops, {});
  if (items.length < 2) return false;
  const [, query = ""] = sight.visit.url.split("?");
  const all = { shop_id: "", name: sight.say({ en: "All shops", ru: "Все магазины" }) };
  const links = [all, ...items].map(({ shop_id, name }) => {
    const isHere = shop_id === (chosen ?? "") && html` aria-current="true"`;
    return html`<a class="button plain" href="${addressOf(PATH, query, { shop_id })}"${isHere}><bdi>${name}</bdi></a>`;
  });
  const label = sight.say({ en: "Shop", ru: "Магазин" });
  return html`<nav class="pages" aria-label="${label}">${links}</nav>`;
}

async function balances(sight: MySight): Promise<Part> {
  const { say, look, root } = sight;
  const { items } = await sight.ask(readOwnBalance, {});
  const title = say({ en: "Balance now", ru: "Баланс сейчас" });
  const parts = ["available", "frozen", "reserved"] as const;
  return items.map((one) =>
    card(
      title,
      figures(
        parts.map((part) => [
          labelOf(part, look.language),
          html`<a href="${root}/balance">${money(one[part], look, one.currency)}</a>`,
        ]),
      ),
    ),
  );
}

export const myFigurePages: readonly WebPage[] = [
  cabinet.page({
    path: PATH,
    async show(sight) {
      const { look, say, visit } = sight;
      const days = chosenDays(visit.query["days"], look);
      const shopId = visit.query["shop_id"];
      const { currency: asked } = visit.query;
      const wish = {
        ...{ from: days.from, ...(asked !== undefined && { currency: asked }) },
        ...(shopId === undefined ? {} : { shop_id: shopId }),
      };
      const byDay = await sight.ask(readOwnTallies, wish);
      const of = { ...wish, currency: byDay.currency };
      const before = { ...of, from: dayAfter(days.from, -days.count), to: days.from };
      const [earlier, byMethod, byBank, speeds, shops, balance, today] = await Promise.all([
        sight.ask(readOwnTallies, before),
        sight.ask(readOwnTallies, { ...of, by: "service" }),
        sight.ask(readOwnTallies, { ...of, by: "bank" }),
        sight.ask(readOwnPaySpeeds, of),
        shopLine(sight, shopId),
        balances(sight),
        homeFigures(sight),
      ]);
      const tallies = tallySightOf(sight, byDay, shopId);
      const [, query = ""] = visit.url.split("?");
      const line = periodLine(days, byDay.as_of, look, (count) =>
        addressOf(PATH, query, { days: String(count) }),
      );
      const currencies = currencyLine(byDay, look, (currency) =>
        addressOf(PATH, query, { currency }),
      );
      const body = html`${today}${balance}${line}${currencies}${shops}${card(
        undefined,
        moneyChart(byDay.items, earlier.items, tallies),
      )}<div class="grid">${invoiceCharts(byDay.items, tallies)}${funnel(byDay.items, tallies)}${card(
        undefined,
        speedChart(speeds.items, tallies),
      )}</div>${methodTables(byMethod.items, byBank.items, tallies)}`;
      const title = say({ en: "Figures", ru: "Показатели" });
      const ofShop = shopId === undefined ? "" : ` --shop-id ${shopId}`;
      return {
        title,
        body,
        command: `kopeck my tally list --from ${days.from} --currency ${of.currency}${ofShop}`,
      };
    },
  }),
];
