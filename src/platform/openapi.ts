// The API's description (OpenAPI 3.1), made from the endpoints themselves, so that it cannot say
// anything else than what they check and answer.

import type { TSchema } from "typebox";
import type { Endpoint } from "./endpoint.ts";
import { envelope, failureEnvelope } from "./envelope.ts";
import { HttpFailure, type HttpFailureCode } from "./failure.ts";

export type ApiDescription = ReturnType<typeof describeApi>;
export type Operation = ReturnType<typeof describeOperation>;

interface Response {
  readonly description: string;
  readonly headers?: object;
  readonly content: { readonly "application/json": { readonly schema: object } };
}

const RETRY_AFTER = {
  "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } },
};

export function describeApi(endpoints: readonly Endpoint[]) {
  const paths: Record<string, Record<string, Operation>> = {};
  const securitySchemes: Record<string, { description: string; name?: string }> = {};
  for (const endpoint of endpoints) {
    const { gate, path, method } = endpoint;
    const { description, header } = gate;
    const scheme =
      header === "authorization"
        ? { type: "http", scheme: "bearer" }
        : { type: "apiKey", in: "header", name: header };
    securitySchemes[gate.name] = { ...scheme, description };
    const template = path.replace(/:(\w+)/g, "{$1}");
    paths[template] = { ...paths[template], [method.toLowerCase()]: describeOperation(endpoint) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Kopeck",
      version: "1",
      description:
        "A payment gateway for bank transfers. Every answer has one envelope: data, error (failures only), status and status_check.",
    },
    paths,
    components: { securitySchemes, schemas: { Failure: failureEnvelope } },
  };
}

function describeOperation(endpoint: Endpoint) {
  const { method, input, path, gate, summary, description } = endpoint;
  const required = new Set(input.required ?? []);
  const inPath = new Set([...path.matchAll(/:(\w+)/g)].map(([, name]) => name));
  const fields = Object.entries(input.properties) as [string, TSchema][];
  const parameters = fields
    .filter(([name]) => method === "GET" || inPath.has(name))
    .map(([name, schema]) => ({
      name,
      in: inPath.has(name) ? "path" : "query",
      required: required.has(name),
      schema,
    }));
  return {
    operationId: operationId(endpoint),
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...describeBody(endpoint, inPath),
    responses: describeResponses(endpoint),
    security: [{ [gate.name]: [] }],
  };
}

/** What is named in the path is not in the body; a body of nothing is not described. */
function describeBody({ method, input }: Endpoint, inPath: ReadonlySet<string | undefined>) {
  const { required = [], ...schema } = input as TSchema & typeof input;
  const fields = Object.entries(schema.properties).filter(([name]) => !inPath.has(name));
  if (method === "GET" || fields.length === 0) return {};
  const left = required.filter((name) => !inPath.has(name));
  const body = {
    ...schema,
    ...(left.length === 0 ? {} : { required: left }),
    properties: Object.fromEntries(fields),
  };
  return {
    requestBody: { required: true as const, content: { "application/json": { schema: body } } },
  };
}

/** "postInvoiceCreate": what generated clients call the operation. */
function operationId({ method, path }: Endpoint): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter(Boolean);
  const capital = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return method.toLowerCase() + capital.join("");
}

function describeResponses(endpoint: Endpoint): Record<string, Response> {
  const failures: [string, string][] = [
    ["401", "Wrong identifier or secret key."],
    ...(endpoint.gate.forbids === undefined
      ? []
      : [["403", endpoint.gate.forbids] as [string, string]]),
    ...(endpoint.notFound === undefined ? [] : [["404", endpoint.notFound] as [string, string]]),
    [
      "422",
      endpoint.problems === "all"
        ? "What is wrong, as a list of messages."
        : "The first problem, in the order of the fields.",
    ],
  ];
  const platform: HttpFailureCode[] =
    endpoint.method === "POST"
      ? ["body_too_large", "media_type_unsupported", "too_many_requests", "internal", "overloaded"]
      : ["too_many_requests", "internal", "overloaded"];
  for (const code of platform) {
    const failure = new HttpFailure(code);
    failures.push([String(failure.status), failure.words("en")]);
  }
  return {
    "200": {
      description: "Success.",
      content: { "application/json": { schema: envelope(endpoint.data) } },
    },
    ...Object.fromEntries(
      failures.map(([status, description]) => [status, failureResponse(status, description)]),
    ),
  };
}

function failureResponse(status: string, description: string): Response {
  return {
    description,
    ...(status === "429" || status === "503" ? { headers: RETRY_AFTER } : {}),
    content: { "application/json": { schema: { $ref: "#/components/schemas/Failure" } } },
  };
}
