// A bank's statement in any format: fields, sections that add up, and keys that tell lines apart.

import { maskNumbers } from "./card-number.ts";
import { minorFromText, toDecimalText } from "./money.ts";
import { Refusal, type RefusalCode } from "./refusal.ts";
import { cutText } from "./visible-text.ts";

export type StatementFormat =
  | "1c"
  | "csv-tbank"
  | "csv-alfa"
  | "csv-alfa-old"
  | "csv-raiffeisen"
  | "csv-own"
  | "camt053"
  | "mt940";

export interface StatementLine {
  readonly row: number;
  readonly direction: "in" | "out";
  /** Only what is booked is money. */
  readonly status: "booked" | "pending" | "failed";
  readonly day: string;
  /** HH:MM or HH:MM:SS where the file knows one; 00:00:00 alone is none. */
  readonly time: string | null;
  /** ISO 8601 with its offset, where the file says how far its clock is from Greenwich. */
  readonly instant?: string;
  readonly amountMinor: bigint;
  /** The document's number: the payer's own, not unique. */
  readonly number: string | null;
  /** The bank's own id of it, where the format has one. */
  readonly bankId: string | null;
  readonly party: {
    readonly account: string | null;
    readonly name: string | null;
    readonly inn: string | null;
  };
  readonly purpose: string;
  readonly isReversal: boolean;
  /** The bank's own fee. */
  readonly isCharge: boolean;
  /** Others of its file say which account they are of, and it does not. */
  readonly isUnnamed?: boolean;
}

export interface StatementSection {
  /** Null where the format names none: whoever brings the file says whose it is. */
  readonly account: string | null;
  readonly currency: string;
  readonly from: string;
  readonly to: string;
  readonly openingMinor: bigint | null;
  readonly closingMinor: bigint | null;
  readonly lines: readonly StatementLine[];
}

/** Of a file: its lines can be gone through again and again, and need not be there all at once. */
export interface ReadSection extends Omit<StatementSection, "lines"> {
  readonly row: number;
  readonly lines: Iterable<StatementLine>;
}

export interface Statement {
  readonly format: StatementFormat;
  readonly sections: readonly ReadSection[];
}

/** What a file says to have come and gone in all; null where it says nothing. */
export interface Totals {
  readonly inMinor: bigint | null;
  readonly outMinor: bigint | null;
}

/** A bank's largest customers have fewer in a day; more are a shorter period's file. */
const MOST_LINES = 200_000;

/** Ten years of days. */
const MOST_SECTIONS = 4_000;

export function assertNotTooManySections(sections: number): void {
  if (sections <= MOST_SECTIONS) return;
  throw new Refusal("statement_too_many_sections", { limit: String(MOST_SECTIONS) });
}

/** Asked while they are read, so that no file fills the memory first. */
export function assertNotTooMany(lines: number): void {
  if (lines <= MOST_LINES) return;
  throw new Refusal("statement_too_many_lines", { limit: String(MOST_LINES) });
}

/** The statement as it goes on, without lines of nothing (a card that was looked at: 0.00). */
export function wholeStatement(
  format: StatementFormat,
  sections: readonly ReadSection[],
  totals: readonly Totals[] = [],
): Statement {
  for (const [index, section] of sections.entries()) {
    const { row, from, to } = section;
    if (from > to) refuseRow("statement_date", row, to);
    assertAddsUp(section, totals[index]);
  }
  const kept = runsOf(sections)
    .map(joined)
    .map(({ lines, ...section }) => ({
      ...section,
      ...(hasBalances(section) ? {} : { openingMinor: null, closingMinor: null }),
      lines: again(() => Iterator.from(lines).filter(({ amountMinor }) => amountMinor > 0n)),
    }));
  return { format, sections: kept };
}

/** Those of one account that have days in common, by what they say and by what their lines are of. */
function runsOf(sections: readonly ReadSection[]): ReadSection[][] {
  const accounts = Map.groupBy(sections, ({ account, currency }) => `${currency} ${account}`);
  const runs = [...accounts.values()].flatMap((own) => (own.length === 1 ? [own] : meeting(own)));
  const places = new Map(sections.map((section, place) => [section, place]));
  const placeOf = ([first]: readonly ReadSection[]) => (first && places.get(first)) ?? 0;
  return runs.toSorted((a, b) => placeOf(a) - placeOf(b));
}

function meeting(sections: readonly ReadSection[]): ReadSection[][] {
  const spans = sections.map((section) => {
    const own = spanOf(bookedOf(section));
    const from = own.from !== "" && own.from < section.from ? own.from : section.from;
    return { section, from, to: own.to > section.to ? own.to : section.to };
  });
  const runs: ReadSection[][] = [];
  let last = "";
  for (const { section, from, to } of spans.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    if (from > last) runs.push([section]);
    else runs.at(-1)?.push(section);
    if (to > last) last = to;
  }
  return runs;
}

function bookedOf({ lines }: Pick<ReadSection, "lines">): Iterable<StatementLine> {
  return Iterator.from(lines).filter(({ status }) => status === "booked");
}

/** One section of a run: its pages stand in the order of their last days, else in the file's. */
function joined(run: readonly ReadSection[]): ReadSection {
  const telling = run.filter(tellsSomething);
  const parts = (telling.length > 0 ? telling : run.slice(0, 1)).toSorted((a, b) =>
    a.to === b.to ? a.row - b.row : a.to < b.to ? -1 : 1,
  );
  const [[first], last] = [parts, parts.at(-1)];
  if (first === undefined || last === undefined) throw new Error("A run has no section.");
  if (first === last) return first;
  assertGoOn(parts);
  return {
    ...first,
    from: parts.map(({ from }) => from).sort()[0] ?? first.from,
    to: last.to,
    closingMinor: last.closingMinor,
    lines: again(() => parts.values().flatMap(({ lines }) => lines)),
  };
}

/** One without balances and without a line can be of any days. */
function tellsSomething(section: ReadSection): boolean {
  const { openingMinor, closingMinor } = section;
  return openingMinor !== null || closingMinor !== null || [...bookedOf(section)].length > 0;
}

/**
 * Each begins with what the ones before it came to, by every balance that is told up to the last one. One that
 * begins with what an earlier one began with, and has a line like one that was there before, may be that one
 * again.
 */
function assertGoOn(parts: readonly ReadSection[]): void {
  const [begun, seen] = [new Set<bigint>(), new Set<string>()];
  let balance: bigint | undefined;
  for (const part of parts) {
    const { openingMinor: opening, closingMinor: closing } = part;
    const moved = sumOf(part.lines, "in") - sumOf(part.lines, "out");
    const said = opening ?? (closing === null ? undefined : closing - moved);
    const start: bigint | undefined = balance ?? said;
    const lines = [...bookedOf(part)].map(({ day, direction, amountMinor }) =>
      [day, direction, amountMinor].join(" "),
    );
    const isUntold = said === undefined && part === parts.at(-1);
    const isOff = said !== undefined && said !== start;
    const isAgain = start !== undefined && begun.has(start) && lines.some((one) => seen.has(one));
    if (start === undefined || isUntold || isOff || isAgain) {
      const params = { row: String(part.row), from: part.from, to: part.to };
      throw new Refusal("statement_overlapping", params);
    }
    if (lines.length > 0) begun.add(start);
    for (const one of lines) seen.add(one);
    balance = start + moved;
  }
}

/** Where a file tells one of them, as of a day that is not over, nothing shows that it is right. */
function hasBalances({ openingMinor, closingMinor }: Omit<ReadSection, "lines">): boolean {
  return openingMinor !== null && closingMinor !== null;
}

export function again<Item>(make: () => Iterator<Item>): Iterable<Item> {
  return { [Symbol.iterator]: make };
}

/** Where a file does not say which days it is of, they are those of its lines. */
export function spanOf(lines: Iterable<StatementLine>): Pick<StatementSection, "from" | "to"> {
  let [from, to] = ["", ""];
  for (const { day } of lines) {
    if (from === "" || day < from) from = day;
    if (day > to) to = day;
  }
  return { from, to };
}

/** What came or went: booked lines only. */
export function sumOf(lines: Iterable<StatementLine>, direction: "in" | "out"): bigint {
  let sum = 0n;
  for (const line of lines) {
    if (line.status === "booked" && line.direction === direction) sum += line.amountMinor;
  }
  return sum;
}

function assertAddsUp(section: ReadSection, totals?: Totals): void {
  const { openingMinor: opening, closingMinor: closing } = section;
  const where = { from: section.from, to: section.to, row: String(section.row) };
  // Where nothing is told there is nothing to compare: a CSV, which has the most lines.
  if ((opening === null || closing === null) && totals === undefined) return;
  const came = sumOf(section.lines, "in");
  const went = sumOf(section.lines, "out");
  if (opening !== null && closing !== null && opening + came - went !== closing) {
    throw new Refusal("statement_unbalanced", {
      ...where,
      opening: toDecimalText(opening),
      closing: toDecimalText(closing),
      in: toDecimalText(came),
      out: toDecimalText(went),
    });
  }
  for (const [told, sum] of [
    [totals?.inMinor ?? came, came],
    [totals?.outMinor ?? went, went],
  ] as const) {
    if (told === sum) continue;
    const params = { ...where, told: toDecimalText(told), sum: toDecimalText(sum) };
    throw new Refusal("statement_totals", params);
  }
}

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

export interface LineKey {
  /** What the line says; equal for equal lines. */
  readonly key: string;
  /** Which of the equal lines it is, from 1. */
  readonly ordinal: number;
  /**
   * Which document it is. Known with another key, and that key no longer in the file, it is a document that
   * has changed. Null where the file has nothing to tell one by.
   */
  readonly identity: string | null;
}

type Digest = (text: string) => string;

/**
 * Asked for all the lines that a file has of one account, in the file's order: ordinals count over all of them.
 * What is not booked has keys of its own, so that it never stands for the money that it may become.
 */
export function lineKeys(digest: Digest): (line: StatementLine) => LineKey {
  const counts = new Map<string, number>();
  return (line) => {
    const id = line.bankId ?? sbpIdOf(line.purpose);
    const key = digest([line.status, ...contentOf(line, id)].join("\0"));
    const ordinal = (counts.get(key) ?? 0) + 1;
    counts.set(key, ordinal);
    const document = identityOf(line, id);
    return { key, ordinal, identity: document === null ? null : digest(document.join("\0")) };
  };
}

/**
 * Joined by what no text of a statement holds. With the bank's id neither texts nor times matter, which banks write
 * anew; the sum and the day do. Else the purpose counts in its compatible letters.
 */
function contentOf(line: StatementLine, id: string | null): (string | null)[] {
  const { direction, day, time, amountMinor, number, party, purpose } = line;
  const always = [direction, day, String(amountMinor)];
  if (id !== null) return ["id", ...always, id];
  const text = purpose.normalize("NFKC");
  return ["text", ...always, time, number, party.account, party.inn, text];
}

/** An id is of one document whatever became of its day; a number only with the day and the other side. */
function identityOf(line: StatementLine, id: string | null): (string | null)[] | null {
  const { direction, day, number, party } = line;
  if (id !== null) return ["id", direction, id];
  if (number === null && party.account === null) return null;
  return ["document", direction, day, number, party.account];
}

/** A bank that dates a movement anew moves it by no more days. */
export const REDATED_DAYS = 7;

/** Whether a line of as much may be one of another day that the file no longer has. */
export function canBeRedated(day: string, otherDay: string): boolean {
  const days = (Date.parse(day) - Date.parse(otherDay)) / (24 * 60 * 60 * 1000);
  return Math.abs(days) <= REDATED_DAYS;
}

/** An operation of the fast payment system has an id of 32 characters in all banks' texts. */
const SBP_ID_LENGTH = 32;
const SBP_ID = /(?<![0-9A-Za-z])[AB][0-9A-F]{31}(?![0-9A-Za-z])/g;

/** Where a text names two, it is not known which of them is its own. */
function sbpIdOf(purpose: string): string | null {
  if (purpose.length < SBP_ID_LENGTH) return null;
  const [found, ...others] = purpose.match(SBP_ID) ?? [];
  return others.length === 0 ? (found ?? null) : null;
}
