// /manage/tariffs: what shops pay for a payment method, each for itself or all of them by default.

import Type from "typebox";
import { minorFromNumber, ppmFromPercent, toDecimalNumber, toPercent } from "../../domain/money.ts";
import { Refusal } from "../../domain/refusal.ts";
import { feeOf, leavesCredit, type Tariff } from "../../domain/tariff.ts";
import {
  currencyCode,
  decimal,
  percentage,
  text,
  textOrNull,
  uuid,
  yesNo,
} from "../../platform/field.ts";
import { findShop } from "../merchants/queries.ts";
import { change, view } from "../operators/doors.ts";
import { lockService, lockTariff, ownTariffs, removeTariff, setTariff } from "./queries.ts";

const TariffView = Type.Object({
  shop_id: textOrNull({ description: "The shop; null for a default." }),
  service: Type.String({ description: "Payment method code." }),
  currency: Type.String({ description: "Currency code." }),
  percent: Type.Number({ description: "Total commission percentage." }),
  shop_percent: Type.Number({ description: "Commission percentage charged to the shop." }),
  user_percent: Type.Number({ description: "Commission percentage charged to the client." }),
  fix: Type.Number({ description: "Fixed commission." }),
  min_sum: Type.Number({ description: "Minimum payment amount." }),
  max_sum: Type.Number({ description: "Maximum payment amount." }),
  enabled: Type.Boolean({ description: "Whether the method can be used." }),
});

const place = {
  shop_id: Type.Optional(uuid({ description: "The shop; left out for the default of all shops." })),
  service: text({ max: 64 }, { description: "Payment method code.", examples: ["p2p_card"] }),
  currency: Type.Optional(currencyCode({ description: "Currency code; RUB." })),
};

export const readTariffs = view({
  path: "/manage/tariffs",
  summary: "List the tariffs of a shop, or the defaults",
  description: "The tariffs that were set for exactly this shop, or for none.",
  input: Type.Object({ shop_id: place.shop_id }),
  data: Type.Object({ items: Type.Array(TariffView) }),
  async read({ db }, { shop_id }) {
    const shopId = shop_id?.toLowerCase() ?? null;
    const tariffs = await ownTariffs(db, shopId);
    return { items: tariffs.map((tariff) => toWire(shopId, tariff)) };
  },
});

export const putTariff = change({
  path: "/manage/tariffs",
  summary: "Set a tariff",
  description: "Holds for details that are issued from now on; issued ones keep their fees.",
  act: "tariff.set",
  input: Type.Object({
    ...place,
    shop_percent: percentage({ description: "Commission percentage charged to the shop." }),
    user_percent: percentage({ description: "Commission percentage charged to the client." }),
    fix: Type.Optional(decimal({ min: 0 }, { description: "Fixed commission; 0." })),
    min_sum: decimal({ min: 0.01 }, { description: "Minimum payment amount.", examples: [100] }),
    max_sum: decimal({ min: 0.01 }, { description: "Maximum payment amount.", examples: [100000] }),
    enabled: Type.Optional(yesNo({ description: "Whether the method can be used; true." })),
  }),
  data: TariffView,
  notFound: "There is no such shop or payment method.",
  async make(tx, _app, input) {
    const { shop_id, service, currency = "RUB" } = input;
    const shopId = shop_id?.toLowerCase() ?? null;
    if ((await lockService(tx, service)) === undefined) throw new Refusal("service_not_found");
    if (shopId !== null && (await findShop(tx, shopId)) === undefined) {
      throw new Refusal("shop_not_found");
    }
    const tariff: Tariff = {
      service,
      currency,
      shopPercentPpm: ppmFromPercent(input.shop_percent) ?? 0,
      userPercentPpm: ppmFromPercent(input.user_percent) ?? 0,
      percentPpm:
        (ppmFromPercent(input.shop_percent) ?? 0) + (ppmFromPercent(input.user_percent) ?? 0),
      fixMinor: minorFromNumber(input.fix ?? 0) ?? 0n,
      minMinor: minorFromNumber(input.min_sum) ?? 0n,
      maxMinor: minorFromNumber(input.max_sum) ?? 0n,
      enabled: input.enabled ?? true,
    };
    if (tariff.percentPpm > 1_000_000) throw new Refusal("percent_too_large");
    if (tariff.minMinor > tariff.maxMinor) throw new Refusal("limits_crossed");
    if (!leavesCredit(tariff.minMinor, feeOf(tariff.minMinor, tariff))) {
      throw new Refusal("fee_too_large");
    }
    const old = await lockTariff(tx, { shopId, service, currency });
    await setTariff(tx, { ...tariff, shopId });
    const after = toWire(shopId, tariff);
    const before = old === undefined ? null : toWire(shopId, old);
    return { data: after, subject: shopId ?? "default", before, after };
  },
});

export const deleteTariff = change({
  path: "/manage/tariffs/remove",
  summary: "Remove a tariff",
  description: "A shop without a tariff of its own has the default; without that, no method.",
  act: "tariff.remove",
  // What was set in a currency that is no longer taken can still be removed.
  input: Type.Object({
    ...place,
    currency: Type.Optional(
      Type.String({ pattern: "^[A-Z]{3}$", description: "Currency code; RUB." }),
    ),
  }),
  data: TariffView,
  notFound: "There is no such tariff.",
  async make(tx, _app, { shop_id, service, currency = "RUB" }) {
    const shopId = shop_id?.toLowerCase() ?? null;
    const key = { shopId, service, currency };
    await lockService(tx, service);
    const old = await lockTariff(tx, key);
    if (old === undefined) throw new Refusal("tariff_not_found");
    await removeTariff(tx, key);
    const before = toWire(shopId, old);
    return { data: before, subject: shopId ?? "default", before, after: null };
  },
});

function toWire(shopId: string | null, tariff: Tariff): Type.Static<typeof TariffView> {
  return {
    shop_id: shopId,
    service: tariff.service,
    currency: tariff.currency,
    percent: toPercent(tariff.percentPpm),
    shop_percent: toPercent(tariff.shopPercentPpm),
    user_percent: toPercent(tariff.userPercentPpm),
    fix: toDecimalNumber(tariff.fixMinor),
    min_sum: toDecimalNumber(tariff.minMinor),
    max_sum: toDecimalNumber(tariff.maxMinor),
    enabled: tariff.enabled,
  };
}
