// What detail pages are put together from: rows of a door's answer as a table, its fields as facts,
// and the story of something in the order that it happened.

import { type InvoiceState, whyNotOpen } from "../../domain/invoice.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { Endpoint } from "../../platform/endpoint.ts";
import { type Html, html, type Part } from "../../platform/html.ts";
import { card, facts, link, moment, moneyText, notice } from "../screens/pieces.ts";
import { storyWords } from "../screens/story.ts";
import { type Column, table } from "../screens/table.ts";
import { labelOf } from "../screens/words.ts";
import { columnOf, type FieldSchema, shown } from "./cells.ts";
import type { Sight } from "./site.ts";

/** Whoever sees it. */
type Seen = Pick<Sight<unknown>, "look" | "root" | "say">;

/** The fields of a part of an answer; of the whole without a name. */
function fieldsIn(door: Endpoint, part?: string): Readonly<Record<string, FieldSchema>> {
  const whole = door.data as FieldSchema;
  const at = part === undefined ? whole : whole.properties?.[part];
  return at?.items?.properties ?? at?.properties ?? {};
}

interface Sheet<Item> {
  readonly title: string;
  readonly door: Endpoint;
  readonly part: string;
  readonly rows: readonly Item[];
  readonly columns: readonly (string | Column<NoInfer<Item>>)[];
  open?(item: Item): string | undefined;
  readonly acts?: Part;
}

/** A card with rows of an answer; nothing where there are none. */
export function sheet<Item extends object>(
  { look, root }: Seen,
  { title, door, part, rows, columns: wished, open, acts }: Sheet<Item>,
): Html | false {
  if (rows.length === 0) return false;
  const fields = fieldsIn(door, part);
  const columns = wished.map((one) =>
    typeof one === "string" ? columnOf<Item>(one, fields, look, root) : one,
  );
  const rowHref = (item: Item): string | undefined => open?.(item);
  return card(title, table({ caption: title, columns, rows, rowHref }), acts);
}

/** Fields of an answer that have something to say. */
export function factsOf(
  { look, root }: Seen,
  door: Endpoint,
  part: string | undefined,
  row: object,
  names: readonly (string | readonly [name: string, value: Part])[],
): Html {
  const fields = fieldsIn(door, part);
  const values = row as Readonly<Record<string, unknown>>;
  const all = names.flatMap((one): (readonly [string, Part])[] => {
    const [name, own] = typeof one === "string" ? [one, undefined] : one;
    if (own === undefined && (values[name] === null || values[name] === undefined)) return [];
    const value = own ?? shown(name, fields[name] ?? {}, values, look, root);
    return [[labelOf(name, look.language), value]];
  });
  return facts(all);
}

interface Step {
  readonly at: string;
  readonly what: string;
  readonly detail: string;
  readonly id?: string;
}

/** What happened, the first first. */
export function story({ look, root, say }: Seen, steps: readonly Step[]): Html {
  const items = steps.map(({ at, what, detail, id }) => {
    const [did, more] = storyWords(what, detail, look.language);
    const named = id === undefined ? html`<b>${did}</b>` : link(did, `${root}/go/${id}`);
    return html`<li>${moment(at, look)} <span>${named} <bdi>${more}</bdi></span></li>`;
  });
  return card(
    say({ en: "What happened", ru: "Что происходило" }),
    html`<ol class="story">${items}</ol>`,
  );
}

interface SeenInvoice {
  readonly state: InvoiceState;
  readonly expires_at: string;
  readonly order_id: string;
  readonly amount: number;
  readonly currency: string;
}

/** What whoever cancels an invoice has to look at, on either site; or why it cannot be. */
export function orderToCancel(
  { app, look, say }: Pick<Sight<unknown>, "app" | "look" | "say">,
  { state, expires_at, order_id, amount, currency }: SeenInvoice,
): Html {
  const why = whyNotOpen({ state, expiresAt: new Date(expires_at) }, app.clock.now());
  if (why !== undefined) return notice("warn", new Refusal(why).words(look.language));
  const sum = moneyText(amount, look.language, currency);
  return html`<p>${say({ en: "Invoice", ru: "Счёт" })} <bdi>${order_id}</bdi>: ${sum}</p>`;
}
