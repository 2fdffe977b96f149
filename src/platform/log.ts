// The log: JSON lines, readable on a terminal. Values that are named like secrets are cut out.

import { stripVTControlCharacters, styleText } from "node:util";
import { pino } from "pino";
import { perApp } from "./app.ts";

export type Log = Pick<
  ReturnType<typeof pino>,
  "debug" | "info" | "warn" | "error" | "isLevelEnabled"
>;

const SECRET_NAMES = [
  "authorization",
  "card",
  "databaseUrl",
  "headers",
  "body",
  "key",
  "password",
  "phone",
  "secret",
  "secretKey",
  "token",
  "values",
  "wallet",
  '["x-api-key"]',
  '["x-api-signature-sha256"]',
];

export function openLog(level: string, destination?: { write(line: string): void }): Log {
  const paths = SECRET_NAMES.flatMap((name) =>
    name.startsWith("[") ? [name, `*${name}`] : [name, `*.${name}`],
  );
  const options = {
    level,
    redact: { paths, censor: "[redacted]" },
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError },
  };
  return pino(options, destination ?? standardOutput());
}

/** Pino's own way of writing never ends once the reader of a pipe is gone; the stream's own does. */
function standardOutput(): { write(line: string): void } {
  process.stdout.on("error", () => {});
  const forReader = process.stdout.isTTY ? forPeople : (line: string): string => line;
  return { write: (line) => void process.stdout.write(forReader(line)) };
}

/** The time of the machine, the level where it matters, the message, and what it is about. */
function forPeople(line: string): string {
  const { level, time, msg, err, ...about } = JSON.parse(line);
  const at = new Date(time).toLocaleTimeString("sv-SE");
  const words = level === "info" ? "" : `${styleText(level === "warn" ? "yellow" : "red", level)} `;
  const fields = Object.entries(about).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `  ${name} ${text}`;
  });
  const stack = err === undefined ? "" : `\n${err.stack ?? err.message}`;
  return `${at} ${words}${plain(`${msg}${fields.join("")}${stack}`)}\n`;
}

/** What a failure quotes may be a stranger's, and must not steer the terminal. */
function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[^\P{Cc}\n]/gu, " ");
}

/** An error's detail, parameters and query may quote what a merchant sent: none of it is kept. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = "code" in error ? String(error.code) : undefined;
  const cause = error.cause === undefined ? undefined : describeError(error.cause);
  return { type: error.name, code, message: error.message, stack: error.stack, cause };
}

const EVERY_MS = 60_000;

/** Past this the oldest are forgotten, and told at once when they happen again. */
const MAX_KEYS = 1_000;

export function openSeldom(log: Log, nowMs: () => number = () => performance.now()) {
  const told = new Map<string, { readonly at: number; more: number }>();
  return (level: "info" | "warn", of: string, fields: object, message: string): void => {
    const key = `${of} ${message}`;
    const last = told.get(key);
    const now = nowMs();
    if (last !== undefined && now - last.at < EVERY_MS) {
      last.more += 1;
      return;
    }
    told.delete(key);
    told.set(key, { at: now, more: 0 });
    if (told.size > MAX_KEYS) told.delete(told.keys().next().value ?? "");
    log[level](last?.more ? { ...fields, times: last.more + 1 } : fields, message);
  };
}

export const tellSeldom = perApp(({ log }) => openSeldom(log));
