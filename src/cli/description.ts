// What the API's description says about a call: its fields, their kinds and words, and which parts of
// its answer are shown only once. The command line knows no field by itself.

import api from "../../openapi.json" with { type: "json" };

export interface Field {
  readonly name: string;
  readonly kind: "string" | "integer" | "number" | "boolean" | "array" | "object";
  readonly required: boolean;
  readonly description: string;
  readonly choices: readonly string[];
}

export interface Call {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly fields: readonly Field[];
  /** Whether its answer is a page of a list. */
  readonly isPage: boolean;
}

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface Operation {
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly { name: string; required: boolean; schema: Schema }[];
  readonly requestBody?: { content: { "application/json": { schema: Schema } } };
  readonly responses: Readonly<
    Record<string, { content: { "application/json": { schema: Schema } } } | undefined>
  >;
}

const PATHS = api.paths as unknown as Record<string, Record<string, Operation | undefined>>;

/** The call that "POST /manage/shops" names. */
export function describeCall(name: string): Call {
  const [method = "", path = ""] = name.split(" ");
  const operation = PATHS[path]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`The API has no ${name}.`);
  const body = operation.requestBody?.content["application/json"].schema;
  const data = operation.responses["200"]?.content["application/json"].schema.properties?.["data"];
  return {
    method: method === "GET" ? "GET" : "POST",
    path,
    summary: operation.summary,
    description: operation.description ?? "",
    fields: [
      ...(operation.parameters ?? []).map(({ name: field, required, schema }) =>
        toField(field, required, schema),
      ),
      ...Object.entries(body?.properties ?? {}).map(([field, schema]) =>
        toField(field, body?.required?.includes(field) ?? false, schema),
      ),
    ],
    isPage: data?.properties?.["next"] !== undefined,
  };
}

function toField(name: string, required: boolean, schema: Schema): Field {
  const kinds = ["string", "integer", "number", "boolean", "array"] as const;
  return {
    name,
    kind: kinds.find((kind) => kind === schema.type) ?? "object",
    required,
    description: schema.description ?? "",
    choices: schema.enum ?? schema.items?.enum ?? [],
  };
}
