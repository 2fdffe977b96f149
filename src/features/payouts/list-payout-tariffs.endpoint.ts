// GET /payoff/tariffs: what payouts cost a user, and their limits.

import { toDecimalNumber, toPercent } from "../../domain/money.ts";
import type { PayoutTerms } from "../../domain/payout.ts";
import { hotEndpoint } from "../../platform/endpoint.ts";
import { numberOrNull, Type } from "../../platform/field.ts";
import { userGate } from "../merchants/principal.ts";
import { payoutTermsOf } from "./tariff-queries.ts";
import { userId } from "./wire.ts";

export const PayoutTariff = Type.Object({
  service: Type.String({ description: "card or sbp.", examples: ["card"] }),
  currency: Type.String({ description: "Currency code.", examples: ["RUB"] }),
  percent: Type.Number({ description: "Of the amount.", examples: [1] }),
  fix: Type.Number({ description: "On top of it.", examples: [10] }),
  min_sum: Type.Number({ description: "Smallest amount.", examples: [1] }),
  max_sum: Type.Number({ description: "Largest amount.", examples: [100_000] }),
  day_sum: numberOrNull({ description: "All payouts of a day together; null for no limit." }),
  day_count: numberOrNull({ description: "How many payouts of a day; null for no limit." }),
  enabled: Type.Boolean({ description: "Whether it can be used.", examples: [true] }),
});

export function payoutTariffWire(terms: PayoutTerms) {
  const { daySumMinor: daySum } = terms;
  return {
    service: terms.service,
    currency: terms.currency,
    percent: toPercent(terms.percentPpm),
    fix: toDecimalNumber(terms.fixMinor),
    min_sum: toDecimalNumber(terms.minMinor),
    max_sum: toDecimalNumber(terms.maxMinor),
    day_sum: daySum === null ? null : toDecimalNumber(daySum),
    day_count: terms.dayCount,
    enabled: terms.enabled,
  };
}

export const listPayoutTariffs = hotEndpoint({
  method: "GET",
  path: "/payoff/tariffs",
  summary: "What payouts cost",
  description: "Sorted by service and currency. The fee is rounded up to a kopeck.",
  gate: userGate,
  identifier: "user_id",
  input: Type.Object({ user_id: userId }),
  data: Type.Object({ tariffs: Type.Array(PayoutTariff) }),
  problems: "first",
  async handleSet(app, calls) {
    const users = calls.map(({ principal }) => principal);
    const terms = await payoutTermsOf(app, users);
    return calls.map(({ principal }) => ({
      tariffs: (terms.get(principal.id) ?? []).map(payoutTariffWire),
    }));
  },
});
