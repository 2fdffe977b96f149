// The keys of a shop or a merchant, without their secrets: which live, which end when, and ending one at once.

import { type Html, html } from "../../platform/html.ts";
import { readKeys, revokeKey } from "../merchants/manage-keys.endpoint.ts";
import { card, chip } from "../screens/pieces.ts";
import { labelOf } from "../screens/words.ts";
import type { Answer } from "./door-parts.ts";
import { actOf, doorTable } from "./door-parts.ts";
import type { DeskSight } from "./site.ts";

const KEYS = { en: "API keys", ru: "Ключи API" };

export const REVOKE = {
  path: "/desk/keys/:key_id/revoke",
  title: { en: "Revoke a key", ru: "Отозвать ключ" },
  submit: { en: "Revoke", ru: "Отозвать" },
  door: revokeKey,
  danger: true,
  then: ({ shop_id: shop, user_id: user }: Answer<typeof revokeKey>) =>
    shop === null ? `/desk/merchants/${user}` : `/desk/shops/${shop}`,
  command: "kopeck key revoke",
};

export async function keyCard(
  sight: DeskSight,
  owner: { readonly shop_id: string } | { readonly user_id: string },
): Promise<Html> {
  const { items } = await sight.ask(readKeys, { ...owner, limit: 50 });
  const { say, look } = sight;
  const isOver = (ends: string | null): boolean => ends !== null && new Date(ends) <= look.now;
  const acts = new Map<string, Html | false>();
  for (const { key_id, ends_at } of items) {
    if (!isOver(ends_at)) acts.set(key_id, await actOf(sight, REVOKE, { key_id }));
  }
  const rows = doorTable(sight, readKeys, say(KEYS), items, [
    "key_id",
    {
      label: labelOf("state", look.language),
      cell: ({ ends_at: ends }) => chip(isOver(ends) ? "ended" : "active", look),
    },
    ...["created_at", "ends_at"],
    { label: "", cell: ({ key_id: id }) => acts.get(id) },
  ]);
  return card(say(KEYS), html`${rows}`);
}
