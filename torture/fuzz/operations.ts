// Every operation that can be asked for: of the API's description, the pages and the service paths.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pagesOf } from "../../src/features/pages.ts";
import { SHOP, USER } from "../../test/cast.ts";
import { SERVICE_PATHS } from "../../test/contract-doors.ts";
import { OPERATOR_TOKEN } from "../../test/manage.ts";

export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly maximum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

export interface Operation {
  readonly name: string;
  readonly kind: "json" | "page" | "service";
  readonly method: string;
  readonly path: string;
  readonly schema: Schema;
  readonly secret: readonly [header: string, value: string] | undefined;
}

const OPERATOR = ["authorization", `Bearer ${OPERATOR_TOKEN}`] as const;
const SECRETS: Readonly<Record<string, Operation["secret"]>> = {
  shopKey: ["x-api-key", SHOP.key],
  userSecret: ["x-api-signature-sha256", USER.secret],
  sourceToken: ["access-token", "sandbox_source_token"],
  member: ["authorization", "Bearer sandbox_owner_token"],
};

function readOperations(): readonly Operation[] {
  const file = join(import.meta.dirname, "../../openapi.json");
  const { paths } = JSON.parse(readFileSync(file, "utf8"));
  const described = Object.keys(paths).flatMap((path) =>
    // biome-ignore lint/suspicious/noExplicitAny: the description's own shape is held by its tests.
    Object.entries<any>(paths[path]).map(([lower, { parameters = [], security, requestBody }]) => {
      const body: Schema = requestBody?.content["application/json"].schema ?? {};
      const properties: Record<string, Schema> = { ...body.properties };
      const required = [...(body.required ?? [])];
      for (const one of parameters) {
        properties[one.name] = one.schema;
        if (one.required) required.push(one.name);
      }
      const secret = SECRETS[Object.keys(security[0]).join()] ?? OPERATOR;
      return plain("json", lower.toUpperCase(), path, { properties, required }, secret);
    }),
  );
  // Who has not signed in is led to the door by all the others, whatever was sent.
  const open = pagesOf("sandbox").filter(({ site }) => site === undefined);
  const pages = open.map(({ method, path }) => {
    const properties = method === "GET" ? { lang: {} } : { service: {}, bank: {} };
    const schema = { properties, required: Object.keys(properties) };
    return plain("page", method, path, schema);
  });
  return [...described, ...pages, ...SERVICE_PATHS.map((path) => plain("service", "GET", path))];
}

function plain(
  kind: Operation["kind"],
  method: string,
  pattern: string,
  schema: Schema = {},
  secret?: Operation["secret"],
): Operation {
  const path = pattern.replace(/:(\w+)/g, "{$1}");
  const required = [...(schema.required ?? []), ...(path.match(/(?<=\{)\w+/g) ?? [])];
  const inPath = Object.fromEntries(required.map((name) => [name, {}]));
  const whole = { properties: { ...inPath, ...schema.properties }, required };
  return { name: `${method} ${path}`, kind, method, path, schema: whole, secret };
}

export const OPERATIONS = readOperations();
