// What payouts cost, as whoever manages the gateway sees it.

import { toPercent } from "../../domain/money.ts";
import { PAYOUT_SERVICES } from "../../domain/payout.ts";
import { numberOrNull, oneOf, Type, textOrNull } from "../../platform/field.ts";
import { column, shape } from "../operators/noun.ts";

const same = <Value>(value: Value): Value => value;
const countIn = <Name extends string>(name: Name, description: string) =>
  column.shown(numberOrNull({ description }), name, same<number | null>);
const yesNoIn = <Name extends string>(name: Name, description: string) =>
  column.shown(Type.Boolean({ description }), name, same<boolean>);

export const PayoutTariffs = shape({
  user_id: column.shown(
    textOrNull({ description: "The user; null for all who have none of their own." }, "uuid"),
    "userId",
    same<string | null>,
  ),
  service: column.as(oneOf(PAYOUT_SERVICES, { description: "How it is sent." })),
  currency: column.text("Currency code.", "RUB"),
  percent: column.shown(
    Type.Number({ description: "Commission percentage of the amount.", examples: [1.5] }),
    "percentPpm",
    toPercent,
  ),
  fix: column.amount("fixMinor", "Fixed commission.", 0),
  min_sum: column.amount("minMinor", "Smallest amount.", 100),
  max_sum: column.amount("maxMinor", "Largest amount.", 100000),
  day_sum: column.amountOrNull("daySumMinor", "All payouts of a user in a day together."),
  day_count: countIn("dayCount", "Payouts of a user in a day."),
  destination_day_sum: column.amountOrNull(
    "destinationDaySumMinor",
    "All payouts to one destination in a day together.",
  ),
  destination_day_count: countIn("destinationDayCount", "Payouts to one destination in a day."),
  hold_over: column.amountOrNull("holdOverMinor", "What is larger waits for an operator."),
  hold_first: yesNoIn("holdFirst", "Whether the first one to a destination waits for an operator."),
  hold_day_sum: column.amountOrNull(
    "holdDaySumMinor",
    "What goes beyond this in a day waits for an operator.",
  ),
  four_eyes_over: column.amountOrNull("fourEyesOverMinor", "What is larger waits for two."),
  hold_seconds: column.shown(
    Type.Integer({ description: "How long it waits, and is canceled then.", examples: [259200] }),
    "holdSeconds",
    same<number>,
  ),
  refunds_fee: yesNoIn("refundsFee", "Whether the commission goes back with returned money."),
  enabled: column.yesNo("Whether payouts can be made."),
});
