// A whole gateway inside a test: a database of its own on either engine, a clock that moves when the
// test says so, and calls through the front door.

import { randomUUID } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "node:test";
import pg from "pg";
import { type GatewayOptions, startGateway } from "../src/gateway.ts";
import { systemClock } from "../src/platform/clock.ts";
import { type Config, readConfig } from "../src/platform/config.ts";
import { openLog } from "../src/platform/log.ts";
import { migrate } from "../src/platform/migrate.ts";
import { openDb } from "../src/platform/open-db.ts";

export type EngineName = "embedded" | "postgres";

/** What the machine can run, and the run's own start has said what it cannot; or the one that is asked for. */
export const ENGINES: readonly EngineName[] = (["embedded", "postgres"] as const).filter((name) => {
  const asked = process.env["KOPECK_TEST_ENGINE"] ?? name;
  return asked === name && (name === "embedded" || process.env["KOPECK_TEST_POSTGRES"]);
});

export function onEachEngine(name: string, tests: (engine: EngineName) => void): void {
  for (const engine of ENGINES) describe(`${name} (${engine})`, () => tests(engine));
}

/**
 * For what says nothing of the engine: PostgreSQL where it is installed. Both engines speak to one driver
 * in one protocol; that every statement runs on either is shown by those tests that are for each engine,
 * and by all of them with KOPECK_TEST_ENGINE=embedded.
 */
export function onOneEngine(name: string, tests: (engine: EngineName) => void): void {
  for (const engine of ENGINES.slice(-1)) describe(`${name} (${engine})`, () => tests(engine));
}

/** For what needs two actors at once: the embedded engine has one connection and hides races. */
export function onPostgres(name: string, tests: () => void): void {
  describe(name, { skip: !ENGINES.includes("postgres") && "needs PostgreSQL" }, tests);
}

export function testConfig(changes: Partial<Config>): Config {
  const config = readConfig({ PORT: "0", LOG_LEVEL: "error", KOPECK_SANDBOX_HISTORY: "off" });
  const { baseUrl = "http://kopeck.test" } = changes;
  return { ...config, baseUrl, deskUrl: baseUrl, cabinetUrl: baseUrl, drainSeconds: 0, ...changes };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects in an answer.
  readonly body: any;
}

export interface CallOptions {
  readonly method?: string;
  readonly headers?: Record<string, string | undefined>;
  /** An object is sent as JSON; a text or bytes as they are. */
  readonly body?: unknown;
}

export class TestClock {
  #now = new Date("2026-03-01T09:00:00.000Z").getTime();
  now = (): Date => new Date(this.#now);
  advance = (seconds: number): void => {
    this.#now += seconds * 1000;
  };
}

export type TestGateway = Awaited<ReturnType<typeof openTestGateway>>;

export interface TestDatabase {
  readonly config: Partial<Config>;
  drop(): Promise<void>;
}

export async function openTestGateway(
  engine: EngineName,
  changes: Partial<Config> = {},
  parts: Pick<GatewayOptions, "http" | "jobs"> = {},
) {
  const isSandbox = changes.mode !== "live";
  const templateUrl = isSandbox ? process.env["KOPECK_TEST_POSTGRES_TEMPLATE"] : undefined;
  const database = await openTestDatabase(engine, templateUrl === undefined ? {} : { templateUrl });
  const clock = new TestClock();
  const lines: string[] = [];
  const log = openLog(changes.logLevel ?? "warn", {
    write(line) {
      lines.push(line);
      // An unexpected failure is worth seeing beside the test that it fails.
      if (line.includes('"level":"error"')) process.stderr.write(line);
    },
  });
  const config = testConfig({ ...database.config, ...changes });
  if (config.mode === "live") await migrateTestDatabase(database);
  const gateway = await startGateway({ config, clock, log, ...parts });
  return {
    ...gateway,
    clock,
    log: lines,
    call: (path: string, options?: CallOptions) => call(gateway.url, path, options),
    async stop() {
      await gateway.stop();
      await database.drop();
    },
  };
}

/** What an operator does before a start in live mode. */
async function migrateTestDatabase({ config }: TestDatabase): Promise<void> {
  const log = openLog("error");
  const db = await openDb(testConfig(config), log);
  try {
    await migrate({ db, log, clock: systemClock });
  } finally {
    await db.close();
  }
}

export interface DatabaseOrigin {
  /** On PostgreSQL, a database to copy; nobody may be connected to it. */
  readonly templateUrl?: string;
  /** On the embedded engine, nothing at all rather than a copy of a sandbox: seconds slower. */
  readonly empty?: boolean;
}

export async function openTestDatabase(
  engine: EngineName,
  { templateUrl, empty = false }: DatabaseOrigin = {},
): Promise<TestDatabase> {
  if (engine === "postgres") return createPostgres(templateUrl);
  await keepEngineCompiled();
  return copyTemplate(empty);
}

/** The part of it that this needs; the types of Node have none of it. */
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<unknown> };
let compiledEngine: Promise<unknown> | undefined;

/**
 * As long as somebody holds a module of WebAssembly, V8 gives its machine code to whoever compiles the same
 * bytes: the next engine of this process starts and stops in half the time.
 */
async function keepEngineCompiled(): Promise<void> {
  const file = new URL("pglite.wasm", import.meta.resolve("@electric-sql/pglite"));
  compiledEngine ??= WebAssembly.compile(readFileSync(file));
  await compiledEngine;
}

function copyTemplate(empty: boolean): TestDatabase {
  const template = process.env["KOPECK_TEST_TEMPLATE"];
  const dataDir = mkdtempSync(join(tmpdir(), "kopeck-data-"));
  if (template && !empty) cpSync(template, dataDir, { recursive: true });
  return {
    config: { dataDir, databaseUrl: undefined },
    drop: async () => rmSync(dataDir, { recursive: true, force: true }),
  };
}

async function createPostgres(templateUrl?: string): Promise<TestDatabase> {
  const server = process.env["KOPECK_TEST_POSTGRES"] ?? "";
  const name = `kopeck_${randomUUID().replaceAll("-", "")}`;
  // Copied file by file: through the log it takes twice as long.
  const template =
    templateUrl === undefined
      ? ""
      : ` template ${templateUrl.split("/").at(-1)} strategy file_copy`;
  await onServer(server, `create database ${name}${template}`);
  return {
    config: { databaseUrl: `${server}${name}` },
    drop: () => onServer(server, `drop database if exists ${name} with (force)`),
  };
}

async function onServer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${server}postgres` });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

export async function call(url: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const { body, method = body === undefined ? "GET" : "POST" } = options;
  const raw = body === undefined || typeof body === "string" || body instanceof Uint8Array;
  const headers = new Headers({ accept: "application/json" });
  if (body !== undefined) headers.set("content-type", "application/json");
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    if (value === undefined) headers.delete(name);
    else headers.set(name, value);
  }
  const answer = await fetch(url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const json = answer.headers.get("content-type")?.includes("json") === true && text !== "";
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body: json ? JSON.parse(text) : undefined,
  };
}
