// What a shop wants to get back with its order: a JSON object, written as a text or as it is, for existing clients
// send both. Guards that it comes back as it was sent; what cannot is refused, and its shop told why.

import {
  faultOfText,
  isJsonObject,
  jsonFault,
  jsonText,
  parseJsonText,
  printedDoubles,
} from "../../platform/body.ts";
import type { CheckName } from "../../platform/input.ts";

export const MAX_CUSTOM_FIELDS = 4_096;
/** A NUL or half a surrogate pair, as JSON writes them after an even number of backslashes. */
const UNCLEAN = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f]..)/;

function read(given: string | object | undefined): unknown {
  return typeof given === "string" ? parseJsonText(given, printedDoubles)?.value : given;
}

/** The object as JSON text, or undefined where it is none that is taken. */
export function customFieldsText(given: string | object | undefined): string | undefined {
  const value = read(given);
  const text = isJsonObject(value) ? jsonText(value, MAX_CUSTOM_FIELDS) : undefined;
  // A string was measured as it was sent.
  const isTooLong = typeof given !== "string" && isLonger(text ?? "", MAX_CUSTOM_FIELDS);
  return text === undefined || isTooLong || UNCLEAN.test(text) ? undefined : text;
}

/** What is wrong with what is not taken. */
export function customFieldsFault(given: string | object): CheckName {
  const value = read(given);
  if (value === undefined && typeof given === "string") return faultOfText(given);
  if (!isJsonObject(value)) return "json_object";
  const fault = jsonFault(value, MAX_CUSTOM_FIELDS);
  if (fault !== undefined) return fault;
  return UNCLEAN.test(JSON.stringify(value)) ? "json_clean" : "json_length";
}

/** Counts characters only where the number of their units does not tell. */
export function isLonger(text: string, limit: number): boolean {
  return text.length > 2 * limit || (text.length > limit && [...text].length > limit);
}
