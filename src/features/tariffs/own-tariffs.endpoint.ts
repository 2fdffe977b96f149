// /cabinet/tariffs: what a merchant's shops pay for each payment method.

import { Type, uuid } from "../../platform/field.ts";
import { ownShopIds, ownView } from "../merchants/member.ts";
import { ShopTariffs } from "./nouns.ts";
import { tariffsOfShops } from "./queries.ts";

export const readOwnTariffs = ownView({
  path: "/cabinet/tariffs",
  summary: "What the merchant's shops pay",
  description:
    "Shop by shop, sorted by method: its own tariffs, and the defaults where it has none.",
  right: "look",
  input: Type.Object({
    shop_id: Type.Optional(uuid({ description: "Tariffs of this shop." })),
  }),
  data: Type.Object({
    items: Type.Array(
      Type.Object({
        shop_id: uuid({ description: "The shop." }),
        ...ShopTariffs.wire.properties,
      }),
    ),
  }),
  notFound: "The merchant has no such shop.",
  async read({ db }, { shop_id: asked }, member) {
    const tariffs = await tariffsOfShops(db, await ownShopIds(db, member, asked));
    const items = [...tariffs].flatMap(([shop_id, own]) =>
      own.map((tariff) => ({ shop_id, ...ShopTariffs.toWire(tariff) })),
    );
    return { items };
  },
});
