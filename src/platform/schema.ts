// What the fields of doors are declared with: typebox's own types and words, made by a few lines of ours.
// Typebox makes the same objects with 450 files more, whose loading took a fifth of every start; its
// compiler of checks takes plain JSON Schema and needs none of them.

import type * as Typebox from "typebox";

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
