// Who ids are: shops, merchants and requisites by the names that people know, for the rows of one page. Guards that
// a list of fifty rows asks once for the many, and only then for those that are missing.

import type { Asked } from "../../platform/endpoint.ts";
import { html, type Part } from "../../platform/html.ts";
import { readShop, readShops } from "../merchants/manage-shops.endpoint.ts";
import { readUsers } from "../merchants/manage-users.endpoint.ts";
import { readRequisite, readRequisites } from "../requisites/manage-requisites.endpoint.ts";
import type { FormField } from "../screens/form.ts";
import { shortId } from "../screens/pieces.ts";
import { labelOf, wordOf } from "../screens/words.ts";
import type { DeskSight } from "./site.ts";

/** As many as a door gives at once. */
const MOST = 200;

type Names = ReadonlyMap<string, string>;
type Choices = NonNullable<FormField["choices"]>;

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

async function withMissing<Input, One>(
  sight: DeskSight,
  known: Map<string, string>,
  ids: readonly (string | null)[],
  door: Asked<Input, One>,
  input: (id: string) => Input,
  name: (one: One) => string,
): Promise<Names> {
  const missing = new Set(ids.filter((id) => id !== null && !known.has(id)));
  for (const id of missing) {
    const one = id !== null && (await sight.askIfAllowed(door, input(id)));
    if (id !== null && one) known.set(id, name(one));
  }
  return known;
}

export async function shopNames(
  sight: DeskSight,
  ids: readonly (string | null)[] = [],
): Promise<Names> {
  const { items } = await sight.ask(readShops, { limit: MOST });
  const known = new Map(items.map(({ shop_id, name }) => [shop_id, name]));
  return withMissing(
    sight,
    known,
    ids,
    readShop,
    (shop_id) => ({ shop_id }),
    ({ name }) => name,
  );
}

export async function requisiteNames(
  sight: DeskSight,
  ids: readonly (string | null)[] = [],
): Promise<Names> {
  const { items } = await sight.ask(readRequisites, { limit: MOST });
  const name = (one: Numbers) => requisiteName(one, sight);
  const known = new Map(items.map((one) => [one.requisite_id, name(one)]));
  return withMissing(sight, known, ids, readRequisite, (requisite_id) => ({ requisite_id }), name);
}

/** The newest of them; of others the number is shown. */
export async function userNames(sight: DeskSight): Promise<Names> {
  const { items } = await sight.ask(readUsers, { limit: MOST });
  return new Map(items.map(({ user_id, name }) => [user_id, name]));
}

export function choicesOf(names: Names): Choices {
  const all = [...names].map(([value, label]) => ({ value, label }));
  return all.toSorted((left, right) => left.label.localeCompare(right.label));
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

export async function userColumn(sight: DeskSight) {
  return nameColumn("user_id", await userNames(sight), sight);
}
