// Shops by the names that their people know, and the call that gives the same as a page.

import { html, type Part } from "../../platform/html.ts";
import { readOwnShops } from "../merchants/own-shops.endpoint.ts";
import { type Choices, choicesOf } from "../screens/form.ts";
import { shortId } from "../screens/pieces.ts";
import type { Column } from "../screens/table.ts";
import { labelOf } from "../screens/words.ts";
import type { MySight } from "./site.ts";

type Names = ReadonlyMap<string, string>;

/** As many as a door gives at once. */
const MOST = 200;

export async function shopNames(sight: MySight): Promise<Names> {
  const { items } = await sight.ask(readOwnShops, { limit: MOST });
  return new Map(items.map(({ shop_id, name }) => [shop_id, name]));
}

export async function shopChoices(sight: MySight): Promise<Choices> {
  return choicesOf(await shopNames(sight));
}

export function shopNamed(names: Names, id: string | null): Part {
  if (id === null) return "—";
  const name = names.get(id);
  if (name === undefined) return shortId(id, `/my/go/${id}`);
  return html`<a href="/my/shops/${id}"><bdi>${name}</bdi></a>`;
}

export async function shopColumn<Item extends { readonly shop_id: string | null }>(
  sight: MySight,
): Promise<Column<Item>> {
  const names = await shopNames(sight);
  return {
    label: labelOf("shop_id", sight.look.language),
    cell: ({ shop_id }) => shopNamed(names, shop_id),
    text: ({ shop_id }) => names.get(shop_id ?? "") ?? shop_id,
  };
}
