// Kinds of request fields: each schema documents, types and checks. The makers load no code of typebox.

import type * as Typebox from "typebox";
import type { TSchema } from "typebox";
import { Format } from "typebox/format";
import { httpUrlOf } from "./address.ts";
import type { KeysetPage } from "./db-page.ts";
import type { CheckName } from "./input.ts";

type Maker =
  | ("Array" | "Boolean" | "Integer" | "Literal" | "Never" | "Null" | "Number" | "Object")
  | ("Omit" | "Optional" | "Partial" | "Pick" | "Refine" | "String" | "Union" | "Unsafe");

type Plain = Readonly<Record<string, unknown>>;
type Fields = Readonly<Record<string, Plain>>;

/** Marks that no description shows: whoever writes the schema as JSON does not see them. */
const OPTIONAL = "~optional";
const REFINE = "~refine";

function marked(schema: Plain, mark: string, value: unknown): Plain {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema));
  return Object.defineProperty(copy, mark, { value, configurable: true });
}

function object(properties: Fields, options: Plain = {}): Plain {
  const required = Object.keys(properties).filter(
    (name) => !(OPTIONAL in (properties[name] ?? {})),
  );
  const named = required.length > 0 ? { required } : {};
  return { type: "object", ...named, properties, ...options };
}

const optional = (schema: Plain): Plain => marked(schema, OPTIONAL, true);

/** An object of those of its fields that are chosen, each as it is told to be. */
function fieldsOf(
  { properties }: { properties: Fields },
  isChosen: (name: string) => boolean,
  as: (field: Plain) => Plain = (field) => field,
): Plain {
  const chosen = Object.entries(properties).filter(([name]) => isChosen(name));
  return object(Object.fromEntries(chosen.map(([name, field]) => [name, as(field)])));
}

const makers = {
  Array: (items: Plain, options?: Plain) => ({ type: "array", items, ...options }),
  Boolean: (options?: Plain) => ({ type: "boolean", ...options }),
  Integer: (options?: Plain) => ({ type: "integer", ...options }),
  Literal: (value: unknown, options?: Plain) => ({ type: typeof value, const: value, ...options }),
  Never: (options?: Plain) => ({ not: {}, ...options }),
  Null: (options?: Plain) => ({ type: "null", ...options }),
  Number: (options?: Plain) => ({ type: "number", ...options }),
  Object: object,
  Omit: (from: { properties: Fields }, names: readonly string[]) =>
    fieldsOf(from, (name) => !names.includes(name)),
  Optional: optional,
  Partial: (from: { properties: Fields }) => fieldsOf(from, () => true, optional),
  Pick: (from: { properties: Fields }, names: readonly string[]) =>
    fieldsOf(from, (name) => names.includes(name)),
  Refine(schema: Plain, check: unknown, error: unknown) {
    const others = (schema[REFINE] ?? []) as readonly unknown[];
    return marked(schema, REFINE, [...others, { check, error }]);
  },
  String: (options?: Plain) => ({ type: "string", ...options }),
  Union: (anyOf: readonly Plain[], options?: Plain) => ({ anyOf, ...options }),
  Unsafe: (schema: Plain) => schema,
} satisfies Record<Maker, unknown>;

/** The types are those of typebox; what is made is what it would make. */
export const Type = makers as unknown as Pick<typeof Typebox, Maker>;

function isCleanText(value: string): boolean {
  return !value.includes("\0") && value.isWellFormed();
}

Format.Set("http-url", (value) => isCleanText(value) && httpUrlOf(value) !== undefined);
Format.Set("clean-text", isCleanText);
// A quoted local part may hold anything by its standard, and this service takes only clean text.
Format.Set("email", (value) => isCleanText(value) && Format.IsEmail(value));

/** What no address has and nobody sees. */
const UNSEEN = /[\p{C}\p{Z}]/u;
Format.Set("payer-email", (value) => {
  const isOfAnyScript = !UNSEEN.test(value) && Format.IsIdnEmail(value);
  return isCleanText(value) && (isOfAnyScript || Format.IsEmail(value));
});

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const CURSOR = new RegExp(`^${UUID}(?:\\.${UUID})?$`, "i");
Format.Set("cursor", (value) => CURSOR.test(value));
/** As many as a page has rows. */
const MOST_IDS = 200;
const IDS = new RegExp(`^${UUID}(?:,${UUID}){0,${MOST_IDS - 1}}$`, "i");
Format.Set("uuids", (value) => IDS.test(value));

const MOMENT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d))?$/;
const LAST_MOMENT = Date.UTC(9999, 11, 31);
/** Date.parse makes the second of March of the thirtieth of February. */
const isDayOfCalendar = (day: string): boolean => new Date(day).toISOString().startsWith(day);
Format.Set(
  "moment",
  (value) =>
    MOMENT.test(value) &&
    Date.parse(value) >= 0 &&
    // With its offset the last day of the calendar may be of a year with five digits.
    Date.parse(value) <= LAST_MOMENT &&
    isDayOfCalendar(value.slice(0, 10)),
);

interface Described {
  readonly description: string;
  readonly examples?: readonly unknown[];
}

export function uuid(described: Described) {
  return Type.String({ format: "uuid", ...described });
}

/** Several ids in one text, as an address can hold them. */
export function uuids(description: string, example: string) {
  return Type.String({
    format: "uuids",
    examples: [example],
    description: `${description}, with commas between their ids; at most ${MOST_IDS}.`,
  });
}

export function text(limits: { max: number; min?: number }, described: Described) {
  const { max, min = 1 } = limits;
  return Type.String({ minLength: min, maxLength: max, format: "clean-text", ...described });
}

/** What a name may have by the standard of names, written in ASCII as they are looked up. */
const MAX_HOST_BYTES = 253;

export function httpUrl(described: Described) {
  const schema = Type.String({ format: "http-url", maxLength: 2048, ...described });
  const check = (value: string) => (URL.parse(value)?.hostname.length ?? 0) <= MAX_HOST_BYTES;
  return checked(schema, "host", check);
}

/** A number with two decimals at most, and never more than its digits can say exactly. */
export function decimal(limits: { min: number }, described: Described) {
  const schema = Type.Number({ minimum: limits.min, maximum: 1e12, ...described });
  return checked(schema, "decimals", (value: number) => /^\d+(?:\.\d{1,2})?$/.test(String(value)));
}

export function percentage(described: Described) {
  const schema = Type.Number({ minimum: 0, maximum: 100, ...described });
  const check = (value: number) => /^\d+(?:\.\d{1,4})?$/.test(String(value));
  return checked(schema, "four_decimals", check);
}

/** By ISO 4217: those with no decimals, three or four, and what is no currency that one could pay in. */
const NOT_TWO_DECIMALS =
  "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF " +
  "BHD IQD JOD KWD LYD OMR TND CLF UYW " +
  "XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX";

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency")).difference(
  new Set(NOT_TWO_DECIMALS.split(" ")),
);

/**
 * One that exists, for a slip of the pen would make something that nothing else ever fits; and whose
 * amounts have two decimals, for so does every amount on the wire.
 */
export function currencyCode(described: Described) {
  const schema = Type.String({ pattern: "^[A-Z]{3}$", ...described });
  return checked(schema, "currency", (value: string) => CURRENCIES.has(value));
}

export function lastDigits(described: Described) {
  return Type.String({ pattern: "^\\d{4}$", ...described });
}

/** A date alone is its midnight in UTC. */
export function moment(described: Described & { readonly maxLength?: number }) {
  return Type.String({ format: "moment", ...described });
}

function cursor(described: Described) {
  return Type.String({ format: "cursor", ...described });
}

export function email(described: Described) {
  return Type.String({ format: "email", maxLength: 255, ...described });
}

/** Of anybody, in any script: почта@пример.рф. Nothing is sent there. */
export function payerEmail(described: Described) {
  return Type.String({ format: "payer-email", maxLength: 255, ...described });
}

const PHONE = /^\+[1-9]\d{9,14}$/;

/** How somebody may be reached: a URL, an e-mail address, or a phone number with a plus. */
export function contact(described: Described) {
  const schema = Type.String({ maxLength: 255, ...described });
  return checked(
    schema,
    "contact",
    (value: string) =>
      isCleanText(value) &&
      (PHONE.test(value) || Format.IsEmail(value) || httpUrlOf(value) !== undefined),
  );
}

export function ipv4(described: Described) {
  return Type.String({ format: "ipv4", ...described });
}

export function oneOf<const Value extends string>(values: readonly Value[], described: Described) {
  return Type.Unsafe<Value>({ type: "string", enum: [...values], ...described });
}

export function integer(limits: { min: number; max: number }, described: Described) {
  return Type.Integer({ minimum: limits.min, maximum: limits.max, ...described });
}

export function listOf<Item extends TSchema>(
  item: Item,
  limits: { min: number; max: number },
  described: Described,
) {
  const { min: minItems, max: maxItems } = limits;
  const list = Type.Array(item, { minItems, maxItems, ...described });
  // The keyword uniqueItems would compare whole trees, and a hostile one is 20,000 levels deep.
  return checked(list, "distinct", (value: unknown[]) => new Set(value).size === value.length);
}

export function yesNo(described: Described) {
  return Type.Boolean({ ...described });
}

export function checked<Schema extends TSchema>(
  schema: Schema,
  /** What was not met; of several things a function tells which. */
  name: CheckName | ((value: never) => CheckName),
  check: (value: never) => boolean,
) {
  const nameOf = (typeof name === "string" ? () => name : name) as (value: unknown) => CheckName;
  return Type.Refine(schema, check as (value: unknown) => boolean, nameOf);
}

export function numberOrNull(described: Described) {
  return Type.Unsafe<number | null>({ type: ["number", "null"], ...described });
}

export function textOrNull(described: Described, format?: "uuid" | "date-time" | "uri") {
  const named = format === undefined ? {} : { format };
  return Type.Unsafe<string | null>({ type: ["string", "null"], ...named, ...described });
}

export const pageFields = {
  limit: Type.Optional(integer({ min: 1, max: 200 }, { description: "Rows of a page; 50." })),
  after: Type.Optional(cursor({ description: "The `next` of the page before." })),
};

/** For lists whose rows begin with the moment that they were made at. */
export const periodFields = {
  from: Type.Optional(moment({ description: "Made at this moment or later (ISO 8601)." })),
  to: Type.Optional(moment({ description: "Made before this moment (ISO 8601)." })),
};

export function pageOf<Item extends TSchema>(item: Item) {
  return Type.Object({
    items: Type.Array(item),
    next: textOrNull({
      description: "What `after` takes for the next page; null where nothing is left.",
    }),
  });
}

export function toPage<Row, Item>(page: KeysetPage<Row>, toItem: (row: Row) => Item) {
  return { items: page.rows.map(toItem), next: page.next };
}
