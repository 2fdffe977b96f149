// The API's description as a page for people: one HTML document without script, font or anything
// else from elsewhere, rendered when somebody asks for it.

import { Html, html } from "./html.ts";
import type { ApiDescription, Operation } from "./openapi.ts";

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly examples?: readonly unknown[];
  readonly [limit: string]: unknown;
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
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
    })),
  );
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${api.info.title} API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">${new Html(`<style>${STYLE}</style>`)}</head>
<body><h1>${api.info.title} API</h1><p>${api.info.description}</p>
<p>For programs: <a href="/openapi.json">openapi.json</a></p><ul>${operations.map(
    ({ path, method, operation: { operationId, summary } }) =>
      html`<li><a href="#${operationId}"><code>${method} ${path}</code></a> <span class="muted">${summary}</span></li>`,
  )}</ul>
${operations.map(({ path, method, operation }) => section(method, path, operation, api, baseUrl))}</body></html>`
    .text;
}

function section(
  method: string,
  path: string,
  operation: Operation,
  api: ApiDescription,
  baseUrl: string,
): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const body = requestBody?.content["application/json"].schema as Schema | undefined;
  const success = responses["200"]?.content["application/json"].schema as Schema;
  const rows = [
    ...headerRows(operation, api),
    ...parameters.map((one) => ({ ...one, place: one.in, schema: one.schema as Schema })),
  ];
  const statuses = Object.entries(responses).map(
    ([status, answer]) =>
      html`<tr><td><code>${status}</code></td><td>${answer.description}</td></tr>`,
  );
  return html`<section id="${operationId}">
<h2><span class="method">${method}</span><code>${path}</code></h2>
<p>${summary}${description && `. ${description}`}</p>
<pre>${curl(method, baseUrl + path, rows, body)}</pre>
<h3>Request</h3>${table([...rows, ...fieldRows(body, "body")])}
<h3>data</h3>${table(fieldRows(success.properties?.["data"], "data"))}
<h3>Statuses</h3><div class="scroll"><table>${statuses}</table></div></section>`;
}

function headerRows({ security }: Operation, api: ApiDescription): Row[] {
  const schemes = api.components.securitySchemes;
  return security.flatMap(Object.keys).map((scheme: string) => {
    const { name, description = "" } = schemes[scheme] ?? {};
    // A bearer token has one header, which its scheme does not name.
    const header = name ?? "authorization";
    const schema = { type: "string", description };
    return { name: header, place: "header", required: true, schema };
  });
}

/** What is inside of a field comes after it. */
function fieldRows(schema: Schema | undefined, place: string, above = ""): Row[] {
  const { properties = {}, required = [] } = schema ?? {};
  return Object.entries(properties).flatMap(([name, inner]) => [
    { name: above + name, place, required: required.includes(name), schema: inner },
    ...fieldRows(inner, place, `${above}${name}.`),
    ...fieldRows(inner.items, place, `${above}${name}[].`),
  ]);
}

function table(rows: readonly Row[]): Html {
  const lines = rows.map(
    ({ name, place, required, schema }) =>
      html`<tr><td><code>${name}</code></td><td>${place}</td><td>${kind(schema)}</td><td>${place !== "data" && !required && html`<span class="muted">optional. </span>`}${schema.description}</td></tr>`,
  );
  return html`<div class="scroll"><table><tr><th>Field</th><th>In</th><th>Kind</th><th></th></tr>${lines}</table></div>`;
}

/** In the words of JSON Schema. */
const LIMITS = "minimum exclusiveMinimum maximum minLength maxLength minItems maxItems".split(" ");

function kind(schema: Schema): string {
  if (schema.enum) return schema.enum.join(" | ");
  const type = [schema.type ?? "any"].flat().join(" or ");
  const limits = LIMITS.filter((name) => name in schema).map((name) => `${name} ${schema[name]}`);
  return [type, schema["format"], ...limits].filter(Boolean).join(", ");
}

function curl(method: string, url: string, rows: readonly Row[], body: Schema | undefined): string {
  const example = ({ name, schema }: Row): string => String(schema.examples?.[0] ?? `<${name}>`);
  const at = (place: string): Row[] => rows.filter((row) => row.required && row.place === place);
  const query = at("query").map((row) => `${row.name}=${example(row)}`);
  const path = at("path").reduce((text, row) => text.replace(`{${row.name}}`, example(row)), url);
  const headers = at("header").map(
    ({ name }) => `-H '${name}: ${name === "authorization" ? "Bearer <token>" : "<secret>"}'`,
  );
  const sent = [
    "-H 'Content-Type: application/json'",
    `-d '${JSON.stringify(exampleOf(body ?? { properties: {} }, ""))}'`,
  ];
  const address = [path, ...(query.length === 0 ? [] : [query.join("&")])].join("?");
  return [`curl '${address}'`, ...headers, ...(method === "POST" ? sent : [])].join(" \\\n  ");
}

function exampleOf({ properties, required = [], examples }: Schema, name: string): unknown {
  if (properties === undefined) return examples?.[0] ?? `<${name}>`;
  const shown = Object.entries(properties).filter(
    ([field, schema]) => required.includes(field) || schema.examples,
  );
  return Object.fromEntries(shown.map(([field, schema]) => [field, exampleOf(schema, field)]));
}
