// The keys of a shop or a merchant, without their secrets: which live, which end when, ending one at once, and new
// ones. Guards that the secrets of new ones are seen once.

import type { Answer } from "../../platform/endpoint.ts";
import { type Html, html, type Part } from "../../platform/html.ts";
import { createKey, readKeys, revokeKey, rotateKeys } from "../merchants/manage-keys.endpoint.ts";
import type { Operator } from "../operators/operator.ts";
import { stateColumn } from "../people/cells.ts";
import { type FormDefinition, formPages } from "../people/form-page.ts";
import { card } from "../screens/pieces.ts";
import { actOf, doorTable, foldedAct, shownOnce } from "./door-parts.ts";
import { type DeskSight, desk } from "./site.ts";

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

type HookKeys = Readonly<Record<"webhook_key" | "webhook_secret", string>>;

/** New keys of a shop or a merchant, made on its page; of what signs webhooks each has a door of its own. */
export function keyActs<Input>(
  page: string,
  shownAs: "api_key" | "secret",
  hooks: FormDefinition<Operator, Input, HookKeys>,
) {
  const make = {
    path: `${page}/new-key`,
    title: { en: "One more key", ru: "Ещё один ключ" },
    submit: { en: "Make a key", ru: "Создать ключ" },
    door: createKey,
    fields: () => [],
    shows: ({ secret }: Answer<typeof createKey>, sight: DeskSight) =>
      shownOnce(sight, { [shownAs]: secret }),
    command: "kopeck key create",
  };
  const rotate = {
    ...make,
    path: `${page}/rotate-keys`,
    door: rotateKeys,
    title: { en: "Replace the keys", ru: "Заменить ключи" },
    submit: { en: "Replace", ru: "Заменить" },
    fields: () => ["overlap_hours"],
    note: {
      en: "The old ones live on for 24 hours, or for as long as you say; 0 ends them at once.",
      ru: "Старые действуют ещё 24 часа или столько, сколько вы укажете; 0 — прекратить сразу.",
    },
    command: "kopeck key rotate",
  };
  const rotateHooks = {
    ...rotate,
    ...hooks,
    shows: ({ webhook_key, webhook_secret }: HookKeys, sight: DeskSight) =>
      shownOnce(sight, { webhook_key, webhook_secret }),
  };
  return {
    pages: [...formPages(desk, make), ...formPages(desk, rotate), ...formPages(desk, rotateHooks)],
    acts: async (sight: DeskSight): Promise<Part> => [
      await foldedAct(sight, make),
      await foldedAct(sight, rotate),
      await foldedAct(sight, rotateHooks),
    ],
  };
}

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
    stateColumn(look, ({ ends_at: ends }) => (isOver(ends) ? "ended" : "active")),
    "created_at",
    "ends_at",
    { label: "", cell: ({ key_id: id }) => acts.get(id) },
  ]);
  return card(say(KEYS), html`${rows}`);
}
