// Charts of the desk's figures: money that came to wait and ceased to, how webhooks were heard, by day, and why details
// were refused, by hour. Guards that a day of waiting money leads to the entries that it is the sum of.

import { html, type Part } from "../../platform/html.ts";
import { barChart } from "../screens/chart.ts";
import { hookCharts } from "../screens/hook-charts.ts";
import { numberText } from "../screens/locale.ts";
import { card, momentText, moneyText } from "../screens/pieces.ts";
import { lastDays, placesOf } from "../screens/tally-period.ts";
import { readDetailsTallies } from "../tallies/read-details-tallies.endpoint.ts";
import { readHookTalliesDoor } from "../tallies/read-hook-tallies.endpoint.ts";
import { readSuspenseFlows } from "../tallies/read-suspense-flows.endpoint.ts";
import type { DeskSight } from "./site.ts";

type Amount = "came_amount" | "assigned_amount" | "left_amount";

/** What came stands, what ceased to wait hangs down. */
export async function suspenseFlows(
  sight: DeskSight,
  of: { readonly from: string; readonly currency: string },
): Promise<Part> {
  const { say, look, root } = sight;
  const { items } = await sight.ask(readSuspenseFlows, of);
  const days = items.map((one) => ({ ...one, key: one.day }));
  const chart = barChart({
    title: say({
      en: `Money without an owner, ${of.currency}`,
      ru: `Невыясненные деньги, ${of.currency}`,
    }),
    bars: placesOf(days, look).map(({ items: own, from: first, to, ...place }) => {
      const sum = (name: Amount): number =>
        own.reduce((all, one) => all + Math.round(one[name] * 100), 0) / 100;
      return {
        ...{ ...place, href: `${root}/books/suspense.${of.currency}?from=${first}&to=${to}` },
        parts: [sum("came_amount"), -sum("assigned_amount"), -sum("left_amount")],
      };
    }),
    series: [
      say({ en: "Came to wait", ru: "Поступило" }),
      say({ en: "Assigned", ru: "Отнесено к платежам" }),
      say({ en: "Returned, or left otherwise", ru: "Возвращено или ушло иначе" }),
    ],
    format: (value) => moneyText(value, look.language),
    look,
  });
  return card(undefined, chart);
}

const HEARD_DAYS = 30;

/** How everybody's servers have heard. */
export async function webhooks(sight: DeskSight): Promise<Part> {
  const { from } = lastDays(HEARD_DAYS, sight.look);
  const { items } = await sight.ask(readHookTalliesDoor, { from });
  const rows = (first: string, to: string): string => `${sight.root}/events?from=${first}&to=${to}`;
  return hookCharts(items, "all", sight.look, rows);
}

/** As many hours as a chart has room for, and the one that is not over. */
const HOURS = 48;
const HOUR_MS = 60 * 60 * 1000;

/** Why who asked for details got none, hour by hour; and how often they were given by raising the amount. */
export async function refusals(sight: DeskSight): Promise<Part> {
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
