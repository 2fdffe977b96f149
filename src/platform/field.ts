// The kinds of fields that requests are made of: schemas that document, type and check a field at
// once. Guards that no text with a NUL or a broken surrogate gets further than this.

import Type, { type TSchema } from "typebox";
import { Format } from "typebox/format";

/** A check beyond JSON Schema names itself, so that its words can be found. */
export type CheckName = "decimals" | "distinct" | "json_object";

function isCleanText(value: string): boolean {
  return !value.includes("\0") && value.isWellFormed();
}

function isHttpUrl(value: string): boolean {
  const url = URL.parse(value);
  return (
    url !== null &&
    (url.protocol === "http:" || url.protocol === "https:") &&
    url.username === "" &&
    url.password === ""
  );
}

Format.Set("http-url", (value) => isCleanText(value) && isHttpUrl(value));
Format.Set("clean-text", isCleanText);
// A quoted local part may hold anything by its standard, and this service takes only clean text.
Format.Set("email", (value) => isCleanText(value) && Format.IsEmail(value));

interface Described {
  readonly description: string;
  readonly examples?: readonly unknown[];
}

export function uuid(described: Described) {
  return Type.String({ format: "uuid", ...described });
}

export function text(limits: { max: number; min?: number }, described: Described) {
  const { max, min = 1 } = limits;
  return Type.String({ minLength: min, maxLength: max, format: "clean-text", ...described });
}

export function httpUrl(described: Described) {
  return Type.String({ format: "http-url", maxLength: 2048, ...described });
}

export function email(described: Described) {
  return Type.String({ format: "email", maxLength: 255, ...described });
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

export function checked<Schema extends TSchema>(
  schema: Schema,
  name: CheckName,
  check: (value: never) => boolean,
) {
  return Type.Refine(schema, check as (value: unknown) => boolean, () => name);
}

export function numberOrNull(described: Described) {
  return Type.Unsafe<number | null>({ type: ["number", "null"], ...described });
}

export function textOrNull(described: Described) {
  return Type.Unsafe<string | null>({ type: ["string", "null"], ...described });
}
