// JSON from the wire. Guards that what comes out is exactly what was sent: no bytes that are not
// UTF-8, no "__proto__" key, and no number that lost digits on its way into a double.

import { isUtf8 } from "node:buffer";

export type JsonObject = Record<string, unknown>;

/** Only a text with one of these needs the careful way, which takes about 10 times as long. */
const SUSPICIOUS = /__proto__|\\u005f|[\d.]{17}/i;

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
    return significantDigits(source) > 15 ? Number.NaN : value;
  };
  return JSON.parse(text, reviver as (key: string, value: unknown) => unknown);
}

/** A double holds any decimal of up to 15 significant digits. */
function significantDigits(source: string): number {
  const [mantissa = ""] = source.toLowerCase().split("e");
  const digits = mantissa.includes(".") ? mantissa.replace(/0+$/, "") : mantissa;
  return digits.replace(/[-.]/g, "").replace(/^0+/, "").length;
}
