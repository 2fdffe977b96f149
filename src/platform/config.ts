// The environment as typed configuration, read once at the start. A value that makes no sense stops
// the start with one clear line; nothing else in the program reads the environment.

import { createHash } from "node:crypto";
import { isIP } from "node:net";
import { resolve } from "node:path";
import type { Callers } from "./db.ts";
import { StartFailure } from "./failure.ts";

export interface Config {
  readonly host: string;
  readonly port: number;
  /** Without it the embedded engine runs in dataDir. */
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  /** How many a gateway has to PostgreSQL, for each kind of caller. */
  readonly connections: Readonly<Record<Callers, number>>;
  /** How old one gets, give or take a quarter. */
  readonly connectionMinutes: number;
  /** A statement that takes longer is logged. */
  readonly slowStatementMs: number;
  /** How long it is not ready, and still answers, before it ends: balancers have to notice. */
  readonly drainSeconds: number;
  readonly mode: "sandbox" | "live";
  readonly baseUrl: string;
  readonly secretKey: Buffer;
  /** The one that follows, while the key is being rotated: texts open with it, too. */
  readonly nextSecretKeys: readonly Buffer[];
  readonly timeZone: string;
  readonly logLevel: string;
  /** Hosts that webhooks may go to though their addresses are not public. */
  readonly allowedHookHosts: readonly string[];
  /** Proxies whose word on where a request comes from is believed. */
  readonly trustedProxies: readonly string[];
  /** What each may hold of what all need, in percent. */
  readonly shares: {
    readonly shop: number;
    readonly user: number;
    readonly payer: number;
  };
  /** For how many days what nobody needs any more is kept; undefined is for ever. */
  readonly retainDays: {
    readonly eventBodies: number | undefined;
    readonly deliveries: number | undefined;
    readonly auditReads: number | undefined;
    readonly slots: number | undefined;
    readonly unusedInvoices: number | undefined;
    readonly payers: number | undefined;
  };
}

export type Mode = Config["mode"];

type Env = Readonly<Record<string, string | undefined>>;

/** As a URL writes them. */
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"];

export function readConfig(env: Env): Config {
  const mode = oneOf(env, "KOPECK_MODE", ["sandbox", "live"] as const, "sandbox");
  const port = readPort(env);
  return {
    host: env["HOST"] || "127.0.0.1",
    port,
    databaseUrl: readDatabaseUrl("DATABASE_URL", env["DATABASE_URL"]),
    dataDir: resolve(env["KOPECK_DATA_DIR"] || "./data"),
    connections: {
      merchants: readNumber(env, "KOPECK_MERCHANT_CONNECTIONS", 6, CONNECTIONS),
      payers: readNumber(env, "KOPECK_PAYER_CONNECTIONS", 4, CONNECTIONS),
      operators: readNumber(env, "KOPECK_OPERATOR_CONNECTIONS", 2, CONNECTIONS),
      jobs: readNumber(env, "KOPECK_JOB_CONNECTIONS", 3, CONNECTIONS),
    },
    connectionMinutes: readNumber(env, "KOPECK_CONNECTION_MINUTES", 30, { min: 1, max: 1_440 }),
    slowStatementMs: readNumber(env, "KOPECK_SLOW_STATEMENT_MS", 500, { min: 1, max: 60_000 }),
    drainSeconds: readNumber(env, "KOPECK_DRAIN_SECONDS", mode === "live" ? 2 : 0, {
      min: 0,
      max: 300,
    }),
    mode,
    baseUrl: readBaseUrl(env, port, mode),
    secretKey: readSecretKey(env, mode),
    nextSecretKeys: env["KOPECK_NEW_SECRET_KEY"] ? [readNewSecretKey(env, mode)] : [],
    timeZone: readTimeZone(env),
    logLevel: oneOf(env, "LOG_LEVEL", LOG_LEVELS, "info"),
    allowedHookHosts: readHosts(env, "KOPECK_ALLOWED_HOOK_HOSTS"),
    trustedProxies: readAddresses(env, "KOPECK_TRUSTED_PROXIES"),
    shares: {
      shop: readPercent(env, "KOPECK_SHOP_SHARE", 80),
      user: readPercent(env, "KOPECK_USER_SHARE", 90),
      payer: readPercent(env, "KOPECK_PAYER_SHARE", 20),
    },
    retainDays: {
      eventBodies: readDays(env, "KOPECK_RETAIN_EVENT_BODIES_DAYS"),
      deliveries: readDays(env, "KOPECK_RETAIN_DELIVERIES_DAYS"),
      auditReads: readDays(env, "KOPECK_RETAIN_AUDIT_READS_DAYS"),
      slots: readDays(env, "KOPECK_RETAIN_SLOTS_DAYS"),
      unusedInvoices: readDays(env, "KOPECK_RETAIN_UNUSED_INVOICES_DAYS"),
      payers: readDays(env, "KOPECK_RETAIN_PAYERS_DAYS"),
    },
  };
}

function readDays(env: Env, name: string): number | undefined {
  return env[name] ? readNumber(env, name, 0, { min: 1, max: 36_500 }) : undefined;
}

function readPort(env: Env): number {
  const text = env["PORT"] || "8080";
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) {
    throw new StartFailure(`PORT must be a number from 0 to 65535, not "${text}".`);
  }
  return port;
}

const CONNECTIONS = { min: 1, max: 100 };

function readNumber(
  env: Env,
  name: string,
  fallback: number,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const text = env[name] || String(fallback);
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= min && number <= max)) {
    throw new StartFailure(`${name} must be a whole number from ${min} to ${max}, not "${text}".`);
  }
  return number;
}

function readPercent(env: Env, name: string, fallback: number): number {
  const text = env[name] || String(fallback);
  if (!/^(?:[1-9]\d?|100)$/.test(text)) {
    throw new StartFailure(`${name} must be a whole percentage from 1 to 100, not "${text}".`);
  }
  return Number(text);
}

/** The name is what the line calls it: it may also come from the command line. */
function readDatabaseUrl(name: string, text: string | undefined): string | undefined {
  if (!text) return undefined;
  const url = URL.parse(text);
  if (url === null || !["postgres:", "postgresql:"].includes(url.protocol)) {
    // The text itself may hold a password, so it is not repeated.
    throw new StartFailure(`${name} must look like postgresql://user:password@host:5432/database.`);
  }
  return text;
}

/** What "kopeck copy" copies into: as it was typed, or what the environment says. */
export function readCopyTarget(env: Env, typed: string | undefined): string | undefined {
  const ofEnvironment = readDatabaseUrl("KOPECK_COPY_TO", env["KOPECK_COPY_TO"]);
  return typed === undefined ? ofEnvironment : readDatabaseUrl("--to", typed);
}

/** Whether an address holds a password, which the whole machine can see among the arguments. */
export function hasPassword(databaseUrl: string): boolean {
  const url = new URL(databaseUrl);
  return url.password !== "" || url.searchParams.has("password");
}

function readBaseUrl(env: Env, port: number, mode: Mode): string {
  const text = env["KOPECK_BASE_URL"] || `http://localhost:${port}`;
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw new StartFailure(`KOPECK_BASE_URL must be an http or https address, not "${text}".`);
  }
  if (mode === "live" && url.protocol === "http:" && !LOOPBACK.test(url.hostname)) {
    throw new StartFailure(
      `KOPECK_BASE_URL must be https in live mode, not "${text}": only this machine may be plain http.`,
    );
  }
  return url.href.replace(/\/+$/, "");
}

/** Known to everybody, and good enough for a sandbox: it only guards the sandbox's own cast. */
const SANDBOX_KEY = createHash("sha256").update("kopeck sandbox").digest();

function readSecretKey(env: Env, mode: Mode): Buffer {
  const text = env["KOPECK_SECRET_KEY"];
  if (!text && mode === "sandbox") return SANDBOX_KEY;
  return toKey("KOPECK_SECRET_KEY", text, mode);
}

/** What "kopeck secret rotate" puts in the place of the secret key. */
export function readNewSecretKey(env: Env, mode: Mode): Buffer {
  return toKey("KOPECK_NEW_SECRET_KEY", env["KOPECK_NEW_SECRET_KEY"], mode);
}

function toKey(name: string, text: string | undefined, mode: Mode): Buffer {
  const hint = "64 hexadecimal characters (openssl rand -hex 32)";
  if (!text) {
    const whose = mode === "live" ? "live mode needs" : "it must be";
    throw new StartFailure(`${name} is missing: ${whose} ${hint}.`);
  }
  if (!/^[0-9a-f]{64}$/i.test(text)) {
    throw new StartFailure(`${name} must be ${hint}.`);
  }
  const key = Buffer.from(text, "hex");
  if (mode === "live" && key.equals(SANDBOX_KEY)) {
    throw new StartFailure(
      `${name} is the sandbox's own, which everybody knows: live mode needs ${hint}.`,
    );
  }
  if (mode === "live" && key.every((byte) => byte === key[0])) {
    throw new StartFailure(`${name} is one byte again and again: live mode needs ${hint}.`);
  }
  return key;
}

/** Written as a URL's hostname writes them, because that is what they are compared with. */
function readHosts(env: Env, name: string): string[] {
  const hosts = (env[name] ?? "").split(",").map((host) => host.trim());
  return hosts.filter(Boolean).map((host) => {
    const url = URL.parse(`http://${host}/`);
    if (url?.href !== `http://${url?.hostname}/`) {
      throw new StartFailure(`${name} must be hosts with commas between them, not "${host}".`);
    }
    return url.hostname.replace(/^\[|\]$/g, "");
  });
}

/** Addresses, or whole networks of them: 10.0.0.0/8. */
function readAddresses(env: Env, name: string): string[] {
  const addresses = (env[name] ?? "").split(",").map((address) => address.trim());
  return addresses.filter(Boolean).map((address) => {
    const [ip = "", bits = "0", ...more] = address.split("/");
    const most = { 0: -1, 4: 32, 6: 128 }[isIP(ip)] ?? -1;
    if (more.length > 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > most) {
      throw new StartFailure(`${name} must be addresses with commas between, not "${address}".`);
    }
    return address;
  });
}

function readTimeZone(env: Env): string {
  const text = env["KOPECK_TIME_ZONE"] || "Europe/Moscow";
  if (!isTimeZone(text)) {
    throw new StartFailure(`KOPECK_TIME_ZONE must be an IANA time zone, not "${text}".`);
  }
  return text;
}

function isTimeZone(text: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

function oneOf<const Value extends string>(
  env: Env,
  name: string,
  allowed: readonly Value[],
  fallback: Value,
): Value {
  const text = env[name] || fallback;
  const value = allowed.find((candidate) => candidate === text);
  if (value === undefined) {
    throw new StartFailure(`${name} must be one of ${allowed.join(", ")}, not "${text}".`);
  }
  return value;
}
