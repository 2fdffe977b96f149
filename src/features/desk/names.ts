// Who ids are: shops, merchants and requisites by the names that people know, for the rows of one page. Guards that
// a list of fifty rows asks once for all that it names.

import type { Asked } from "../../platform/endpoint.ts";
import { html, type Part } from "../../platform/html.ts";
import { readShops } from "../merchants/manage-shops.endpoint.ts";
import { readUsers } from "../merchants/manage-users.endpoint.ts";
import { readSbpBanks } from "../payouts/manage-sbp-banks.endpoint.ts";
import { readRequisites } from "../requisites/manage-requisites.endpoint.ts";
import { shortId } from "../screens/pieces.ts";
import { labelOf, wordOf } from "../screens/words.ts";
import type { DeskSight } from "./site.ts";

/** As many as a door gives at once. */
const MOST = 200;

type Names = ReadonlyMap<string, string>;

interface Numbers {
  readonly bank: string;
  readonly receiver_name: string;
  readonly card: string | null;
  readonly phone: string | null;
  readonly account: string | null;
}

/** Сбербанк …1234, Иван И. */
function requisiteName(one: Numbers, { look }: DeskSight): string {
  const number = one.card ?? one.phone ?? one.account ?? "";
  return `${wordOf(one.bank, look.language)} …${number.slice(-4)}, ${one.receiver_name}`;
}

type Ids = readonly (string | null)[];

/** The newest, as many as a door gives at once; or those of these ids alone. */
async function namesBy<Item>(
  sight: DeskSight,
  door: Asked<{ limit?: number; ids?: string }, { readonly items: readonly Item[] }>,
  ids: Ids | undefined,
  entry: (item: Item) => readonly [id: string, name: string],
): Promise<Names> {
  const asked = [...new Set(ids)].filter((id) => id !== null).slice(0, MOST);
  if (ids !== undefined && asked.length === 0) return new Map();
  const only = ids === undefined ? {} : { ids: asked.join() };
  const { items } = await sight.ask(door, { limit: MOST, ...only });
  return new Map(items.map(entry));
}

export function shopNames(sight: DeskSight, ids?: Ids): Promise<Names> {
  return namesBy(sight, readShops, ids, ({ shop_id, name }) => [shop_id, name]);
}

export function requisiteNames(sight: DeskSight, ids?: Ids): Promise<Names> {
  return namesBy(sight, readRequisites, ids, (one) => [
    one.requisite_id,
    requisiteName(one, sight),
  ]);
}

export function userNames(sight: DeskSight, ids?: Ids): Promise<Names> {
  return namesBy(sight, readUsers, ids, ({ user_id, name }) => [user_id, name]);
}

export async function bankNames(sight: DeskSight): Promise<Names> {
  const { items } = await sight.ask(readSbpBanks, {});
  return new Map(items.map(({ id, name }) => [id, name]));
}

/** The name as a link to whose it is; without one, the id. */
export function named(names: Names, id: string | null, root: string): Part {
  if (id === null) return "—";
  const name = names.get(id);
  if (name === undefined) return shortId(id, `${root}/go/${id}`);
  return html`<a href="${root}/go/${id}"><bdi>${name}</bdi></a>`;
}

type Named<Field extends string> = { readonly [name in Field]: string | null };

function nameColumn<Field extends string>(field: Field, names: Names, { look, root }: DeskSight) {
  return {
    label: labelOf(field, look.language),
    cell: (item: Named<Field>) => named(names, item[field], root),
    text: (item: Named<Field>) => names.get(item[field] ?? "") ?? item[field],
  };
}

export async function shopColumn(sight: DeskSight, items: readonly Named<"shop_id">[]) {
  const ids = items.map(({ shop_id }) => shop_id);
  return nameColumn("shop_id", await shopNames(sight, ids), sight);
}

export async function requisiteColumn(sight: DeskSight, items: readonly Named<"requisite_id">[]) {
  const ids = items.map(({ requisite_id }) => requisite_id);
  return nameColumn("requisite_id", await requisiteNames(sight, ids), sight);
}

export async function userColumn(sight: DeskSight, items: readonly Named<"user_id">[]) {
  const ids = items.map(({ user_id }) => user_id);
  return nameColumn("user_id", await userNames(sight, ids), sight);
}
