// Ids that people know by a name: in a column, among facts, as what a field offers. Guards that a list of fifty rows
// asks once for all that it names, and that an id without a name is shown as it is.

import { html, type Part } from "../../platform/html.ts";
import { type Column, choicesOf, type FormField, shortId } from "../screens/pieces.ts";
import { labelOf } from "../screens/words.ts";
import type { Sight } from "./site.ts";

export type Names = ReadonlyMap<string, string>;
export type Ids = readonly (string | null)[];

/** How a site names the ids of a field. */
export interface Naming<Who> {
  /** Of these ids, or of the newest there are. */
  names(sight: Sight<Who>, ids?: Ids): Promise<Names>;
  /** Where whose it is is seen. */
  href(id: string): string;
}

/** A field that is shown, or chosen, by name. */
export interface Named {
  readonly name: string;
  readonly isNamed: true;
}

export const named = (name: string): Named => ({ name, isNamed: true });

function namingOf<Who>({ naming }: Sight<Who>, name: string): Naming<Who> {
  const found = naming[name];
  if (found === undefined) throw new Error(`${name} has no names here.`);
  return found;
}

/** The name as a link to whose it is; without one, the id. */
export function nameLink(names: Names, id: string | null, href: string, root: string): Part {
  if (id === null) return "—";
  const name = names.get(id);
  if (name === undefined) return shortId(id, `${root}/go/${id}`);
  return html`<a href="${href}"><bdi>${name}</bdi></a>`;
}

export async function nameOf<Who>(sight: Sight<Who>, field: string, id: string | null) {
  const { names, href } = namingOf(sight, field);
  return nameLink(await names(sight, [id]), id, href(id ?? ""), sight.root);
}

/** The same columns, of which those that are named know the names of these rows. */
export function withNames<Who, Item extends object>(
  sight: Sight<Who>,
  wished: readonly (string | Named | Column<Item>)[],
  items: readonly Item[],
): Promise<(string | Column<Item>)[]> {
  return Promise.all(
    wished.map(async (wish) => {
      if (typeof wish === "string" || !("isNamed" in wish)) return wish;
      const idOf = (item: Item): string | null =>
        (item as Readonly<Record<string, string | null>>)[wish.name] ?? null;
      const naming = namingOf(sight, wish.name);
      const names = await naming.names(sight, items.map(idOf));
      return {
        label: labelOf(wish.name, sight.look.language),
        cell: (item: Item): Part =>
          nameLink(names, idOf(item), naming.href(idOf(item) ?? ""), sight.root),
        text: (item: Item) => names.get(idOf(item) ?? "") ?? idOf(item),
      };
    }),
  );
}

export type FieldWish = string | (Partial<FormField & Named> & { readonly name: string });

export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The newest, and whatever is chosen already. */
async function offered<Who>(sight: Sight<Who>, name: string): Promise<Names> {
  const { names } = namingOf(sight, name);
  const newest = await names(sight);
  const chosen = [sight.visit.sent[name] ?? []].flat().at(-1) ?? "";
  if (newest.has(chosen) || !UUID.test(chosen)) return newest;
  return new Map([...newest, ...(await names(sight, [chosen]))]);
}

/** The same fields, of which those that are named offer names. */
export function withChoices<Who>(
  sight: Sight<Who>,
  wishes: readonly FieldWish[],
): Promise<(Partial<FormField> & { readonly name: string })[]> {
  return Promise.all(
    wishes.map(async (wish) => {
      if (typeof wish === "string") return { name: wish };
      const { isNamed: byName, ...own } = wish;
      if (!byName) return own;
      return { ...own, choices: choicesOf(await offered(sight, own.name)) };
    }),
  );
}
