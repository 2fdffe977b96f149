// Everything that can be asked of a gateway: the operations of its description, the pages, and what
// every service has. A new door is in here by itself.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pagesOf } from "../../src/features/index.ts";
import { SERVICE_PATHS } from "../../test/contract-doors.ts";

export interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly examples?: readonly unknown[];
}

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

export interface Operation {
  readonly name: string;
  readonly kind: "json" | "page" | "service";
  readonly method: "GET" | "POST";
  /** With {names} for what is filled in. */
  readonly path: string;
  readonly secret: "shop" | "user" | "operator" | "none";
  readonly inPath: readonly string[];
  /** In the query of a GET, in the body of a POST. */
  readonly fields: readonly Field[];
}

interface Described {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: "path" | "query";
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: { "application/json": { readonly schema: Schema } } };
  readonly security: readonly Readonly<Record<string, unknown>>[];
}

const SECRETS: Readonly<Record<string, Operation["secret"]>> = {
  shopKey: "shop",
  userSecret: "user",
  viewer: "operator",
  operator: "operator",
  bank: "operator",
};

const DESCRIPTION = join(import.meta.dirname, "../../openapi.json");

export function readOperations(): readonly Operation[] {
  const { paths } = JSON.parse(readFileSync(DESCRIPTION, "utf8")) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  };
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => jsonOperation(path, method, one)),
  );
  return [...described, ...pages(), ...services()];
}

function jsonOperation(path: string, lower: string, described: Described): Operation {
  const method = lower === "get" ? "GET" : "POST";
  const schema = described.requestBody?.content["application/json"].schema;
  const inBody = Object.entries(schema?.properties ?? {}).map(([name, one]) => ({
    ...{ name, schema: one, isRequired: schema?.required?.includes(name) === true },
  }));
  const inQuery = (described.parameters ?? [])
    .filter((parameter) => parameter.in === "query")
    .map(({ name, schema: one, required }) => ({ name, schema: one, isRequired: required }));
  const [scheme = ""] = Object.keys(described.security[0] ?? {});
  const secret = SECRETS[scheme];
  if (secret === undefined) throw new Error(`${method} ${path} wants an unknown ${scheme}`);
  const fields = method === "GET" ? inQuery : inBody;
  return { name: `${method} ${path}`, kind: "json", method, path, secret, ...named(path), fields };
}

const named = (path: string) => ({ inPath: path.match(/(?<=\{)\w+/g) ?? [] });

const text: Schema = { type: "string" };
const field = (name: string): Field => ({ name, schema: text, isRequired: true });

const PAGE_FIELDS: Readonly<Record<string, readonly Field[]>> = {
  "POST /pay/{invoice}": [field("service"), field("bank")],
  "GET /pay/{invoice}": [field("lang")],
  "GET /pay/{invoice}/changes": [field("from")],
  "GET /demo": [field("lang")],
};

function pages(): Operation[] {
  return pagesOf("sandbox").map(({ method, path: pattern }) => {
    const path = pattern.replace(/:(\w+)/g, "{$1}");
    const name = `${method} ${path}`;
    const fields = PAGE_FIELDS[name] ?? [];
    return { name, kind: "page", method, path, secret: "none", ...named(path), fields };
  });
}

function services(): Operation[] {
  return SERVICE_PATHS.map((path) => ({
    ...{ name: `GET ${path}`, kind: "service", method: "GET", path, secret: "none" },
    ...{ inPath: [], fields: [] },
  }));
}
