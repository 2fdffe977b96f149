// Today's figures of the whole gateway, for the first page and for a wall.

import { html, type Part } from "../../platform/html.ts";
import { type TallySight, todayFigures } from "../screens/tally-charts.ts";
import { lastDays } from "../screens/tally-period.ts";
import { readTalliesDoor } from "../tallies/read-tallies.endpoint.ts";
import type { DeskSight } from "./site.ts";

/** Today, and two weeks before it. */
const DAYS = 15;
export const CURRENCY = "RUB";

/** Where the rows of some days are: invoices that were created then, money that came then. */
export function tallySightOf({ look, root }: Pick<DeskSight, "look" | "root">): TallySight {
  const transfers = (from: string, to: string) => `${root}/transfers?from=${from}&to=${to}`;
  return {
    ...{ look, currency: CURRENCY, moneyRows: transfers, receivedRows: transfers },
    invoices: (from, to) => `${root}/invoices?from=${from}&to=${to}`,
  };
}

export async function homeFigures(
  sight: Pick<DeskSight, "look" | "root" | "askIfAllowed">,
): Promise<Part> {
  const { from } = lastDays(DAYS, sight.look);
  const tallies = await sight.askIfAllowed(readTalliesDoor, { from, currency: CURRENCY });
  return tallies && html`${todayFigures(tallies.items, tallySightOf(sight), "fee")}`;
}
