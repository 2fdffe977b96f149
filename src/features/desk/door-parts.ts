// Parts of the desk's pages that are made of a door's own description: an act that stands on a page, rows by
// the names of their fields, secrets that are shown once. Guards that nobody is offered what they may not do.

import type { Answer, Endpoint } from "../../platform/endpoint.ts";
import { type Html, html, type Part } from "../../platform/html.ts";
import { createKey, readKeys, revokeKey, rotateKeys } from "../merchants/manage-keys.endpoint.ts";
import type { Operator } from "../operators/operator.ts";
import { columnsOf, itemFields, nameOf, stateColumn } from "../people/cells.ts";
import { type FormDefinition, formOf, formPages } from "../people/form-page.ts";
import type { Words } from "../people/site.ts";
import type { Look } from "../screens/locale.ts";
import { type Column, card, copyable, link, moment, notice, table } from "../screens/pieces.ts";
import { labelOf } from "../screens/words.ts";
import { type DeskSight, desk } from "./site.ts";

/** A form, where whoever looks may send it. */
export async function actOf<Input, Data>(
  sight: DeskSight,
  act: FormDefinition<Operator, Input, Data>,
  params = sight.visit.params,
): Promise<Html | false> {
  return sight.may(act.door) && formOf(sight, act, params);
}

/** Of whom or what a form is: a link leads to it, and a proof of who acts leads back to it by itself. */
export const about =
  (field: string) =>
  async (sight: DeskSight): Promise<Html> => {
    const name = await nameOf(sight, field, sight.visit.params[field] ?? null);
    return html`<p class="lead">${labelOf(field, sight.look.language)}: ${name}</p>`;
  };

/** The same behind its title, for what is done seldom. */
export async function foldedAct<Input, Data>(
  sight: DeskSight,
  act: FormDefinition<Operator, Input, Data>,
): Promise<Html | false> {
  const body = await actOf(sight, act);
  return body && folded(sight.say(act.title), body);
}

function folded(title: string, body: Part): Html {
  return html`<details><summary>${title}</summary>${body}</details>`;
}

/** A way to make one more, where one may. */
export function wayTo(sight: DeskSight, door: Endpoint, label: Words, href: string): Html | false {
  return sight.may(door) && html`<p>${link(sight.say(label), href, "main")}</p>`;
}

/** Rows of a door that answers all of them at once. */
export function doorTable<Item extends object>(
  sight: Pick<DeskSight, "look" | "root">,
  door: Endpoint,
  caption: string,
  rows: readonly Item[],
  wished: readonly (string | Column<Item>)[],
  rowHref?: (row: Item) => string | undefined,
): Html {
  const columns = columnsOf(wished, itemFields(door), sight);
  return table({ caption, columns, rows, ...(rowHref && { rowHref }) });
}

const ONCE: Words = {
  en: "This is shown only now. Keep it where only its owner can read it.",
  ru: "Это показывается только сейчас. Сохраните там, где прочтёт лишь владелец.",
};

/** Secrets by the names of their fields. */
export function shownOnce(
  { say, look }: DeskSight,
  secrets: Readonly<Record<string, string>>,
): Html {
  const rows = Object.entries(secrets).map(([name, secret]) => {
    const label = labelOf(name, look.language);
    return html`<p><b>${label}</b></p>${copyable(secret, label)}`;
  });
  return html`${notice("warn", say(ONCE))}${rows}`;
}

/** A link that lets somebody in, and until when. */
export function linkOnce(
  { link: way, ends_at: ends }: Readonly<Record<"link" | "ends_at", string>>,
  sight: DeskSight,
): Html {
  return html`${shownOnce(sight, { link: way })}<p>${labelOf("ends_at", sight.look.language)}: ${moment(ends, sight.look)}</p>`;
}

/** What opens doors: how each stands, and the way to end one that lives. */
export function tokenColumns<Token extends Ending>(
  { look, say, may }: DeskSight,
  revoke: Endpoint,
  hrefOf: (token: Token) => string,
): { state: Column<Token>; act: Column<Token> } {
  const stateOf = (token: Token): string => tokenState(token, look);
  const act = (token: Token): Part =>
    stateOf(token) === "active" && may(revoke) && link(say(REVOKE), hrefOf(token));
  return { state: stateColumn(look, stateOf), act: { label: "", cell: act } };
}

export const REVOKE = { en: "Revoke", ru: "Отозвать" };

type Ending = Readonly<Record<"revoked_at" | "ends_at", string | null>>;

/** The address of a form, filled in with what something is now. */
export function filledIn(path: string, now: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(now)) {
    if (value !== null) query.set(name, String(value));
  }
  return `${path}?${query}`;
}

/** What a form that sets something whole is about, by the link to it or by what was chosen there. */
export function chosenIn<Name extends string>(
  { visit: { query, form } }: DeskSight,
  names: readonly Name[],
): Readonly<Record<Name, string>> {
  const from = form["service"] === undefined ? query : form;
  return Object.fromEntries(names.map((name) => [name, from[name] ?? ""])) as Record<Name, string>;
}

/** How something stands that opens doors: until it is revoked, or its time is over. */
function tokenState({ revoked_at: revoked, ends_at: ends }: Ending, { now }: Look): string {
  if (revoked !== null) return "revoked";
  return ends !== null && new Date(ends) <= now ? "ended" : "active";
}

const KEYS = { en: "API keys", ru: "Ключи API" };

export const REVOKE_KEY = {
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
    if (!isOver(ends_at)) acts.set(key_id, await actOf(sight, REVOKE_KEY, { key_id }));
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
