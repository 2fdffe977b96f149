// A bank's statement, whatever file it came in: sections of one account and a span of days, and their
// lines. Guards that a section which knows its balances adds up to the kopeck, that sections with a day in common
// go on from each other, so that no line is read twice, and that nothing in a statement is larger than anybody's
// real one.

import { toDecimalText } from "./money.ts";
import { Refusal } from "./refusal.ts";
import { refuseRow } from "./statement-field.ts";

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
  /** Of the file, from 1: for words to a person. */
  readonly row: number;
  readonly direction: "in" | "out";
  /** Only what is booked is money. */
  readonly status: "booked" | "pending" | "failed";
  /** YYYY-MM-DD, the day it was booked. */
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
  /** Days, both included. */
  readonly from: string;
  readonly to: string;
  readonly openingMinor: bigint | null;
  readonly closingMinor: bigint | null;
  readonly lines: readonly StatementLine[];
}

/** Of a file: its lines can be gone through again and again, and need not be there all at once. */
export interface ReadSection extends Omit<StatementSection, "lines"> {
  /** Where in the file it begins. */
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

/** What is made anew whenever somebody goes through it. */
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
