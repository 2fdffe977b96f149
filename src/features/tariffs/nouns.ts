// Payment methods and tariffs: as they are stored, and as whoever manages the gateway sees them.

import Type from "typebox";
import { toPercent } from "../../domain/money.ts";
import { column, noun, shape } from "../operators/noun.ts";

export const Services = noun(
  { from: "services", keyColumn: "code", missing: "service_not_found" },
  {
    service: column.shown(
      Type.String({ description: "Payment method code." }),
      "code",
      (code: string) => code,
    ),
    label: column.text("Payment method name."),
    freeze_seconds: column.integer("How long a credit stays frozen."),
  },
);

const percent = <Name extends string>(name: Name, description: string) =>
  column.shown(Type.Number({ description }), name, toPercent);

export const Tariffs = shape({
  shop_id: column.textOrNull("The shop; null for a default."),
  service: column.text("Payment method code."),
  currency: column.text("Currency code."),
  percent: percent("percentPpm", "Total commission percentage."),
  shop_percent: percent("shopPercentPpm", "Commission percentage charged to the shop."),
  user_percent: percent("userPercentPpm", "Commission percentage charged to the client."),
  fix: column.amount("fixMinor", "Fixed commission."),
  min_sum: column.amount("minMinor", "Minimum payment amount."),
  max_sum: column.amount("maxMinor", "Maximum payment amount."),
  enabled: column.yesNo("Whether the method can be used."),
});
