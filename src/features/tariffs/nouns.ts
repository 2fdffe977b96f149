// Payment methods and tariffs: as they are stored, and as whoever manages the gateway sees them.

import { toPercent } from "../../domain/money.ts";
import { oneOf, Type } from "../../platform/field.ts";
import { column, noun, shape } from "../operators/noun.ts";

export const Services = noun(
  { from: "services", keyColumn: "code", missing: "service_not_found" },
  {
    service: column.shown(
      Type.String({ description: "Payment method code.", examples: ["p2p_card"] }),
      "code",
      (code: string) => code,
    ),
    label: column.text("Payment method name.", "Card transfer"),
    freeze_seconds: column.integer("How long a credit stays frozen.", 86400),
  },
);

const percent = <Name extends string>(name: Name, description: string, example: number) =>
  column.shown(Type.Number({ description, examples: [example] }), name, toPercent);

const code = { service: column.text("Payment method code.", "p2p_card") };
const currency = { currency: column.text("Currency code.", "RUB") };
const total = { percent: percent("percentPpm", "Total commission percentage.", 6) };
const parts = {
  shop_percent: percent("shopPercentPpm", "Commission percentage charged to the shop.", 4),
  user_percent: percent("userPercentPpm", "Commission percentage charged to the client.", 2),
};
const limits = {
  fix: column.amount("fixMinor", "Fixed commission.", 0),
  min_sum: column.amount("minMinor", "Minimum payment amount.", 100),
  max_sum: column.amount("maxMinor", "Maximum payment amount.", 100000),
};

export const Tariffs = shape({
  shop_id: column.uuidOrNull("The shop; null for a default."),
  ...code,
  ...currency,
  ...total,
  ...parts,
  ...limits,
  enabled: column.yesNo("Whether the method can be used."),
});

/** As the shop itself sees them. */
export const ShopTariffs = shape({
  ...total,
  ...limits,
  ...parts,
  ...code,
  service_label: column.shown(
    Type.String({ description: "Payment method name.", examples: ["Card transfer"] }),
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
