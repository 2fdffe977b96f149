// GET /shops/{shopId}/payment-tariffs: what a shop pays for each payment method.

import Type from "typebox";
import { toDecimalNumber, toPercent } from "../../domain/money.ts";
import { Refusal } from "../../domain/refusal.ts";
import { hotEndpoint } from "../../platform/endpoint.ts";
import { oneOf, uuid } from "../../platform/field.ts";
import { shopGate } from "../merchants/principal.ts";
import { type ShopTariff, termsOf } from "./queries.ts";

const Tariff = Type.Object({
  percent: Type.Number({ description: "Total commission percentage." }),
  fix: Type.Number({ description: "Fixed commission." }),
  min_sum: Type.Number({ description: "Minimum payment amount." }),
  max_sum: Type.Number({ description: "Maximum payment amount." }),
  shop_percent: Type.Number({ description: "Commission percentage charged to the shop." }),
  user_percent: Type.Number({ description: "Commission percentage charged to the client." }),
  service: Type.String({ description: "Payment method code." }),
  service_label: Type.String({ description: "Payment method name." }),
  currency: Type.String({ description: "Currency code." }),
  status: oneOf(["enabled", "disabled"], { description: "Whether the method can be used." }),
});

export const listPaymentTariffs = hotEndpoint({
  method: "GET",
  path: "/shops/:shopId/payment-tariffs",
  summary: "Payment tariffs of a shop",
  gate: shopGate,
  identifier: "shopId",
  input: Type.Object({
    shopId: uuid({
      description: "The shop; also used for authorization.",
      examples: ["00000000-0000-4000-8000-000000000002"],
    }),
  }),
  data: Type.Object({ tariffs: Type.Array(Tariff) }),
  notFound: "The shop has no tariffs.",
  problems: "first",
  async handleSet(app, calls) {
    const tariffs = await termsOf(
      app,
      calls.map(({ principal }) => principal),
    );
    return calls.map(({ principal }) => {
      const own = tariffs.get(principal.id) ?? [];
      return own.length === 0 ? new Refusal("tariffs_not_found") : { tariffs: own.map(toWire) };
    });
  },
});

function toWire(tariff: ShopTariff): Type.Static<typeof Tariff> {
  return {
    percent: toPercent(tariff.percentPpm),
    fix: toDecimalNumber(tariff.fixMinor),
    min_sum: toDecimalNumber(tariff.minMinor),
    max_sum: toDecimalNumber(tariff.maxMinor),
    shop_percent: toPercent(tariff.shopPercentPpm),
    user_percent: toPercent(tariff.userPercentPpm),
    service: tariff.service,
    service_label: tariff.serviceLabel,
    currency: tariff.currency,
    status: tariff.enabled ? "enabled" : "disabled",
  };
}
