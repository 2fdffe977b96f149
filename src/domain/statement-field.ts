// What stands in a statement's fields, whatever the format: sums, days, times, currencies and texts. Each
// either is what it says or refuses the file by its row.

import { maskNumbers } from "./card-number.ts";
import { cutText } from "./cut-text.ts";
import { minorFromText } from "./money.ts";
import { Refusal, type RefusalCode } from "./refusal.ts";

/** Banks allow a purpose of 210 characters, and other formats some thousand. */
const LONGEST_TEXT = 4_000;
const LONGEST_SHOWN = 100;

export function refuseRow(code: RefusalCode, row: number, value = ""): never {
  throw new Refusal(code, { row: String(row), value: shown(value) });
}

/** Of what a stranger wrote, as much as a message can bear. */
export function shown(value: string): string {
  const text = cutText(value, LONGEST_SHOWN);
  return maskNumbers(text.length < value.length ? `${text}…` : text);
}

/** One line without spaces around it, each run of them one space. */
export function textOf(value: string, row: number): string {
  if (value.length > LONGEST_TEXT) {
    throw new Refusal("statement_text_too_long", { row: String(row), limit: String(LONGEST_TEXT) });
  }
  return /\s\s|[^\S ]/.test(value) ? value.replace(/\s+/g, " ").trim() : value.trim();
}

export function textOrNull(value: string | undefined, row: number): string | null {
  return value === undefined || value === "" ? null : textOf(value, row) || null;
}

/** A sum that is not below nothing; whatever space it has stands between thousands. */
export function amountOf(value: string, row: number): bigint {
  const minor = value.length > 40 ? undefined : minorFromText(value.trim().replace(/\s/g, " "));
  return minor ?? refuseRow("statement_amount", row, value);
}

export function signedAmountOf(value: string, row: number): bigint {
  const sign = /^\s*[-−+]/.exec(value)?.[0] ?? "";
  const minor = amountOf(value.slice(sign.length).trim(), row);
  return sign === "" || sign.endsWith("+") ? minor : -minor;
}

/** YYYY-MM-DD, a day of the calendar. */
export function dayOf(
  year: string,
  month: string,
  day: string,
  value: string,
  row: number,
): string {
  const text = `${year}-${month}-${day}`;
  return isDay(text) ? text : refuseRow("statement_date", row, value);
}

const MONTH_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** By the calendar's own rule: a file of 100,000 lines asks as often, and Date takes eight times as long. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(5, 7));
  const day = Number(text.slice(8));
  // A year that no statement is of is a slip, and no other clock could hold it.
  if (year < 1990 || year > 2100) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && !isLeap ? 28 : MONTH_DAYS[month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

/** 31.12.2026 */
export function russianDay(value: string, row: number): string {
  const [, day = "", month = "", year = ""] =
    /^(\d\d)\.(\d\d)\.(\d{4})$/.exec(value) ?? refuseRow("statement_date", row, value);
  return dayOf(year, month, day, value, row);
}

/** Midnight to the second is how banks write that they know no time. */
export function timeOrNull(value: string, row: number): string | null {
  if (value === "") return null;
  const [, hours = "", rest = ""] =
    /^(\d{1,2})(:[0-5]\d(?::[0-5]\d)?)$/.exec(value) ?? refuseRow("statement_date", row, value);
  if (Number(hours) > 23) refuseRow("statement_date", row, value);
  const time = `${hours.padStart(2, "0")}${rest}`;
  return /^00:00(?::00)?$/.test(time) ? null : time;
}

const ROUBLES = new Set(["RUB", "RUR", "643", "810", "₽", "РУБ", "РУБ."]);

export function currencyOf(value: string, row: number): string {
  const currency = value.trim().toUpperCase();
  if (ROUBLES.has(currency)) return "RUB";
  return /^[A-Z]{3}$/.test(currency) ? currency : refuseRow("statement_word", row, value);
}

/** The line of a text that begins at an offset, from 1. */
export function rowAt(text: string, offset: number): number {
  let row = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) {
    row += 1;
  }
  return row;
}

/** Each line of a text with its number, without its end, CR alone where there is no other; never all of them at once. */
export function* linesOf(text: string): Generator<{ row: number; text: string; isEnded: boolean }> {
  const mark = text.includes("\n") ? "\n" : "\r";
  for (let start = 0, row = 1; start < text.length; row += 1) {
    const end = text.indexOf(mark, start);
    const isEnded = end !== -1;
    const line = text.slice(start, isEnded ? end : undefined);
    yield { row, text: line.endsWith("\r") ? line.slice(0, -1) : line, isEnded };
    start = isEnded ? end + 1 : text.length;
  }
}
