// The API's description as one HTML document without script.

import { Html, html } from "./html.ts";
import type { ApiDescription, Operation, Schema, Told } from "./openapi.ts";

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

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d9dde3, #333a44); --soft: light-dark(#f5f6f8, #1c2128);
  --back: light-dark(#fff, #14181d); --text: light-dark(#1b1f24, #e6e9ee);
  --accent: light-dark(#0b57d0, #8ab4f8); --muted: light-dark(#57606b, #9aa4b2) }
* { box-sizing: border-box }
html { scroll-padding-top: 1rem }
body { margin: 0 auto; padding: 2rem 1rem 6rem; max-width: 92rem; font: 16px/1.55 system-ui, sans-serif;
  background: var(--back); color: var(--text); overflow-wrap: anywhere }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .5rem } header p { max-width: 60rem; margin: .4rem 0 }
code, pre { font: .88em/1.5 ui-monospace, monospace } a { color: var(--accent) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px }
nav { margin: 1.5rem 0; padding: .25rem 1rem; border: 1px solid var(--line); border-radius: 12px; background: var(--soft) }
summary { font-weight: 600; padding: .6rem 0; cursor: pointer }
nav ul { list-style: none; margin: 0; padding: 0 }
nav li a { display: block; padding: .25rem 0; text-decoration: none; line-height: 1.35 }
nav li span { display: block; color: var(--muted); font-size: .85rem }
.group > h2 { font-size: 1.6rem; margin: 3rem 0 .3rem }
article { border-top: 1px solid var(--line); margin-top: 2rem; padding-top: 1.5rem }
h3 { font-size: 1.1rem; line-height: 1.4; margin: 0 } h4 { font-size: .9rem; margin: 1.2rem 0 .4rem }
article > p { max-width: 60rem; margin: .5rem 0 }
.method { display: inline-block; min-width: 3.6em; padding: .1em .5em; border-radius: 6px; text-align: center;
  background: var(--accent); color: light-dark(#fff, #10141a); font-size: .8em; margin-right: .5em }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; margin: 0;
  white-space: pre-wrap }
dl { margin: 0; font-size: .93rem } dl > div { padding: .4rem 0; border-bottom: 1px solid var(--line) }
dt code { font-weight: 600; margin-right: .3em } dd { margin: 0 } .muted { color: var(--muted) }
.statuses > div { display: flex; gap: .8rem }
@media (min-width: 62rem) {
  body { display: grid; grid-template-columns: 19rem minmax(0, 1fr); column-gap: 3rem; padding: 2.5rem 2rem 6rem }
  header { grid-column: 1 / 3 }
  nav { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow-y: auto; font-size: .92rem }
  .group:first-child > h2 { margin-top: 1.5rem }
}
@media (min-width: 76rem) {
  .sides { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); column-gap: 2.5rem }
}
`;
