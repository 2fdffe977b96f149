// JSON from the wire. Guards that what comes out is exactly what was sent: no bytes that are not
// UTF-8, no "__proto__" key, and no number that lost digits on its way into a double.

import { isUtf8 } from "node:buffer";

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

/** Undefined where the bytes are no JSON that is safe to take. */
export function parseJsonBytes(bytes: Buffer): { value: unknown } | undefined {
  return isUtf8(bytes) ? parseJsonText(bytes.toString("utf8")) : undefined;
}

export function parseJsonText(text: string): { value: unknown } | undefined {
  try {
    // A shorter text has no room for too many parts.
    const wantsCare = text.length > MAX_PARTS || SUSPICIOUS.test(text);
    return { value: JSON.parse(wantsCare ? withoutLoss(text) : text) };
  } catch {
    return undefined;
  }
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

/** A text, whole; a number that may lose digits; what every further part begins with. */
const TOKEN =
  /"(?:[^"\\]|\\[\s\S])*"?|(?<![-\d.])-?(?:[\d.]{16,}(?:e[+-]?\d*)?|[\d.]+e[+-]?\d*)|[:{]/gi;

/**
 * The same text without numbers that lose digits, in one walk over it; a throw where it holds what is
 * not taken. Whether it is JSON at all is left to whoever parses it.
 */
function withoutLoss(text: string): string {
  if (PROTO_KEY.test(text)) throw new SyntaxError("__proto__ is not a key");
  let parts = 0;
  let longNumbers = 0;
  return text.replace(TOKEN, (token) => {
    if (token.startsWith('"')) return token;
    if (token === ":" || token === "{") parts += 1;
    else longNumbers += 1;
    if (parts > MAX_PARTS || longNumbers > MAX_LONG_NUMBERS || token.length > MAX_NUMBER_LENGTH) {
      throw new RangeError("too much in it");
    }
    return NUMBER.test(token) && losesDigits(token) ? NO_NUMBER : token;
  });
}

function losesDigits(source: string): boolean {
  const kept = String(Number(source));
  return kept !== source && plainDecimal(kept) !== plainDecimal(source);
}

/** One form for all ways to write a decimal, to tell whether two of them are the same number. */
function plainDecimal(source: string): string {
  const [mantissa = "", exponent = "0"] = source.toLowerCase().split("e");
  const sign = mantissa.startsWith("-") ? "-" : "";
  const dot = mantissa.indexOf(".");
  const fraction = dot < 0 ? "" : mantissa.slice(dot + 1);
  const digits = mantissa.slice(sign.length, dot < 0 ? undefined : dot) + fraction;
  // A pattern for the zeros at an end would be tried anew at each of them.
  let start = 0;
  while (digits[start] === "0") start += 1;
  if (start === digits.length) return "0";
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  return `${sign}${digits.slice(start, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}

/** Writing takes the square of the depth: 0.4 ms for one tree this deep. */
const MAX_DEPTH = 1_000;

/**
 * JSON text, or undefined for what JSON cannot say (numbers that are none), too deep a tree, or one that
 * must be longer than so many characters: that is found out by a walk which ends there, because writing
 * it first took 250 ms for 64 KiB of deep lists.
 */
export function jsonText(value: JsonObject, maxLength: number): string | undefined {
  const budget = { characters: maxLength };
  return fits(value, budget, MAX_DEPTH) ? JSON.stringify(value) : undefined;
}

/** A value takes at least one character of the budget, and one that holds others two. */
function fits(value: unknown, budget: { characters: number }, levels: number): boolean {
  budget.characters -= 1;
  if (budget.characters < 0) return false;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  budget.characters -= 1;
  return levels > 0 && Object.values(value).every((inner) => fits(inner, budget, levels - 1));
}
