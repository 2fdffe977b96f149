// npm run openapi:lint: what tools say of openapi.json. Two linters with their recommended rules must find
// nothing at all, and the requests that a converter makes of it for Postman must work, sent to a sandbox that is
// started for them. The tools are fetched when they are asked for: they are larger than the service.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ApiDescription } from "../src/platform/openapi.ts";
import { type ExampleRequest, examplesIn, nameOf, tellStory } from "./api-story.ts";
import { call } from "./gateway.ts";
import { freePort, killLeftovers, ready, runKopeck } from "./process.ts";

const REDOCLY = "@redocly/cli@2.73.0";
const SPECTRAL = "@stoplight/spectral-cli@6.16.3";
const POSTMAN = "openapi-to-postmanv2@6.3.3";

const FILE = join(import.meta.dirname, "../openapi.json");
const folder = mkdtempSync(join(tmpdir(), "kopeck-lint-"));

/** Its output; a tool that fails has said why. */
async function run(tool: string, args: readonly string[]): Promise<string> {
  const options = { maxBuffer: 64 * 1024 * 1024 };
  const ended = promisify(execFile)("npx", ["--yes", tool, ...args], options);
  const { stdout } = await ended.catch(({ stdout, stderr }) => {
    throw new Error(`${tool} is not content:\n${stdout}${stderr}`);
  });
  return stdout;
}

async function redocly(): Promise<void> {
  const found = await run(REDOCLY, ["lint", FILE, "--extends=recommended", "--format=json"]);
  const { totals, problems } = JSON.parse(found);
  assert.deepEqual(totals, { errors: 0, warnings: 0, ignored: 0 }, JSON.stringify(problems));
}

async function spectral(): Promise<void> {
  const rules = join(folder, "rules.json");
  writeFileSync(rules, JSON.stringify({ extends: [["spectral:oas", "recommended"]] }));
  await run(SPECTRAL, ["lint", FILE, "--ruleset", rules, "--fail-severity=hint"]);
}

interface PostmanItem {
  readonly item?: readonly PostmanItem[];
  readonly request?: {
    readonly method: string;
    readonly url: {
      readonly path: readonly string[];
      readonly variable?: readonly { readonly key: string; readonly value: string }[];
      readonly query?: readonly { readonly key: string; readonly value: string }[];
    };
    readonly body?: { readonly raw?: string };
  };
}

async function postman(api: ApiDescription): Promise<number> {
  const file = join(folder, "collection.json");
  const asExamples = "folderStrategy=Tags,parametersResolution=Example";
  await run(POSTMAN, ["-s", FILE, "-o", file, "-O", asExamples]);
  const wanted = new Map(examplesIn(api).map((one) => [nameOf(one), one]));
  const requests = requestsIn(JSON.parse(readFileSync(file, "utf8")) as PostmanItem, wanted);
  assert.deepEqual(requests.map(nameOf).sort(), [...wanted.keys()].sort());

  const port = await freePort();
  const running = runKopeck({ PORT: String(port), KOPECK_DATA_DIR: join(folder, "data") });
  try {
    await ready(running);
    const url = `http://127.0.0.1:${port}`;
    await tellStory({ call: (path, options) => call(url, path, options) }, api, requests);
  } finally {
    running.child.kill("SIGTERM");
    await running.ended;
  }
  return requests.length;
}

/** As the converter has made them; of a query, what the description has an example for: it makes up the rest. */
function requestsIn(
  { item = [], request }: PostmanItem,
  wanted: ReadonlyMap<string, ExampleRequest>,
): ExampleRequest[] {
  const inside = item.flatMap((one) => requestsIn(one, wanted));
  if (request === undefined) return inside;
  const { method, url, body } = request;
  const path = `/${url.path.join("/").replace(/:(\w+)/g, "{$1}")}`;
  const { query = {} } = wanted.get(`${method} ${path}`) ?? {};
  const given = (url.query ?? []).filter(({ key }) => key in query);
  return [
    ...inside,
    {
      method,
      path,
      params: Object.fromEntries((url.variable ?? []).map(({ key, value }) => [key, value])),
      query: Object.fromEntries(given.map(({ key, value }) => [key, value])),
      body: body?.raw ? JSON.parse(body.raw) : undefined,
    },
  ];
}

try {
  await redocly();
  console.log("Redocly: nothing to say.");
  await spectral();
  console.log("Spectral: nothing to say.");
  const sent = await postman(JSON.parse(readFileSync(FILE, "utf8")));
  console.log(`Postman: ${sent} requests were converted, sent to a sandbox, and worked.`);
} finally {
  killLeftovers();
  rmSync(folder, { recursive: true, force: true });
}
