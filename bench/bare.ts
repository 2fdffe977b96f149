// The ceiling: plain Fastify with the same methods, paths and schemas, that checks, writes a fixed answer
// and does nothing else. Asked by whoever starts it: the answers by the endpoints' names; it says where
// it listens.

import Fastify from "fastify";
import { endpointsOf } from "../src/features/index.ts";
import { type Endpoint, endpointName } from "../src/platform/endpoint.ts";
import { envelope } from "../src/platform/envelope.ts";
import { answerParent } from "./part.ts";
import { AJV_OPTIONS, type JsonSchema, plain } from "./plain-schema.ts";

export type BareAnswers = Readonly<Record<string, unknown>>;

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

answerParent(async (answers: BareAnswers) => {
  const server = Fastify(AJV_OPTIONS);
  for (const endpoint of endpointsOf("sandbox")) {
    const answer = answers[endpointName(endpoint)];
    if (answer === undefined) continue;
    const { method, path: url, data } = endpoint;
    server.route({
      ...{ method, url },
      schema: { ...inputSchemas(endpoint), response: { 200: plain(envelope(data)) } },
      handler: async () => answer,
    });
  }
  return server.listen({ host: "127.0.0.1", port: 0 });
});
