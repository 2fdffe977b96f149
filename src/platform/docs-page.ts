// The API's description as a page for people: one HTML document without script, font or anything
// else from elsewhere, rendered when somebody asks for it.

import { STYLE } from "./docs-style.ts";
import type { Schema } from "./example.ts";
import { Html, html } from "./html.ts";
import type { ApiDescription, Operation, Told } from "./openapi.ts";

interface Row {
  readonly name: string;
  readonly place: string;
  readonly required: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export function docsPage(api: ApiDescription): string {
  const calls = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Call => {
      return { method: method.toUpperCase(), path, operation };
    }),
  );
  const told = Object.entries(api.webhooks).map(([name, { post }]) => ({ name, operation: post }));
  const groups = api.tags.map(({ name, description }) => {
    const isIn = ({ operation }: { operation: Operation | Told }) => operation.tags.includes(name);
    return { name, description, calls: calls.filter(isIn), told: told.filter(isIn) };
  });
  const links = groups.map(
    (group) =>
      html`<details ${group === groups[0] && html`open`}><summary>${capital(group.name)}</summary><ul>${[
        ...group.calls.map(({ method, path, operation }) =>
          link(operation, html`${method} ${path}`),
        ),
        ...group.told.map(({ name, operation }) => link(operation, html`${name}`)),
      ]}</ul></details>`,
  );
  const sections = groups.map(
    (group) =>
      html`<section class="group" id="${group.name}"><h2>${capital(group.name)}</h2><p>${marked(group.description)}</p>${[
        ...group.calls.map((call) => callSection(call, api)),
        ...group.told.map(({ name, operation }) => toldSection(name, operation)),
      ]}</section>`,
  );
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${api.info.title} API</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
${new Html(`<style>${STYLE}</style>`)}</head>
<body><header><h1>${api.info.title} API</h1><p>${api.info.description}</p>
<p>For programs: <a href="/openapi.json">openapi.json</a></p></header>
<nav aria-label="Contents">${links}</nav>
<main>${sections}</main></body></html>`.text;
}

function link({ operationId, summary }: Operation | Told, name: Html): Html {
  return html`<li><a href="#${operationId}"><code>${name}</code> <span>${summary}</span></a></li>`;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** What stands between backticks is code. */
function marked(text: string): Html[] {
  return text
    .split("`")
    .map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}

function callSection({ method, path, operation }: Call, api: ApiDescription): Html {
  const { parameters = [], requestBody, responses } = operation;
  const sent = requestBody?.content["application/json"];
  const success = responses["200"]?.content["application/json"];
  const rows = [
    ...headerRows(operation, api),
    ...parameters.map((one) => ({ ...one, place: one.in })),
  ];
  const statuses = Object.entries(responses).map(
    ([status, answer]) =>
      html`<div><dt><code>${status}</code></dt><dd>${answer.description}</dd></div>`,
  );
  const url = (api.servers[0]?.variables.address.default ?? "") + path;
  return article(operation, html`<span class="method">${method}</span><code>${path}</code>`, {
    left: html`<h4>Request</h4>${fields([...rows, ...fieldRows(sent?.schema, "body")])}
<h4>data of the answer</h4>${fields(fieldRows(success?.schema.properties?.["data"], "data"))}
<h4>Statuses</h4><dl class="statuses">${statuses}</dl>`,
    right: html`<h4>Example</h4><pre>${curl(method, url, rows, sent?.example)}</pre>
<h4>Answer</h4><pre>${JSON.stringify(success?.example, null, 2)}</pre>`,
  });
}

function toldSection(name: string, operation: Told): Html {
  const { parameters, requestBody, responses } = operation;
  const { schema, example } = requestBody.content["application/json"];
  const rows = parameters.map((one) => ({ ...one, place: one.in }));
  const answers = Object.entries(responses).map(
    ([status, { description }]) =>
      html`<div><dt><code>${status}</code></dt><dd>${description}</dd></div>`,
  );
  const title = html`<span class="method">POST</span><code>${name}</code>`;
  return article(operation, title, {
    left: html`<h4>Request</h4>${fields([...rows, ...fieldRows(schema, "body")])}
<h4>What your answer means</h4><dl class="statuses">${answers}</dl>`,
    right: html`<h4>Body</h4><pre>${JSON.stringify(example, null, 2)}</pre>`,
  });
}

function article(
  { operationId, summary, description }: Operation | Told,
  title: Html,
  { left, right }: { readonly left: Html; readonly right: Html },
): Html {
  return html`<article id="${operationId}"><h3>${title}</h3>
<p>${summary}. ${description !== undefined && marked(description)}</p>
<div class="sides"><div>${left}</div><div>${right}</div></div></article>`;
}

function headerRows({ security }: Operation, api: ApiDescription): Row[] {
  const schemes = api.components.securitySchemes;
  return security.flatMap(Object.keys).map((scheme: string) => {
    const { name, description = "", "x-example": example } = schemes[scheme] ?? {};
    // A bearer token has one header, which its scheme does not name.
    const header = name ?? "authorization";
    const schema = { type: "string", description };
    return { name: header, place: "header", required: true, schema, example };
  });
}

/** What is inside of a field comes after it; of several shapes, those of each. */
function fieldRows(schema: Schema | undefined, place: string, above = ""): Row[] {
  const { properties = {}, required = [], anyOf = [] } = schema ?? {};
  const own = Object.entries(properties).flatMap(([name, inner]) => [
    { name: above + name, place, required: required.includes(name), schema: inner },
    ...fieldRows(inner, place, `${above}${name}.`),
    ...fieldRows(inner.items, place, `${above}${name}[].`),
  ]);
  return [...own, ...anyOf.flatMap((one) => fieldRows(one, place, above))];
}

function fields(rows: readonly Row[]): Html {
  if (rows.length === 0) return html`<p class="muted">Nothing.</p>`;
  return html`<dl>${rows.map(
    ({ name, place, required, schema }) =>
      html`<div><dt><code>${name}</code> <span class="muted">${kind(schema)}${place !== "data" && `, ${place}`}${place !== "data" && !required && ", optional"}</span></dt><dd>${marked(schema.description ?? "")}</dd></div>`,
  )}</dl>`;
}

/** In the words of JSON Schema. */
const LIMITS = "minimum exclusiveMinimum maximum minLength maxLength minItems maxItems".split(" ");

function kind(schema: Schema): string {
  if (schema.enum) return schema.enum.map(String).join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  const type = [schema.type ?? "any"].flat().join(" or ");
  const limits = LIMITS.filter((name) => name in schema).map((name) => `${name} ${schema[name]}`);
  return [type, schema.format, ...limits].filter(Boolean).join(", ");
}

function curl(method: string, url: string, rows: readonly Row[], body: unknown): string {
  const at = (place: string): Row[] =>
    rows.filter((row) => row.place === place && (row.required || row.example !== undefined));
  const query = at("query").map((row) => `${row.name}=${row.example}`);
  const path = at("path").reduce(
    (text, row) => text.replace(`{${row.name}}`, String(row.example)),
    url,
  );
  const headers = at("header").map(({ name, example }) => {
    const bearer = name === "authorization" ? "Bearer " : "";
    return `-H '${name}: ${bearer}${example ?? "<secret>"}'`;
  });
  const json = JSON.stringify(body ?? {}, null, 2).replaceAll("\n", "\n  ");
  const sent = ["-H 'content-type: application/json'", `-d '${json}'`];
  const address = [path, ...(query.length === 0 ? [] : [query.join("&")])].join("?");
  return [`curl '${address}'`, ...headers, ...(method === "POST" ? sent : [])].join(" \\\n  ");
}
