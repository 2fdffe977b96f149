// GET /shops/{shopId}/payment-tariffs: what a shop pays for each payment method.

import { Refusal } from "../../domain/refusal.ts";
import { hotEndpoint } from "../../platform/endpoint.ts";
import { Type, uuid } from "../../platform/field.ts";
import { shopGate } from "../merchants/principal.ts";
import { ShopTariffs } from "./nouns.ts";
import { termsOf } from "./queries.ts";

export const listPaymentTariffs = hotEndpoint({
  method: "GET",
  path: "/shops/:shopId/payment-tariffs",
  summary: "Payment tariffs of a shop",
  description: "What each payment method costs the shop and the payer, sorted by method.",
  gate: shopGate,
  identifier: "shopId",
  input: Type.Object({
    shopId: uuid({
      description: "The shop; also used for authorization.",
      examples: ["00000000-0000-4000-8000-000000000002"],
    }),
  }),
  data: Type.Object({ tariffs: Type.Array(ShopTariffs.wire) }),
  notFound: "The shop has no tariffs.",
  problems: "first",
  async handleSet(app, calls) {
    const tariffs = await termsOf(
      app,
      calls.map(({ principal }) => principal),
    );
    return calls.map(({ principal }) => {
      const own = tariffs.get(principal.id) ?? [];
      if (own.length === 0) return new Refusal("tariffs_not_found");
      return { tariffs: own.map(ShopTariffs.toWire) };
    });
  },
});
