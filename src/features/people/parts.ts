// What detail pages are put together from: rows of a door's answer as a table, its fields as facts,
// and the story of something in the order that it happened.

import { type InvoiceState, whyNotOpen } from "../../domain/invoice.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { Asked, Endpoint } from "../../platform/endpoint.ts";
import { type Html, html, type Part } from "../../platform/html.ts";
import { card, facts, figures, link, moment, money, moneyText, notice } from "../screens/pieces.ts";
import { storyWords } from "../screens/story.ts";
import { type Column, table } from "../screens/table.ts";
import { labelOf } from "../screens/words.ts";
import { columnsOf, type FieldSchema, shown } from "./cells.ts";
import type { Sight } from "./site.ts";

/** Whoever sees it. */
type Seen = Pick<Sight<unknown>, "look" | "root" | "say">;

/** The fields of a part of an answer; of the whole without a name. */
function fieldsIn(door: Endpoint, part?: string): Readonly<Record<string, FieldSchema>> {
  const whole = door.data as FieldSchema;
  const at = part === undefined ? whole : whole.properties?.[part];
  return at?.items?.properties ?? at?.properties ?? {};
}

/** The parts of an answer that are rows, and what each is a row of. */
type RowsIn<Data> = {
  readonly [Name in keyof Data as Data[Name] extends readonly object[] ? Name : never]: Data[Name];
};
type RowIn<
  Data,
  Name extends keyof RowsIn<Data>,
> = RowsIn<Data>[Name] extends readonly (infer Row extends object)[] ? Row : never;

interface SheetWish<Row> {
  /** What its part is called, without it. */
  readonly title?: string;
  open?(row: Row): string | undefined;
  readonly acts?: Part;
}

/** Makes cards with rows of an answer, by the name of the part that they are; nothing where there are none. */
export function sheetsOf<Data extends object>(
  sight: Seen,
  door: Asked<unknown, Data>,
  answer: NoInfer<Data>,
) {
  return <Name extends string & keyof RowsIn<Data>>(
    part: Name,
    wished: readonly (string | Column<RowIn<Data, Name>>)[],
    { title = labelOf(part, sight.look.language), open, acts }: SheetWish<RowIn<Data, Name>> = {},
  ): Html | false => {
    const rows = answer[part] as readonly RowIn<Data, Name>[];
    if (rows.length === 0) return false;
    const columns = columnsOf(wished, fieldsIn(door, part), sight);
    const rowHref = (row: RowIn<Data, Name>): string | undefined => open?.(row);
    return card(title, table({ caption: title, columns, rows, rowHref }), acts);
  };
}

interface Told {
  readonly items: readonly { readonly event_id: string }[];
}

/** What an invoice's shop was told. */
export function toldSheet(sight: Seen, door: Asked<unknown, Told>, answer: Told): Html | false {
  const columns = ["created_at", "sequence", "state", "attempts", "next_attempt_at"];
  return sheetsOf(sight, door, answer)("items", columns, {
    title: sight.say({ en: "Webhooks", ru: "Вебхуки" }),
    open: ({ event_id: id }) => `${sight.root}/events/${id}`,
  });
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

/** Sums beside each other, by the names of their fields; one that there is not is left out. */
export function sumsOf(
  { look }: Seen,
  currency: string,
  sums: Readonly<Record<string, number | null | undefined>>,
): Html {
  const told = Object.entries(sums).flatMap(([name, sum]): [string, Part][] =>
    typeof sum === "number" ? [[labelOf(name, look.language), money(sum, look, currency)]] : [],
  );
  return figures(told);
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
