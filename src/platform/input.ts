// From a request to the input of its endpoint, in the order that the contract fixes: the identifier's
// shape first, the rest only once the caller is known.

import { Compile } from "typebox/compile";
import type { Endpoint } from "./endpoint.ts";
import { HttpFailure } from "./failure.ts";
import { isJsonObject, type JsonObject } from "./json.ts";
import { InvalidInput } from "./problem.ts";

interface Parts {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

export interface InputReader {
  gather(parts: Parts): JsonObject;
  /** The identifier in lower case, or a refusal that speaks of nothing else. */
  identifier(input: JsonObject): string;
  check(input: JsonObject): void;
}

export function inputReader({ method, path, input: schema, identifier }: Endpoint): InputReader {
  const hasParams = path.includes(":");
  const whole = Compile(schema);
  const identity = identifier === undefined ? undefined : onlyField(schema, identifier);
  const fields = fieldsOf(schema);

  return {
    gather({ params, query, body }) {
      const sent = method === "GET" ? query : (body ?? {});
      if (!isJsonObject(sent)) throw new HttpFailure("body_not_object");
      const input = pick(fields, sent, hasParams ? (params as JsonObject) : undefined);
      if (method === "GET") readTexts(schema, input);
      return input;
    },
    identifier(input) {
      if (identifier === undefined || identity === undefined) return "";
      if (!identity.check.Check(input)) {
        throw new InvalidInput(identity.schema, identity.check.Errors(input));
      }
      return String(input[identifier]).toLowerCase();
    },
    check(input) {
      if (!whole.Check(input)) throw new InvalidInput(schema, whole.Errors(input));
    },
  };
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
  readonly maxItems: number;
  /** What an object is made of. */
  readonly inner: readonly Field[] | undefined;
}

function fieldsOf({ properties }: { readonly properties: Record<string, unknown> }): Field[] {
  return Object.entries(properties).map(([name, field]) => {
    const { maxItems = Number.POSITIVE_INFINITY, properties: inner } = field as {
      maxItems?: number;
      properties?: Record<string, unknown>;
    };
    return { name, maxItems, inner: inner && fieldsOf({ properties: inner }) };
  });
}

/**
 * What the fields want of what was sent; the rest costs nothing, however much it is. Existing clients
 * send null or "" for what they leave out.
 */
function pick(fields: readonly Field[], sent: JsonObject, params?: JsonObject): JsonObject {
  const input: JsonObject = {};
  for (const { name, maxItems, inner } of fields) {
    const given = params?.[name] ?? sent[name];
    const value = given === null || given === "" ? undefined : given;
    if (inner !== undefined && (value === undefined || isJsonObject(value))) {
      input[name] = pick(inner, value ?? {});
    } else if (Array.isArray(value) && value.length > maxItems) {
      // One too many says as much as thousands.
      input[name] = value.slice(0, maxItems + 1);
    } else if (value !== undefined) input[name] = value;
  }
  return input;
}
