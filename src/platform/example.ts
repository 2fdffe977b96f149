// An example of what a schema describes: a request that can be sent as it is, an answer that could come. Made
// from the examples that fields bring along; what any id or moment looks like is known here.

export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly examples?: readonly unknown[];
  readonly [limit: string]: unknown;
}

/** Stands for an id that an earlier answer has given. */
export const SAMPLE_ID = "019a3f00-0000-7000-8000-000000000001";

/** Says that a field of an answer has no example of its own yet. */
export const NO_EXAMPLE = "(no example)";

const OF_FORMAT: Readonly<Record<string, string>> = {
  uuid: SAMPLE_ID,
  "date-time": "2026-03-01T09:00:00.000Z",
};

/** Of a request only what is needed, and what has an example; of an answer all of it. */
export function exampleOf(schema: Schema, of: "request" | "answer"): unknown {
  const { examples, anyOf, properties, items, required = [] } = schema;
  if (examples !== undefined) return examples[0];
  if ("const" in schema) return schema.const;
  if (anyOf?.[0] !== undefined) return exampleOf(anyOf[0], of);
  const types = [schema.type ?? []].flat();
  if (types.includes("null")) return null;
  if (schema.enum !== undefined) return schema.enum[0];
  if (properties !== undefined) {
    const shown = Object.entries(properties).filter(
      ([name, field]) => of === "answer" || required.includes(name) || field.examples !== undefined,
    );
    return Object.fromEntries(shown.map(([name, field]) => [name, exampleOf(field, of)]));
  }
  if (items !== undefined) return [exampleOf(items, of)];
  if (types.includes("boolean")) return true;
  if (types.includes("integer")) return 1;
  if (types.includes("number")) return 1000;
  return OF_FORMAT[schema.format ?? ""] ?? NO_EXAMPLE;
}
