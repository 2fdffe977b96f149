// The API's description as a page for people: one HTML document without script, font or anything
// else from elsewhere, rendered once at the start.

import { escapeHtml } from "./html.ts";
import type { ApiDescription, Operation } from "./openapi.ts";

interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

interface Row {
  readonly name: string;
  readonly place: string;
  readonly required: boolean;
  readonly schema: Schema;
}

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d9dde3, #333a44); --soft: light-dark(#f5f6f8, #1c2128);
  --accent: light-dark(#0b57d0, #8ab4f8); --muted: light-dark(#5b6470, #9aa4b2) }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 2rem 1rem 6rem; max-width: 60rem; font: 16px/1.55 system-ui, sans-serif;
  background: light-dark(#fff, #14181d); color: light-dark(#1b1f24, #e6e9ee) }
h1 { font-size: 1.9rem; margin: 0 } h2 { margin: 3rem 0 .3rem; font-size: 1.15rem } h3 { margin: 1.2rem 0 .3rem; font-size: .95rem }
code, pre { font: .88em/1.5 ui-monospace, monospace } a { color: var(--accent) }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; overflow-x: auto }
.method { display: inline-block; min-width: 3.6em; padding: .1em .5em; border-radius: 6px; text-align: center;
  background: var(--accent); color: light-dark(#fff, #10141a); font-size: .8em; margin-right: .5em }
.scroll { overflow-x: auto } table { border-collapse: collapse; width: 100%; font-size: .92rem }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid var(--line) }
th { font-weight: 600; color: var(--muted) } .muted { color: var(--muted) }
`;

export function docsPage(api: ApiDescription, baseUrl: string): string {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const contents = operations.map(
    ({ path, method, operation }) =>
      `<li><a href="#${operation.operationId}"><code>${escapeHtml(`${method.toUpperCase()} ${path}`)}</code></a> <span class="muted">${escapeHtml(operation.summary)}</span></li>`,
  );
  const sections = operations.map(({ path, method, operation }) =>
    section(path, method.toUpperCase(), operation, api, baseUrl),
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(api.info.title)} API</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${STYLE}</style></head>
<body><h1>${escapeHtml(api.info.title)} API</h1><p>${escapeHtml(api.info.description)}</p>
<p>For programs: <a href="/openapi.json">openapi.json</a></p><ul>${contents.join("")}</ul>
${sections.join("\n")}</body></html>`;
}

function section(
  path: string,
  method: string,
  operation: Operation,
  api: ApiDescription,
  baseUrl: string,
): string {
  const body = operation.requestBody?.content["application/json"]?.schema as Schema | undefined;
  const rows: Row[] = [
    ...securityRows(operation, api),
    ...(operation.parameters ?? []).map(({ name, in: place, required, schema }) => ({
      name,
      place,
      required,
      schema: schema as Schema,
    })),
    ...(body === undefined ? [] : fieldRows(body, "body", "")),
  ];
  const success = operation.responses["200"]?.content["application/json"]?.schema as Schema;
  const data = success.properties?.["data"] ?? {};
  const statuses = Object.entries(operation.responses).map(
    ([status, { description }]) =>
      `<tr><td><code>${status}</code></td><td>${escapeHtml(description)}</td></tr>`,
  );
  return `<section id="${operation.operationId}">
<h2><span class="method">${method}</span><code>${escapeHtml(path)}</code></h2>
<p>${escapeHtml(operation.summary)}${operation.description ? `. ${escapeHtml(operation.description)}` : ""}</p>
<pre>${escapeHtml(curl(method, baseUrl + path, rows))}</pre>
<h3>Request</h3>${table(rows)}<h3>data</h3>${table(fieldRows(data, "data", ""))}
<h3>Statuses</h3><div class="scroll"><table>${statuses.join("")}</table></div></section>`;
}

function securityRows(operation: Operation, api: ApiDescription): Row[] {
  return operation.security
    .flatMap((one) => Object.keys(one))
    .map((name) => {
      const scheme = api.components["securitySchemes"]?.[name] as Schema & { name?: string };
      const description = scheme.description ?? "";
      return {
        // A bearer token has one header, which its scheme does not name.
        name: scheme.name ?? "authorization",
        place: "header",
        required: true,
        schema: { type: "string", description },
      };
    });
}

function fieldRows(schema: Schema, place: string, above: string): Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const path = above + name;
    const nested = inner.items?.properties
      ? fieldRows(inner.items, place, `${path}[].`)
      : fieldRows(inner, place, `${path}.`);
    const required = schema.required?.includes(name) ?? false;
    return [{ name: path, place, required, schema: inner }, ...nested];
  });
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ name, place, required, schema }) =>
      `<tr><td><code>${escapeHtml(name)}</code></td><td>${place}</td><td>${escapeHtml(kind(schema))}</td><td>${place === "data" || required ? "" : '<span class="muted">optional. </span>'}${escapeHtml(schema.description ?? "")}</td></tr>`,
  );
  return `<div class="scroll"><table><tr><th>Field</th><th>In</th><th>Kind</th><th></th></tr>${lines.join("")}</table></div>`;
}

function kind(schema: Schema): string {
  if (schema.enum) return schema.enum.join(" | ");
  const type = [schema.type ?? "any"].flat().join(" or ");
  const limits = [
    schema.format,
    range(schema.minimum ?? schema.exclusiveMinimum, schema.maximum, ""),
    range(schema.minLength, schema.maxLength, " characters"),
    range(schema.minItems, schema.maxItems, " items"),
  ].filter(Boolean);
  return limits.length === 0 ? type : `${type} (${limits.join(", ")})`;
}

function range(min: number | undefined, max: number | undefined, unit: string): string {
  if (min === undefined && max === undefined) return "";
  if (max === undefined) return `from ${min}${unit}`;
  return min === undefined ? `up to ${max}${unit}` : `${min}–${max}${unit}`;
}

function curl(method: string, url: string, rows: readonly Row[]): string {
  const example = ({ name, schema }: Row): unknown => schema.examples?.[0] ?? `<${name}>`;
  const query = rows
    .filter(({ place, required }) => place === "query" && required)
    .map((row) => `${row.name}=${example(row)}`);
  const target = rows
    .filter(({ place }) => place === "path")
    .reduce((text, row) => text.replace(`{${row.name}}`, String(example(row))), url);
  const lines = [`curl '${target}${query.length > 0 ? `?${query.join("&")}` : ""}'`];
  for (const { name } of rows.filter(({ place }) => place === "header")) {
    lines.push(`  -H '${name}: ${name === "authorization" ? "Bearer <token>" : "<secret>"}'`);
  }
  const body: Record<string, unknown> = {};
  const shown = rows.filter(
    ({ place, required, schema }) => place === "body" && (required || schema.examples),
  );
  for (const row of shown) {
    const [outer = "", inner] = row.name.split(".");
    if (inner === undefined) body[outer] = row.schema.properties ? {} : example(row);
    else body[outer] = { ...(body[outer] as object), [inner]: example(row) };
  }
  if (method === "POST") {
    lines.push("  -H 'Content-Type: application/json'", `  -d '${JSON.stringify(body)}'`);
  }
  return lines.join(" \\\n");
}
