// Reads the environment once, at the start. A value that makes no sense stops the start with one line.

import { createHash } from "node:crypto";
import { isIP } from "node:net";
import { dataDirOf } from "./data-dir.ts";
import { StartFailure } from "./failure.ts";

export type Config = Readonly<ReturnType<typeof readConfig>>;

const MODES = ["sandbox", "live"] as const;
type Mode = (typeof MODES)[number];

export type Env = Readonly<Record<string, string | undefined>>;

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const SWITCH = ["on", "off"];

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"];

export function readConfig(env: Env) {
  const mode = oneOf(env, "KOPECK_MODE", MODES, "sandbox");
  const port = readNumber(env, "PORT", 8080, { min: 0, max: 65_535 });
  const secretKey = readSecretKey(env, mode);
  if (mode === "live" && !env["KOPECK_BASE_URL"]) {
    throw new StartFailure(
      "KOPECK_BASE_URL is missing: live mode needs the https address that payers and shops use, for links.",
    );
  }
  const baseUrl = readOwnUrl(env, "KOPECK_BASE_URL", `http://localhost:${port}`, mode);
  return {
    host: env["HOST"] || "127.0.0.1",
    port,
    /** Without it the sandbox runs on the embedded engine, in dataDir. */
    databaseUrl: readDatabaseUrl(env, mode),
    dataDir: dataDirOf(env["KOPECK_DATA_DIR"]),
    connections: {
      merchants: readNumber(env, "KOPECK_MERCHANT_CONNECTIONS", 6, CONNECTIONS),
      payers: readNumber(env, "KOPECK_PAYER_CONNECTIONS", 4, CONNECTIONS),
      operators: readNumber(env, "KOPECK_OPERATOR_CONNECTIONS", 2, CONNECTIONS),
      cabinet: readNumber(env, "KOPECK_CABINET_CONNECTIONS", 2, CONNECTIONS),
      jobs: readNumber(env, "KOPECK_JOB_CONNECTIONS", 3, CONNECTIONS),
    },
    /** How old one gets, give or take a quarter. */
    connectionMinutes: readNumber(env, "KOPECK_CONNECTION_MINUTES", 30, { min: 1, max: 1_440 }),
    slowStatementMs: readNumber(env, "KOPECK_SLOW_STATEMENT_MS", 500, { min: 1, max: 60_000 }),
    /** How long it is not ready, and still answers, before it ends: balancers have to notice. */
    drainSeconds: readNumber(env, "KOPECK_DRAIN_SECONDS", mode === "live" ? 2 : 0, {
      min: 0,
      max: 300,
    }),
    mode,
    /** Whether a fresh sandbox is filled with a month of example business. */
    sandboxHistory:
      oneOf(env, "KOPECK_SANDBOX_HISTORY", SWITCH, "on") === "on" && mode === "sandbox",
    baseUrl,
    /** Where people sign in, if those pages have hosts of their own: payers' pages show merchants' texts. */
    deskUrl: readOwnUrl(env, "KOPECK_DESK_URL", baseUrl, mode),
    cabinetUrl: readOwnUrl(env, "KOPECK_CABINET_URL", baseUrl, mode),
    secretKey,
    /** The one that follows, while the key is being rotated: texts open with it, too. */
    nextSecretKeys: (env["KOPECK_NEW_SECRET_KEY"]
      ? [readNewSecretKey(env, mode)]
      : []) as readonly Buffer[],
    timeZone: readTimeZone(env),
    logLevel: oneOf(env, "LOG_LEVEL", LOG_LEVELS, "info"),
    allowedHookHosts: readHosts(env, "KOPECK_ALLOWED_HOOK_HOSTS"),
    /** Proxies whose word on where a request comes from is believed. */
    trustedProxies: readAddresses(env, "KOPECK_TRUSTED_PROXIES"),
    mail: readMail(env),
    /** What each may hold of what all need, in percent. */
    shares: {
      shop: readNumber(env, "KOPECK_SHOP_SHARE", 80, PERCENT),
      user: readNumber(env, "KOPECK_USER_SHARE", 90, PERCENT),
      payer: readNumber(env, "KOPECK_PAYER_SHARE", 20, PERCENT),
    },
    /** From which sum on two people agree on what is matched by hand; undefined is never. */
    fourEyesFrom: readFourEyes(env),
    /** For how many days what nobody needs any more is kept; undefined is for ever. */
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

/** In whole units of whichever currency; 0 is always. */
function readFourEyes(env: Env): number | undefined {
  const name = "KOPECK_FOUR_EYES_FROM";
  return env[name] ? readNumber(env, name, 0, { min: 0, max: 999_999_999 }) : undefined;
}

const CONNECTIONS = { min: 1, max: 100 };
const PERCENT = { min: 1, max: 100 };

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

function readDatabaseUrl(env: Env, mode: Mode): string | undefined {
  const text = env["DATABASE_URL"];
  if (!text) {
    if (mode === "sandbox") return undefined;
    throw new StartFailure(
      "DATABASE_URL is missing: live mode needs PostgreSQL 15 or newer, postgresql://user:password@host:5432/database.",
    );
  }
  const wrong = wrongInAddress(text);
  // The text itself may hold a password, so it is not repeated.
  if (wrong !== undefined) throw new StartFailure(`DATABASE_URL ${wrong}.`);
  return text;
}

function readOwnUrl(env: Env, name: string, fallback: string, mode: Mode): string {
  const text = env[name] || fallback;
  const url = URL.parse(text);
  // What follows the host would stand in every link. It may be a password, so the text is not repeated.
  if (url === null || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new StartFailure(
      `${name} must be an http or https address such as https://pay.example, with nothing before or after the host.`,
    );
  }
  if (mode === "live" && url.protocol === "http:" && !LOOPBACK.test(url.hostname)) {
    throw new StartFailure(
      `${name} must be https in live mode, not "${text}": only this machine may be plain http.`,
    );
  }
  return url.origin;
}

/** Known to everybody, and good enough for a sandbox: it only guards the sandbox's own cast. */
const SANDBOX_KEY = createHash("sha256").update("kopeck sandbox").digest();

function readSecretKey(env: Env, mode: Mode): Buffer {
  const text = env["KOPECK_SECRET_KEY"];
  if (!text && mode === "sandbox") return SANDBOX_KEY;
  return toKey("KOPECK_SECRET_KEY", text, mode);
}

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

function readList(env: Env, name: string): string[] {
  const parts = (env[name] ?? "").split(",").map((part) => part.trim());
  return parts.filter(Boolean);
}

/** Written as a URL's hostname writes them, because that is what they are compared with; a star stands for none. */
function readHosts(env: Env, name: string): string[] {
  return readList(env, name).map((host) => {
    const url = URL.parse(`http://${host}/`);
    if (url?.href !== `http://${url?.hostname}/` || host.includes("*")) {
      throw new StartFailure(`${name} must be hosts with commas between them, not "${host}".`);
    }
    return url.hostname.replace(/^\[|\]$/g, "");
  });
}

/** Addresses, or whole networks of them: 10.0.0.0/8. */
function readAddresses(env: Env, name: string): string[] {
  return readList(env, name).map((address) => {
    const [ip = "", bits = "1", ...more] = address.split("/");
    const most = { 0: -1, 4: 32, 6: 128 }[isIP(ip)] ?? -1;
    const isRight = /^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= most;
    if (more.length > 0 || !isRight) {
      throw new StartFailure(
        `${name} must be addresses, or networks of 1 bit and more, with commas between, not "${address}".`,
      );
    }
    return address;
  });
}

/** smtp://user:password@host:587, or smtps. Only to this machine, or where it says so itself, without TLS. */
function readMail(env: Env) {
  const [text, from] = [env["KOPECK_SMTP_URL"], env["KOPECK_MAIL_FROM"]];
  if (!text && !from) return undefined;
  const url = text ? URL.parse(text) : null;
  const isWritten = /^(?:[^%]|%[0-9a-f]{2})*$/i.test(text ?? "");
  const isMail = url !== null && ["smtp:", "smtps:"].includes(url.protocol) && url.hostname !== "";
  if (!isMail || !isWritten) {
    // The text itself may hold a password, so it is not repeated.
    throw new StartFailure("KOPECK_SMTP_URL must look like smtps://user:password@host:465.");
  }
  if (!from || !/^[^\r\n]*[^\s@<>]+@[^\s@<>]+>?$/.test(from)) {
    throw new StartFailure("KOPECK_MAIL_FROM must be an address such as Kopeck <pay@example.com>.");
  }
  const isSecure = url.protocol === "smtps:";
  const isPlain = url.searchParams.get("tls") === "off" || LOOPBACK.test(url.hostname);
  const [user, pass] = [url.username, url.password].map(decodeURIComponent);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port) || (isSecure ? 465 : 587),
    isSecure,
    needsTls: !isSecure && !isPlain,
    from,
    auth: user ? { user, pass: pass ?? "" } : undefined,
  };
}

/** The database reads an offset with its sign turned around, and abbreviations of its own: most are another zone. */
const READ_OTHERWISE = /^(?:[+-]|(?!(?:GMT|EST|MST|HST|EAT|JST)$)[a-z]{2}t$)/i;

function readTimeZone(env: Env): string {
  const text = env["KOPECK_TIME_ZONE"] || "Europe/Moscow";
  try {
    if (READ_OTHERWISE.test(text)) throw new RangeError(text);
    new Intl.DateTimeFormat("en", { timeZone: text });
    return text;
  } catch {
    throw new StartFailure(
      `KOPECK_TIME_ZONE must be an IANA time zone of a place such as Asia/Omsk, not "${text}".`,
    );
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

/**
 * Variables that are called like settings and are none, in words: misspelt, one would be left out in silence.
 * What is known is what is asked for, so there is no list to keep.
 */
export function unknownSettings(env: Env, ofCommands: readonly string[]): string[] {
  const known = new Set(ofCommands);
  const watched = new Proxy(env, {
    get(target, name: string) {
      known.add(name);
      return target[name];
    },
  });
  readConfig(watched);
  const unknown = Object.keys(env).filter((name) => /^KOPECK_/.test(name) && !known.has(name));
  return unknown.map((name) => `${name} is no setting`);
}

/** Whether the connection is one of TLS, and whether the server has to prove who it is: libpq's words and one more. */
const WITH_PROOF = ["allow", "prefer", "require", "verify-ca", "verify-full"];
const TLS = ["disable", ...WITH_PROOF, "no-verify"];

/**
 * As the driver takes it: it means the strictest by all of these, and warns of it at length. A word of another
 * program's that may mean less is never taken for less.
 */
export function withProof(address: string): string {
  const weaker = WITH_PROOF.slice(0, -1).join("|");
  return address.replace(new RegExp(`(?<=[?&]sslmode=)(?:${weaker})(?=&|$)`), "verify-full");
}

/** A password that was not encoded: its first part would be taken for a host, be asked for and be shown. */
const SPLIT = /^[^?]*@|^\?[^=]*@/;

/** What is wrong with it, as the rest of a sentence; nothing where it is as it should be. */
function wrongInAddress(text: string): string | undefined {
  const { hosts, rest } = partsOf(text);
  if (hosts.includes(",") && !SPLIT.test(rest)) {
    return "must name one host: a proxy or a pooler in front of several servers leads to the primary";
  }
  const url = URL.parse(text);
  const isRight = ["postgres:", "postgresql:"].includes(url?.protocol ?? "");
  // The driver takes what does not begin as an address for a part of another one.
  if (!isRight || text !== text.trim() || SPLIT.test(rest)) {
    return "must look like postgresql://user:password@host:5432/database, with @ / ? # and % of a password written as %40 %2F %3F %23 %25";
  }
  const asked = url?.searchParams;
  if (asked?.has("ssl")) return "has ssl in it: say it by sslmode";
  if (TLS.includes(asked?.get("sslmode") ?? "disable")) return undefined;
  return `has an sslmode that is none of ${TLS.join(", ")}`;
}

function partsOf(text: string) {
  const [, hosts = "", rest = ""] =
    /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^/?#@]*)(.*)$/s.exec(text) ?? [];
  return { hosts, rest };
}
