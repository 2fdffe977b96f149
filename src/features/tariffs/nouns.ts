// Payment methods and tariffs: as they are stored, and as whoever manages the gateway sees them.

import Type from "typebox";
import { toPercent } from "../../domain/money.ts";
import { oneOf } from "../../platform/field.ts";
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

const code = { service: column.text("Payment method code.") };
const currency = { currency: column.text("Currency code.") };
const total = { percent: percent("percentPpm", "Total commission percentage.") };
const parts = {
  shop_percent: percent("shopPercentPpm", "Commission percentage charged to the shop."),
  user_percent: percent("userPercentPpm", "Commission percentage charged to the client."),
};
const limits = {
  fix: column.amount("fixMinor", "Fixed commission."),
  min_sum: column.amount("minMinor", "Minimum payment amount."),
  max_sum: column.amount("maxMinor", "Maximum payment amount."),
};

export const Tariffs = shape({
  shop_id: column.textOrNull("The shop; null for a default."),
  ...{ ...code, ...currency, ...total, ...parts, ...limits },
  enabled: column.yesNo("Whether the method can be used."),
});

/** As the shop itself sees them. */
export const ShopTariffs = shape({
  ...{ ...total, ...limits, ...parts, ...code },
  service_label: column.shown(
    Type.String({ description: "Payment method name." }),
    "serviceLabel",
    (label: string) => label,
  ),
  ...currency,
  status: column.shown(
    oneOf(["enabled", "disabled"], { description: "Whether the method can be used." }),
    "enabled",
    (enabled: boolean) => (enabled ? "enabled" : "disabled"),
  ),
});
