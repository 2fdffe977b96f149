// The log: JSON lines on standard output. Guards that no secret reaches it: headers, bodies and
// parameters are never given to it, and what is named like a secret is cut out all the same.

import { pino } from "pino";

export type Log = Pick<ReturnType<typeof pino>, "debug" | "info" | "warn" | "error">;

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
  return { write: (line) => void process.stdout.write(line) };
}

/** An error's detail, parameters and query may quote what a merchant sent: none of it is kept. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = "code" in error ? String(error.code) : undefined;
  const cause = error.cause === undefined ? undefined : describeError(error.cause);
  return { type: error.name, code, message: error.message, stack: error.stack, cause };
}
