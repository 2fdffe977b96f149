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
  const nested = Object.keys(schema.properties).filter((name) => {
    const property = schema.properties[name];
    return property !== undefined && "properties" in property;
  });

  return {
    gather({ params, query, body }) {
      const sent = method === "GET" ? query : (body ?? {});
      if (!isJsonObject(sent)) throw new HttpFailure("body_not_object");
      const input = withoutEmpty(hasParams ? { ...sent, ...(params as JsonObject) } : sent);
      if (method === "GET") readTexts(schema, input);
      for (const name of nested) {
        const value = input[name] ?? {};
        input[name] = isJsonObject(value) ? withoutEmpty(value) : value;
      }
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

/** Existing clients send null or "" for what they leave out. */
function withoutEmpty(value: JsonObject): JsonObject {
  // Nearly always there is nothing to leave out: what was parsed is then taken as it is.
  let isWhole = true;
  for (const name in value) {
    if (value[name] === null || value[name] === "") isWhole = false;
  }
  if (isWhole) return value;
  const kept = Object.entries(value).filter(([, field]) => field !== null && field !== "");
  return Object.fromEntries(kept);
}
