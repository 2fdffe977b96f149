// What became of webhooks, day by day, as doors tell it. Guards that every event with an address is in one of three:
// heard at once, heard later, not heard so far.

import type { Static } from "typebox";
import { secondsWithin } from "../../domain/tally.ts";
import type { App } from "../../platform/app.ts";
import { numberOrNull } from "../../platform/field.ts";
import { Type } from "../../platform/schema.ts";
import { isoMoment } from "../operators/noun.ts";
import { sumHooks } from "./queries.ts";
import { asOf, count, daysOf, periodInput, periodOf } from "./tallies.ts";

const { currency: _noCurrency, ...days } = periodInput;
export const hookPeriodInput = days;

export const HookTalliesData = Type.Object({
  items: Type.Array(
    Type.Object({
      day: Type.String({
        description: "The day on which it happened that they tell of.",
        examples: ["2026-03-01"],
      }),
      told: count("Events that had an address.", 80),
      heard_at_once: count("Of these, those that the first attempt has delivered.", 76),
      heard_later: count("Those that a later attempt has delivered.", 3),
      not_heard: count("Those that nobody has heard so far: given up, or still tried.", 1),
      p95_ms: numberOrNull({
        description:
          "19 of 20 answers, of whatever status, took no longer than so many milliseconds. Within 12 %; null where nobody answered.",
        examples: [163.9],
      }),
    }),
  ),
  as_of: isoMoment("Everything before this moment is counted; usually a minute ago."),
});

interface HookWish {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Shops, or users; undefined for all that there are. */
  readonly ownerIds: readonly string[] | undefined;
}

export async function readHookTallies(
  app: App,
  { ownerIds, ...wish }: HookWish,
): Promise<Static<typeof HookTalliesData>> {
  const period = periodOf(app, { ...wish, shopIds: undefined }, "day");
  const as_of = await asOf(app, "hooks");
  const byDay = Map.groupBy(await sumHooks(app.db, period, ownerIds), ({ day }) => day);
  const items = daysOf(period).map((day) => {
    const rows = byDay.get(day) ?? [];
    const sum = (name: "told" | "at_once" | "later"): number =>
      rows.reduce((all, row) => all + Number(row[name]), 0);
    const [told, atOnce, later] = [sum("told"), sum("at_once"), sum("later")];
    const answers = rows.map(({ speed, answered }) => ({ speed, paid: Number(answered) }));
    return {
      ...{ day, told, heard_at_once: atOnce, heard_later: later },
      // An attempt may be counted a moment before its event.
      not_heard: Math.max(0, told - atOnce - later),
      p95_ms: secondsWithin(0.95, answers),
    };
  });
  return { items, as_of };
}
