// The chart of money that came to wait and ceased to, by day. Guards that a day leads to the entries that it is the
// sum of.

import type { Part } from "../../platform/html.ts";
import { barChart } from "../screens/chart.ts";
import { card, moneyText } from "../screens/pieces.ts";
import { placesOf } from "../screens/tally-period.ts";
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
