// From a request to the input of its endpoint, in the order that the contract fixes: the identifier's
// shape first, the rest only once the caller is known.

import type { TObject } from "typebox";
import { Compile, type Validator } from "typebox/schema";
import { isJsonObject, type JsonObject } from "./body.ts";
import type { Endpoint } from "./endpoint.ts";
import { HttpFailure } from "./failure.ts";
import { InvalidInput } from "./problem.ts";

interface Parts {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

export type InputReader = ReturnType<typeof inputReader>;

export function inputReader(endpoint: Endpoint) {
  const { method, path, input: schema, identifier, refusesUnknown } = endpoint;
  const inPath = new Set(path.match(/(?<=:)\w+/g));
  const hasParams = inPath.size > 0;
  const whole = compiledOnce(() => Compile(schema));
  const identity = compiledOnce(() =>
    identifier === undefined ? undefined : onlyField(schema, identifier),
  );
  const fields = fieldsOf(schema);
  const sendable = fields.filter(({ name }) => !inPath.has(name));
  // Found while the request is there, told once it is known who asks.
  const unknown = new WeakMap<JsonObject, string[][]>();

  return {
    gather({ params, query, body }: Parts): JsonObject {
      const sent = method === "GET" ? query : body === undefined ? {} : body;
      if (!isJsonObject(sent)) throw new HttpFailure("body_not_object");
      const input = pick(fields, sent, hasParams ? (params as JsonObject) : undefined);
      if (method === "GET") readTexts(schema, input);
      if (refusesUnknown) {
        const beside = method === "GET" || !isJsonObject(query) ? [] : Object.keys(query);
        const found = [...unknownIn(sendable, sent), ...beside.map((name) => [name])];
        unknown.set(input, found.slice(0, MOST_UNKNOWN));
      }
      return input;
    },
    /** The identifier in lower case, or a refusal that speaks of nothing else. */
    identifier(input: JsonObject): string {
      const only = identity();
      if (identifier === undefined || only === undefined) return "";
      if (!only.check.Check(input)) {
        throw new InvalidInput(only.schema, errorsOf(only.check, input));
      }
      return String(input[identifier]).toLowerCase();
    },
    check(input: JsonObject): void {
      const names = unknown.get(input) ?? [];
      const isRight = whole().Check(input);
      if (isRight && names.length === 0) return;
      throw new InvalidInput(schema, isRight ? [] : errorsOf(whole(), input), names);
    },
  };
}

/** When it is first asked for: a door takes a millisecond, all of them 0.1 s of every start. */
function compiledOnce<Check>(compile: () => Check): () => Check {
  let compiled: { readonly check: Check } | undefined;
  return () => {
    compiled ??= { check: compile() };
    return compiled.check;
  };
}

function errorsOf(check: Validator, value: unknown) {
  const [, errors] = check.Errors(value);
  return errors;
}

/** What is wrong with a part of an input that is judged by itself, as an item of a list. */
export function judgeOf(schema: TObject): (value: unknown) => InvalidInput | undefined {
  const whole = Compile(schema);
  return (value) =>
    whole.Check(value) ? undefined : new InvalidInput(schema, errorsOf(whole, value));
}

/** A query has only texts; what its field wants as a number or a yes or no is read as one. */
function readTexts(schema: Endpoint["input"], input: JsonObject): void {
  for (const [name, field] of Object.entries(schema.properties)) {
    const value = input[name];
    if (typeof value !== "string" || !("type" in field)) continue;
    if (field.type === "boolean" && /^(?:true|false)$/.test(value)) input[name] = value === "true";
    const isNumeric = field.type === "integer" || field.type === "number";
    if (isNumeric && /^\d{1,15}(?:\.\d+)?$/.test(value)) input[name] = Number(value);
  }
}

function onlyField(schema: Endpoint["input"], name: string) {
  const field = schema.properties[name];
  if (field === undefined) throw new Error(`The input has no field ${name}.`);
  const alone = { type: "object", required: [name], properties: { [name]: field } };
  return { schema: alone, check: Compile(alone) };
}

interface Field {
  readonly name: string;
  readonly isOptional: boolean;
  readonly maxItems: number;
  /** What an object is made of. */
  readonly inner: readonly Field[] | undefined;
  /** What each object of a list is made of. */
  readonly each: readonly Field[] | undefined;
}

interface FieldSchema {
  readonly required?: readonly string[];
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly items?: FieldSchema;
}

function fieldsOf({ properties = {}, required = [] }: FieldSchema): Field[] {
  return Object.entries(properties).map(([name, field]) => ({
    name,
    isOptional: !required.includes(name),
    maxItems: field.maxItems ?? Number.POSITIVE_INFINITY,
    inner: field.properties && fieldsOf(field),
    each: field.items?.properties && fieldsOf(field.items),
  }));
}

/**
 * What the fields want of what was sent; the rest costs nothing, however much it is. Existing clients
 * send null or "" for what they leave out.
 */
function pick(fields: readonly Field[], sent: JsonObject, params?: JsonObject): JsonObject {
  const input: JsonObject = {};
  for (const { name, isOptional, maxItems, inner, each } of fields) {
    const given = params?.[name] ?? sent[name];
    const value = given === null || given === "" ? undefined : given;
    if (value === undefined && isOptional) continue;
    if (inner !== undefined && (value === undefined || isJsonObject(value))) {
      input[name] = pick(inner, value ?? {});
    } else if (Array.isArray(value)) {
      // One too many says as much as thousands.
      const items = value.length > maxItems ? value.slice(0, maxItems + 1) : value;
      input[name] =
        each === undefined
          ? items
          : items.map((item) => (isJsonObject(item) ? pick(each, item) : item));
    } else if (value !== undefined) input[name] = value;
  }
  return input;
}

/** Whoever sends more of them has read another manual. */
const MOST_UNKNOWN = 10;

/** Where fields stand that nobody asked for; the first of them, where they are many. */
function unknownIn(fields: readonly Field[], sent: JsonObject): string[][] {
  const known = new Map(fields.map((field) => [field.name, field]));
  const found: string[][] = [];
  for (const name in sent) {
    if (found.length >= MOST_UNKNOWN) break;
    const field = known.get(name);
    const value = sent[name];
    if (field === undefined) found.push([name]);
    else if (field.inner !== undefined && isJsonObject(value)) {
      found.push(...unknownIn(field.inner, value).map((path) => [name, ...path]));
    } else if (field.each !== undefined && Array.isArray(value)) {
      const { each, maxItems } = field;
      for (const [index, item] of value.slice(0, maxItems).entries()) {
        if (!isJsonObject(item)) continue;
        found.push(...unknownIn(each, item).map((path) => [name, String(index), ...path]));
      }
    }
  }
  return found;
}
