// The ceiling: plain Fastify with the same methods, paths and schemas, that checks, writes a fixed answer
// and does nothing else. Asked by whoever starts it: the answers by the endpoints' names; it says where
// it listens.

import Fastify from "fastify";
import { endpointsOf } from "../src/features/index.ts";
import { type Endpoint, endpointName } from "../src/platform/endpoint.ts";
import { envelope } from "../src/platform/envelope.ts";
import { answerParent } from "./part.ts";

export type BareAnswers = Readonly<Record<string, unknown>>;

type JsonSchema = Readonly<Record<string, unknown>>;

/** Formats that Ajv does not know are left out, and so are checks beyond JSON Schema: less work. */
const KNOWN_FORMATS = ["uuid", "ipv4", "email"];

/** Ajv would warn of a field that may be a text or an object; nothing else changes. */
const AJV_OPTIONS = { ajv: { customOptions: { allowUnionTypes: true } } };

function plain(schema: object): JsonSchema {
  const text = JSON.stringify(schema, (key, value: unknown) => {
    if (key.startsWith("~") || key === "examples") return undefined;
    return key === "format" && !KNOWN_FORMATS.includes(String(value)) ? undefined : value;
  });
  return JSON.parse(text) as JsonSchema;
}

/** The fields named in the path, and the rest. */
function inputSchemas({ method, path, input }: Endpoint): JsonSchema {
  const { properties, required = [] } = plain(input) as {
    properties: JsonSchema;
    required?: readonly string[];
  };
  const named = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  const part = (isNamed: boolean): JsonSchema => ({
    type: "object",
    required: required.filter((name) => named.includes(name) === isNamed),
    properties: Object.fromEntries(
      Object.entries(properties).filter(([name]) => named.includes(name) === isNamed),
    ),
  });
  const rest = method === "GET" ? "querystring" : "body";
  return { ...(named.length > 0 ? { params: part(true) } : {}), [rest]: part(false) };
}

/** Of a door that answers in one of several shapes, the first: to try them would be slower. */
function firstShape(data: Endpoint["data"]): Endpoint["data"] {
  return "anyOf" in data && Array.isArray(data.anyOf) ? data.anyOf[0] : data;
}

answerParent(async (answers: BareAnswers) => {
  const server = Fastify(AJV_OPTIONS);
  for (const endpoint of endpointsOf("sandbox")) {
    const answer = answers[endpointName(endpoint)];
    if (answer === undefined) continue;
    const { method, path: url, data } = endpoint;
    server.route({
      method,
      url,
      schema: { ...inputSchemas(endpoint), response: { 200: plain(envelope(firstShape(data))) } },
      handler: async () => answer,
    });
  }
  return server.listen({ host: "127.0.0.1", port: 0 });
});
