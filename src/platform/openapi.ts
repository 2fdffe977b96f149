// The API's description (OpenAPI 3.1) with examples, made from the endpoints themselves.

import type { TObject, TSchema } from "typebox";
import type { Config } from "./config.ts";
import type { Endpoint } from "./endpoint.ts";
import { envelope, failureEnvelope, failuresEnvelope } from "./envelope.ts";
import { HttpFailure, type HttpFailureCode } from "./failure.ts";

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
function exampleOf(schema: Schema, of: "request" | "answer"): unknown {
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

/** Everything that is described: doors in groups, in the order of a story, and what the service tells. */
export interface Api {
  readonly groups: readonly EndpointGroup[];
  readonly webhooks: readonly Webhook[];
  /** Secrets that everybody knows, by their headers or the names of their gates, so that examples can be pasted; else there are none. */
  readonly secrets?: Readonly<Record<string, string>>;
}

interface EndpointGroup {
  readonly name: string;
  readonly description: string;
  readonly endpoints: readonly Endpoint[];
}

export function endpointsIn({ groups }: Api): Endpoint[] {
  return groups.flatMap(({ endpoints }) => endpoints);
}

/** What the service itself sends, to addresses that its callers gave it. */
export interface Webhook {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly headers: TObject;
  readonly body: TObject;
}

export type ApiDescription = ReturnType<typeof describeApi>;
export type Operation = ReturnType<typeof describeOperation>;
export type Told = ReturnType<typeof describeWebhook>;

interface SecurityScheme {
  readonly description: string;
  readonly name?: string;
  readonly "x-example"?: string;
}

interface Response {
  readonly description: string;
  readonly headers?: object;
  readonly content: { readonly "application/json": Content };
}

interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
}

const RETRY_AFTER = {
  "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } },
};

const WEBHOOKS_GROUP = {
  name: "webhooks",
  description: "What the gateway sends to a shop's hook_url, signed twice, at least once.",
};

export function describeApi(api: Api, config: Pick<Config, "baseUrl" | "timeZone">) {
  const paths: Record<string, Record<string, Operation>> = {};
  const securitySchemes: Record<string, SecurityScheme> = {};
  for (const group of api.groups) {
    for (const endpoint of group.endpoints) {
      const { gate, path, method } = endpoint;
      const { description, header } = gate;
      const scheme =
        header === "authorization"
          ? { type: "http", scheme: "bearer" }
          : { type: "apiKey", in: "header", name: header };
      const secret = api.secrets?.[gate.name] ?? api.secrets?.[header];
      const example = secret === undefined ? {} : { "x-example": secret };
      securitySchemes[gate.name] = { ...scheme, description, ...example };
      const template = path.replace(/:(\w+)/g, "{$1}");
      const operation = describeOperation(endpoint, group.name);
      paths[template] = { ...paths[template], [method.toLowerCase()]: operation };
    }
  }
  const groups = [...api.groups, ...(api.webhooks.length === 0 ? [] : [WEBHOOKS_GROUP])];
  return {
    openapi: "3.1.0",
    info: {
      title: "Kopeck",
      version: "1",
      description:
        "A payment gateway for bank transfers. Every answer has one envelope: data, error (failures only), status and status_check. " +
        "A failure has its code in the header x-kopeck-error, what it is about in x-kopeck-field, and every answer its x-request-id. " +
        `A moment that is written YYYY-MM-DD HH:MM:SS is in the service's time zone, ${config.timeZone}.`,
      contact: { name: "Whoever runs this gateway", url: config.baseUrl },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [
      {
        url: "{address}",
        description: "A gateway, wherever it runs.",
        variables: { address: { default: config.baseUrl, description: "Its base URL." } },
      },
    ],
    tags: groups.map(({ name, description }) => ({ name, description })),
    paths,
    webhooks: Object.fromEntries(
      api.webhooks.map((webhook) => [webhook.name, { post: describeWebhook(webhook) }]),
    ),
    components: {
      securitySchemes,
      schemas: { Failure: failureEnvelope, Failures: failuresEnvelope },
    },
  };
}

function describeOperation(endpoint: Endpoint, tag: string) {
  const { method, path, gate, summary, description } = endpoint;
  const input = published(endpoint.input);
  const inPath = new Set([...path.matchAll(/:(\w+)/g)].map(([, name]) => name));
  const parameters = parametersOf(input, (name) => {
    if (inPath.has(name)) return "path";
    return method === "GET" ? "query" : undefined;
  });
  return {
    operationId: operationId(endpoint),
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...describeBody(endpoint, input, inPath),
    responses: describeResponses(endpoint),
    security: [{ [gate.name]: [] }],
  };
}

/** An example is there where one has to be sent, or is worth it. */
function parametersOf(
  { properties = {}, required = [] }: Schema,
  place: (name: string) => "path" | "query" | "header" | undefined,
) {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const where = place(name);
    if (where === undefined) return [];
    const isRequired = required.includes(name);
    const { description = "" } = schema;
    const example =
      isRequired || schema.examples ? { example: exampleOf(schema, "request") } : undefined;
    return [{ name, in: where, required: isRequired, description, schema, ...example }];
  });
}

/** What is named in the path is not in the body; a body of nothing is not described. */
function describeBody(
  { method, refusesUnknown }: Endpoint,
  { required = [], properties = {}, ...schema }: Schema,
  inPath: ReadonlySet<string | undefined>,
) {
  const fields = Object.entries(properties).filter(([name]) => !inPath.has(name));
  if (method === "GET" || fields.length === 0) return {};
  const left = required.filter((name) => !inPath.has(name));
  const open: Schema = {
    ...schema,
    ...(left.length === 0 ? {} : { required: left }),
    properties: Object.fromEntries(fields),
  };
  const body = refusesUnknown ? closed(open) : open;
  const content = { schema: body, example: exampleOf(body, "request") };
  return { requestBody: { required: true as const, content: { "application/json": content } } };
}

/** "postInvoiceCreate": what generated clients call the operation. */
function operationId({ method, path }: Endpoint): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter(Boolean);
  const capital = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return method.toLowerCase() + capital.join("");
}

function describeResponses(endpoint: Endpoint): Record<string, Response> {
  const { gate, notFound, problems, method, input, refusesUnknown } = endpoint;
  const failures: [string, string][] = [["401", "Wrong identifier or secret key."]];
  if (gate.forbids !== undefined) failures.push(["403", gate.forbids]);
  if (notFound !== undefined) failures.push(["404", notFound]);
  // Who sends nothing, and is refused nothing that is sent beside it, sends nothing wrong.
  if (method === "POST" || refusesUnknown || Object.keys(input.properties).length > 0) {
    const first = "The first problem, in the order of the fields.";
    failures.push(["422", problems === "all" ? "What is wrong, as a list of messages." : first]);
  }
  const platform: HttpFailureCode[] =
    method === "POST"
      ? ["body_too_large", "media_type_unsupported", "too_many_requests", "internal", "overloaded"]
      : ["too_many_requests", "internal", "overloaded"];
  for (const code of platform) {
    const failure = new HttpFailure(code);
    failures.push([String(failure.status), failure.words("en")]);
  }
  const schema = published(envelope(endpoint.data));
  return {
    "200": {
      description: "Success.",
      content: { "application/json": { schema, example: exampleOf(schema, "answer") } },
    },
    ...Object.fromEntries(
      failures.map(([status, description]) => [
        status,
        failureResponse(status, description, status === "422" && problems === "all"),
      ]),
    ),
  };
}

function failureResponse(status: string, description: string, isList: boolean): Response {
  const $ref = `#/components/schemas/${isList ? "Failures" : "Failure"}`;
  return {
    description,
    ...(status === "429" || status === "503" ? { headers: RETRY_AFTER } : {}),
    content: { "application/json": { schema: { $ref } } },
  };
}

function describeWebhook({ name, summary, description, headers, body }: Webhook) {
  const schema = published(body);
  const content = { "application/json": { schema, example: exampleOf(schema, "answer") } };
  return {
    operationId: `webhook${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
    tags: [WEBHOOKS_GROUP.name],
    summary,
    description,
    parameters: parametersOf(published(headers), () => "header"),
    requestBody: { required: true as const, content },
    responses: {
      "2XX": { description: "Heard; it is not sent again." },
      "410": { description: "Nobody listens here any more; it is not sent again." },
      default: { description: "Not heard, a redirect neither; it is sent again, for days." },
    },
    security: [],
  };
}

/** Formats of our own become the standard's where it has one, and else are left to the words. */
const FORMATS: Readonly<Record<string, string | undefined>> = {
  "http-url": "uri",
  "clean-text": undefined,
  cursor: undefined,
  moment: undefined,
  uuids: undefined,
  "payer-email": undefined,
};

function published(schema: TSchema): Schema {
  const text = JSON.stringify(schema);
  return JSON.parse(text, (key, value: unknown) => {
    if (key === "format" && typeof value === "string" && value in FORMATS) return FORMATS[value];
    return isFreeObject(value) ? { additionalProperties: true, ...value } : value;
  }) as Schema;
}

/** Of no fields in particular: its schema says so, and checking it costs nothing for that. */
function isFreeObject(value: unknown): value is Schema {
  if (typeof value !== "object" || value === null || "properties" in value) return false;
  return "type" in value && [value.type].flat().includes("object");
}

/** Where an unknown field is refused, at every level of it. */
function closed(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema), (_key, value: Schema | null) =>
    value?.type === "object" && "properties" in value
      ? { ...value, additionalProperties: false }
      : value,
  ) as Schema;
}
