// The tariffs of the shops that call, without a statement while the settings stand still.

import type { App } from "../../platform/app.ts";
import { remembering } from "../../platform/remember.ts";
import type { Shop } from "../merchants/principal.ts";
import { type ShopTariff, tariffsOfShops } from "./queries.ts";

const recall = remembering(tariffsOfShops);

export function termsOf(
  app: App,
  shops: readonly Pick<Shop, "id" | "settingsVersion">[],
): Promise<ReadonlyMap<string, readonly ShopTariff[]>> {
  return recall(
    app,
    shops,
    shops.map(({ id }) => id),
  );
}
