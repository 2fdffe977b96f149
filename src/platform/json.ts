// JSON from the wire. Guards that what comes out is exactly what was sent: no bytes that are not
// UTF-8, no "__proto__" key, and no number that lost digits on its way into a double.

import { isUtf8 } from "node:buffer";

export type JsonObject = Record<string, unknown>;

/** Only a text with one of these needs the careful way, which takes about 10 times as long. */
const SUSPICIOUS = /__proto__|\\u00|[:[,\s]-?(?:[\d.]{16}|[\d.]+e)/i;

/** Undefined where the bytes are no JSON that is safe to take. */
export function parseJsonBytes(bytes: Buffer): { value: unknown } | undefined {
  return isUtf8(bytes) ? parseJsonText(bytes.toString("utf8")) : undefined;
}

export function parseJsonText(text: string): { value: unknown } | undefined {
  try {
    return { value: SUSPICIOUS.test(text) ? parseCarefully(text) : JSON.parse(text) };
  } catch {
    return undefined;
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

function parseCarefully(text: string): unknown {
  const reviver: Reviver = (key, value, { source }) => {
    if (key === "__proto__") throw new SyntaxError("__proto__ is not a key.");
    if (typeof value !== "number" || source === undefined) return value;
    return plainDecimal(source) === plainDecimal(String(value)) ? value : Number.NaN;
  };
  return JSON.parse(text, reviver as (key: string, value: unknown) => unknown);
}

/** One form for all ways to write a decimal, to tell whether two of them are the same number. */
function plainDecimal(source: string): string {
  const [mantissa = "", exponent = "0"] = source.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = (whole + fraction).replace(/^(-?)0+/, "$1");
  const kept = digits.replace(/0+$/, "");
  const scale = Number(exponent) - fraction.length + (digits.length - kept.length);
  return kept === "" || kept === "-" ? "0" : `${kept}e${scale}`;
}

/** JSON text, or undefined for what JSON cannot say: numbers that are none, or too deep a tree. */
export function jsonText(value: JsonObject): string | undefined {
  try {
    return JSON.stringify(value, (_, inner: unknown) => {
      if (typeof inner === "number" && !Number.isFinite(inner)) throw new RangeError("no number");
      return inner;
    });
  } catch {
    return undefined;
  }
}
