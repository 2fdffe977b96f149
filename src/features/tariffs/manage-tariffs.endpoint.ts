// /manage/tariffs: what shops pay for a payment method, each for itself or all of them by default.

import { minorFromNumber, ppmFromPercent } from "../../domain/money.ts";
import { Refusal } from "../../domain/refusal.ts";
import { feeOf, leavesCredit, type Tariff } from "../../domain/tariff.ts";
import {
  currencyCode,
  decimal,
  percentage,
  Type,
  text,
  uuid,
  yesNo,
} from "../../platform/field.ts";
import { Shops } from "../merchants/nouns.ts";
import { change, view } from "../operators/doors.ts";
import { Services, Tariffs } from "./nouns.ts";
import {
  exceptions,
  lockTariff,
  MOST_EXCEPTIONS,
  ownTariffs,
  removeTariff,
  setTariff,
} from "./queries.ts";

const place = {
  shop_id: Type.Optional(
    uuid({
      description: "The shop; left out for the default of all shops.",
      examples: ["00000000-0000-4000-8000-000000000005"],
    }),
  ),
  service: text({ max: 64 }, { description: "Payment method code.", examples: ["p2p_card"] }),
  currency: Type.Optional(currencyCode({ description: "Currency code; RUB." })),
};

export const readTariffs = view({
  path: "/manage/tariffs",
  summary: "List the tariffs of a shop, or the defaults",
  description: "The tariffs that were set for exactly this shop, or for none.",
  input: Type.Object({
    shop_id: place.shop_id,
    of_shops: Type.Optional(
      yesNo({
        description: `Instead, those of all shops that have some of their own; at most ${MOST_EXCEPTIONS}.`,
        examples: [false],
      }),
    ),
  }),
  data: Type.Object({ items: Type.Array(Tariffs.wire) }),
  async read({ db }, { shop_id, of_shops: ofShops = false }) {
    if (ofShops) return { items: (await exceptions(db)).map(Tariffs.toWire) };
    const shopId = shop_id?.toLowerCase() ?? null;
    const tariffs = await ownTariffs(db, shopId);
    return { items: tariffs.map((tariff) => Tariffs.toWire({ ...tariff, shop_id: shopId })) };
  },
});

export const putTariff = change({
  path: "/manage/tariffs",
  summary: "Set a tariff",
  description: "Holds for details that are issued from now on; issued ones keep their fees.",
  act: "tariff.set",
  input: Type.Object({
    ...place,
    shop_percent: percentage({
      description: "Commission percentage charged to the shop.",
      examples: [4],
    }),
    user_percent: percentage({
      description: "Commission percentage charged to the client.",
      examples: [2],
    }),
    fix: Type.Optional(decimal({ min: 0 }, { description: "Fixed commission; 0." })),
    min_sum: decimal({ min: 0.01 }, { description: "Minimum payment amount.", examples: [100] }),
    max_sum: decimal({ min: 0.01 }, { description: "Maximum payment amount.", examples: [100000] }),
    enabled: Type.Optional(yesNo({ description: "Whether the method can be used; true." })),
  }),
  data: Tariffs.wire,
  notFound: "There is no such shop or payment method.",
  async make(tx, _app, input) {
    const { shop_id, service, currency = "RUB" } = input;
    const shopId = shop_id?.toLowerCase() ?? null;
    await Services.find(tx, service);
    if (shopId !== null) await Shops.find(tx, shopId);
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
    const after = Tariffs.toWire({ ...tariff, shop_id: shopId });
    const before = old === undefined ? null : Tariffs.toWire({ ...old, shop_id: shopId });
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
  data: Tariffs.wire,
  notFound: "There is no such tariff.",
  async make(tx, _app, { shop_id, service, currency = "RUB" }) {
    const shopId = shop_id?.toLowerCase() ?? null;
    const key = { shopId, service, currency };
    const old = await lockTariff(tx, key);
    if (old === undefined) throw new Refusal("tariff_not_found");
    await removeTariff(tx, key);
    const before = Tariffs.toWire({ ...old, shop_id: shopId });
    return { data: before, subject: shopId ?? "default", before, after: null };
  },
});
