// Shops by the names that their people know.

import { readOwnShops } from "../merchants/own-shops.endpoint.ts";
import type { Names } from "../people/naming.ts";
import type { MySight } from "./site.ts";

/** As many as a door gives at once. */
const MOST = 200;

export async function shopNames(sight: Pick<MySight, "ask">): Promise<Names> {
  const { items } = await sight.ask(readOwnShops, { limit: MOST });
  return new Map(items.map(({ shop_id, name }) => [shop_id, name]));
}

export const naming = {
  shop_id: { names: shopNames, href: (id: string): string => `/my/shops/${id}` },
};
