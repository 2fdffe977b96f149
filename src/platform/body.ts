// JSON and forms, from bytes to values and back. Numbers keep their digits, and large bodies take turns.

import { isUtf8 } from "node:buffer";
import type { FastifyInstance } from "fastify";
import { HttpFailure } from "./failure.ts";
import type { CheckName } from "./input.ts";

/** An ordinary request has a few hundred bytes, and reading it takes microseconds. */
const LARGE = 2_048;
const MAX_WAITING = 1_000;
/** A list of a hundred transfers takes a tenth of it. */
const COSTLY_MS = 0.5;
/** After one that was costly everybody else has the process for so many times as long. */
const RESTS = 3;

type Done = (error: Error | null, body?: unknown) => void;

/** Hands on what was read of a body of that length, or what reading it has thrown. */
export type InTurn = (length: number, done: Done, read: () => unknown) => void;

export function takeTurns(): InTurn {
  /** Each answers how long reading it took. */
  const waiting = new Set<() => number>();
  let isTaken = false;
  const takeNext = (): void => {
    isTaken = false;
    for (const next of waiting) {
      waiting.delete(next);
      const tookMs = next();
      plan(tookMs > COSTLY_MS ? tookMs * RESTS : 0);
      return;
    }
  };
  const plan = (restMs: number): void => {
    isTaken = true;
    if (restMs > 0) setTimeout(takeNext, restMs).unref();
    else setImmediate(takeNext);
  };
  return (length, done, read) => {
    const settle = (): number => {
      const startedAt = performance.now();
      let [body, failure]: [unknown, Error | null] = [undefined, null];
      try {
        body = read();
      } catch (error) {
        failure = error as Error;
      }
      const tookMs = performance.now() - startedAt;
      if (failure === null) done(null, body);
      else done(failure);
      return tookMs;
    };
    if (length <= LARGE) settle();
    else if (waiting.size >= MAX_WAITING) done(new HttpFailure("overloaded"));
    else {
      waiting.add(settle);
      if (!isTaken) plan(0);
    }
  };
}

const BYTE_ORDER_MARK = 0xfeff;

export function acceptJsonOnly(server: FastifyInstance, inTurn: InTurn): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser<Buffer>(
    "application/json",
    { parseAs: "buffer" },
    (request, bytes, done) => {
      // A path that does not exist is the first thing to say, whatever was sent to it.
      if (request.is404) return done(null, undefined);
      inTurn(bytes.length, done, () => {
        const written = isUtf8(bytes) ? bytes.toString("utf8") : "";
        // What some programs write before any text may be ignored, by the standard of JSON.
        const text = written.charCodeAt(0) === BYTE_ORDER_MARK ? written.slice(1) : written;
        const parsed = parseJsonText(text);
        if (parsed === undefined) {
          const { "content-encoding": encoding = "identity" } = request.headers;
          const isPlain = encoding === "identity";
          throw new HttpFailure(isPlain ? "malformed_json" : "media_type_unsupported");
        }
        if (parsed.hasLongNumbers) request.source = text;
        if (request.routeOptions.config.endpoint?.gate.secretOf) request.written = written;
        return parsed.value;
      });
    },
  );
}

export type JsonObject = Record<string, unknown>;

/** A text with one of these is looked at closely before it is parsed. */
const SUSPICIOUS = /__proto__|\\u00|[:[,\s]-?(?:[\d.]{16}|[\d.]+e)/i;

/** No field of any door takes a longer number. */
const MAX_NUMBER_LENGTH = 40;
/**
 * Objects and their fields cost many times what their bytes cost, and numbers that need a closer look
 * even more: 64 KiB of nothing else took 6 ms and 40 ms. No door takes half as many.
 */
const MAX_PARTS = 4_000;
const MAX_LONG_NUMBERS = 1_000;

interface Parsed {
  readonly value: unknown;
  /** Whether there are numbers of more digits than a double holds for certain. */
  readonly hasLongNumbers: boolean;
}

/** Undefined where the text is no JSON that is safe to take. */
export function parseJsonText(text: string, instead?: Instead): Parsed | undefined {
  try {
    // A shorter text has no room for too many parts.
    const wantsCare = text.length > MAX_PARTS || SUSPICIOUS.test(text);
    if (!wantsCare) return { value: JSON.parse(text), hasLongNumbers: false };
    const { safe, hasLongNumbers } = withoutLoss(text, instead);
    return { value: JSON.parse(safe), hasLongNumbers };
  } catch {
    return undefined;
  }
}

/** What is read in the place of a long number; undefined where it is taken as any other. */
type Instead = (source: string) => string | undefined;

/** Doubles with the digits that programs print them with. */
export const printedDoubles: Instead = (source) => (isPrintedDouble(source) ? source : undefined);

/**
 * And as the texts that they were written in, every integer beyond 2^53: some of them would keep their digits
 * in a double by chance, and a shop's ids must not be numbers one day and texts the next.
 */
export const integersAsTexts: Instead = (source) => {
  if (!/^-?\d+$/.test(source)) return printedDoubles(source);
  return Number.isSafeInteger(Number(source)) ? undefined : `"${source}"`;
};

/** For an amount: it keeps every digit of 20.100000000000001. */
export const lossesAsTexts: Instead = (source) => (losesDigits(source) ? `"${source}"` : undefined);

/** What a text holds that was parsed before: it is JSON, so a text may stand wherever a number stands. */
export function withLongNumbers(text: string, instead: Instead): unknown {
  return JSON.parse(withoutLoss(text, instead).safe);
}

/** These fields once more, where they may have long numbers. */
export function exactNumbers(
  input: JsonObject,
  names: readonly string[],
  source: string | undefined,
  instead = integersAsTexts,
): void {
  if (source === undefined) return;
  const long = names.filter((name) => typeof input[name] === "number" || isJsonObject(input[name]));
  if (long.length === 0) return;
  const exact = withLongNumbers(source, instead);
  if (isJsonObject(exact)) for (const name of long) input[name] = exact[name];
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The key in every spelling: each of its characters may be an escape. */
const PROTO_KEY =
  /"(?:_|\\u005[fF]){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006[fF])(?:t|\\u0074)(?:o|\\u006[fF])(?:_|\\u005[fF]){2}"\s*:/;

/** What a number that would lose digits is replaced by: JSON.parse makes infinity of it. */
const NO_NUMBER = "1e999";
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/**
 * A text; a number that a double may not hold, because it has 16 characters or an exponent of three digits;
 * what opens an object or stands behind a key.
 */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?(?:[\d.]{16,}|[\d.]+e[+-]?\d{3,})[\d.e+-]*|[{:]/gis;

/** The same text without numbers that lose digits. It throws where the text is too costly to parse. */
function withoutLoss(
  text: string,
  instead: Instead = () => undefined,
): { safe: string; hasLongNumbers: boolean } {
  if (PROTO_KEY.test(text)) throw new SyntaxError("__proto__ is not a key");
  let parts = 0;
  let longNumbers = 0;
  const safe = text.replace(TOKEN, (token) => {
    if (token.startsWith('"')) return token;
    const isPart = token === "{" || token === ":";
    if (isPart) parts += 1;
    else longNumbers += 1;
    if (parts > MAX_PARTS || longNumbers > MAX_LONG_NUMBERS) throw new RangeError("too much in it");
    if (isPart) return token;
    if (token.length > MAX_NUMBER_LENGTH) throw new RangeError("too long a number");
    return instead(token) ?? (NUMBER.test(token) && losesDigits(token) ? NO_NUMBER : token);
  });
  return { safe, hasLongNumbers: longNumbers > 0 };
}

export function faultOfText(text: string): CheckName {
  if (PROTO_KEY.test(text)) return "json_proto";
  try {
    withoutLoss(text);
    return "json_object";
  } catch {
    return "json_digits";
  }
}

/** Whether the double is another number than the one that was written. */
function losesDigits(source: string): boolean {
  const kept = String(Number(source));
  return kept !== source && plainDecimal(kept) !== plainDecimal(source);
}

/** With so many, programs print a double so that it is read back as the same one. */
const PRINTED_DIGITS = [17, 16];

/** A double as PHP, C and .NET print it: 0.10000000000000001 is 0.1. Who writes an integer so means each digit of it. */
function isPrintedDouble(source: string): boolean {
  const value = Number(source);
  if (!Number.isFinite(value) || /^-?\d+$/.test(source)) return false;
  const decimal = plainDecimal(source);
  return PRINTED_DIGITS.some((digits) => plainDecimal(value.toPrecision(digits)) === decimal);
}

/** One form for all ways to write a decimal, to tell whether two of them are the same number. */
function plainDecimal(source: string): string {
  const [mantissa = "", exponent = "0"] = source.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${mantissa.startsWith("-") ? "-" : ""}${significant}e${power}`;
}

/** Writing takes the square of the depth: 0.4 ms for one tree this deep. */
const MAX_DEPTH = 1_000;

/**
 * JSON text, or undefined for what JSON cannot say (numbers that are none), too deep a tree, or one that
 * must be longer than so many characters: that is found out by a walk which ends there, because writing
 * it first took 250 ms for 64 KiB of deep lists.
 */
export function jsonText(value: JsonObject, maxLength: number): string | undefined {
  return jsonFault(value, maxLength) === undefined ? JSON.stringify(value) : undefined;
}

export function jsonFault(value: JsonObject, maxLength: number): CheckName | undefined {
  return faultIn(value, { characters: maxLength }, MAX_DEPTH);
}

/** A value takes at least one character of the budget, and one that holds others two. */
function faultIn(
  value: unknown,
  budget: { characters: number },
  levels: number,
): CheckName | undefined {
  budget.characters -= 1;
  if (budget.characters < 0) return "json_length";
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "json_digits";
  if (typeof value !== "object" || value === null) return undefined;
  budget.characters -= 1;
  if (levels === 0) return "json_depth";
  for (const inner of Object.values(value)) {
    const fault = faultIn(inner, budget, levels - 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

export function acceptFormsOnly(server: FastifyInstance, inTurn: InTurn): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser<string>(
    "application/x-www-form-urlencoded",
    { parseAs: "string" },
    (_request, text, done) => inTurn(text.length, done, () => readForm(text)),
  );
  server.addContentTypeParser<Buffer>(
    "multipart/form-data",
    { parseAs: "buffer" },
    ({ headers }, bytes, done) =>
      inTurn(bytes.length, done, () => readMultipart(headers["content-type"] ?? "", bytes)),
  );
}

/** More than any form here has, with every box of it ticked; a field takes 1.5 µs to read, and 64 KiB hold 32,000. */
const MAX_FORM_FIELDS = 512;

/** A field that was sent several times has all of its texts. */
export function readForm(text: string): Record<string, string | string[]> {
  // What was left out would be taken for what somebody has unticked.
  if (text.split("&", MAX_FORM_FIELDS + 1).length > MAX_FORM_FIELDS)
    throw new HttpFailure("body_too_large");
  return gathered([...new URLSearchParams(text)]);
}

function gathered<Value>(entries: readonly (readonly [string, Value])[]) {
  const form = new Map<string, Value | Value[]>();
  for (const [name, value] of entries) {
    const before = form.get(name);
    if (before === undefined) form.set(name, value);
    else form.set(name, Array.isArray(before) ? [...before, value] : [before, value]);
  }
  return Object.fromEntries(form);
}

const MAX_FORM_PARTS = 64;
const MAX_HEAD_BYTES = 4_096;

export interface FormFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export function readMultipart(
  contentType: string,
  body: Buffer,
): Record<string, string | string[] | FormFile> {
  const boundary = /;\s*boundary=(?:"([^"]{1,70})"|([^;\s]{1,70}))/i.exec(contentType);
  const mark = boundary?.[1] ?? boundary?.[2];
  if (mark === undefined) throw new HttpFailure("form_expected");
  const line = Buffer.from(`\r\n--${mark}`);
  const form = new Map<string, string | string[] | FormFile>();
  // The first boundary has no line before it.
  let at = body.subarray(0, line.length - 2).equals(line.subarray(2)) ? line.length - 2 : -1;
  for (let parts = 0; at >= 0 && parts < MAX_FORM_PARTS; parts += 1) {
    if (body.toString("latin1", at, at + 2) === "--") return Object.fromEntries(form);
    const headEnd = body.subarray(at, at + MAX_HEAD_BYTES).indexOf("\r\n\r\n");
    const end = headEnd < 0 ? -1 : body.indexOf(line, at + headEnd + 2);
    if (end < 0) break;
    const { name, fileName } = namesIn(body.toString("utf8", at, at + headEnd));
    const bytes = body.subarray(at + headEnd + 4, Math.max(end, at + headEnd + 4));
    if (fileName !== undefined) form.set(name, { name: fileName, bytes });
    else form.set(name, joined(form.get(name), bytes.toString("utf8")));
    at = end + line.length;
  }
  throw new HttpFailure("form_expected");
}

function joined(before: string | string[] | FormFile | undefined, text: string): string | string[] {
  if (typeof before === "string") return [before, text];
  return Array.isArray(before) ? [...before, text] : text;
}

function namesIn(head: string): { name: string; fileName: string | undefined } {
  const [, fields = ""] = /^content-disposition:\s*form-data((?:;.*)?)$/im.exec(head) ?? [];
  const name = /;\s*name="([^"]*)"/i.exec(fields)?.[1];
  if (name === undefined) throw new HttpFailure("form_expected");
  return { name, fileName: /;\s*filename="([^"]*)"/i.exec(fields)?.[1] };
}
