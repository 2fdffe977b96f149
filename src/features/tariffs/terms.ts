// The tariffs of the shops that call, without a statement while the settings stand still.

import type { Db } from "../../platform/db.ts";
import { remembering } from "../../platform/remember.ts";
import { latestSettings, type Shop } from "../merchants/principal.ts";
import { type ShopTariff, tariffsOfShops } from "./queries.ts";

const recall = remembering(tariffsOfShops);

export function termsOf(
  db: Db,
  shops: readonly Pick<Shop, "id" | "settingsVersion">[],
): Promise<ReadonlyMap<string, readonly ShopTariff[]>> {
  return recall(
    db,
    latestSettings(shops),
    shops.map(({ id }) => id),
  );
}
