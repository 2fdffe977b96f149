// From a file's bytes to the lines of our accounts. A file of a foreign or another account is
// refused whole, with row and reason; no whole number is kept.

import { hash } from "node:crypto";
import { maskNumbers } from "../../domain/card-number.ts";
import { decodeText } from "../../domain/encoding.ts";
import { madeAtOfLine } from "../../domain/made-at.ts";
import { type MomentFormat, momentFormat } from "../../domain/moment.ts";
import { payoutWords } from "../../domain/payout-file.ts";
import { Refusal } from "../../domain/refusal.ts";
import { maskNumber } from "../../domain/requisite.ts";
import {
  lineKeys,
  type ReadSection,
  type Statement,
  type StatementLine,
  shown,
} from "../../domain/statement.ts";
import { MARK_1C, parse1c } from "../../domain/statement-1c.ts";
import { BANK_CSVS, type CsvProfile, hasColumns, parseCsv } from "../../domain/statement-csv.ts";
import { BEGINS_MT940, parseMt940 } from "../../domain/statement-mt940.ts";
import { cutText } from "../../domain/visible-text.ts";
import type { NewSection } from "./import-queries.ts";
import type { LineContent, LineName } from "./line-queries.ts";
import { parseCamt } from "./statement-camt.ts";

/** A file as it was brought. */
export interface BroughtFile {
  readonly bytes: Uint8Array;
  /** Whose account it is, where it names none. */
  readonly requisiteId: string | null;
  readonly profile: CsvProfile | undefined;
}

/** A line of booked money on an account of ours. */
export interface ReadLine extends LineContent {
  readonly currency: string;
  readonly kind: "money" | "charge" | "internal" | "reversal" | "unnamed";
  /** What may name a payout; kept nowhere. */
  readonly words: readonly string[];
}

type SectionOfOurs = Omit<NewSection, "import_id" | "place"> & {
  /** Null where the file names none. */
  readonly account: string | null;
  readonly currency: string;
  /** Whether there was nothing on the account in between, as far as the order of the lines says. */
  readonly wasEmpty: boolean;
};

/** All that reading a file depends on. */
export interface Reading extends BroughtFile {
  /** Every account of ours, and whose it is. */
  readonly accounts: ReadonlyMap<string, string>;
  readonly timeZone: string;
}

/** What a file is, but for its lines. */
export interface ReadImport {
  readonly format: string;
  /** Lines of booked money. */
  readonly lines: number;
  readonly pendingLines: number;
  /** Whether it says itself whose each of its accounts is. */
  readonly namesAccounts: boolean;
  readonly sections: readonly SectionOfOurs[];
}

/** Its lines, made as they are asked for: a part of them is as many as are looked up at once. */
type Parts = Generator<ReadLine[], void>;

const PART = 1_000;

interface OwnedSection {
  readonly section: ReadSection;
  readonly requisiteId: string;
}

/** All of it is read and adds up before the first of its lines is handed out. */
export function readFile(reading: Reading): { readonly read: ReadImport; readonly parts: Parts } {
  const { bytes, requisiteId: given, profile, accounts } = reading;
  const { format, sections } = readStatement(bytes, profile);
  const nameless = sections.find(({ account }) => account === null);
  const isNamed = sections.some(({ account }) => account !== null);
  // Else it had to be kept whose it was said to be, and its accounts could be given to another requisite.
  if (format === "csv-own" && isNamed && nameless !== undefined) {
    throw new Refusal("statement_account_missing", { row: String(nameless.row) });
  }
  const owned = sections.map((section) => ({
    section,
    requisiteId: ownerOf(section, accounts, given),
  }));
  const sums = sections.map(sumsOf);
  const count = (what: "booked" | "pending") => sums.reduce((sum, one) => sum + one[what], 0);
  const read = {
    format,
    lines: count("booked"),
    pendingLines: count("pending"),
    namesAccounts: nameless === undefined,
    sections: owned.map(({ section, requisiteId }, index) => ({
      number: index + 1,
      requisite_id: requisiteId,
      format,
      account: section.account,
      currency: section.currency,
      from_day: section.from,
      to_day: section.to,
      opening_minor: section.openingMinor,
      closing_minor: section.closingMinor,
      in_minor: sums[index]?.in ?? 0n,
      out_minor: sums[index]?.out ?? 0n,
      wasEmpty: sums[index]?.wasEmpty === true,
    })),
  };
  return { read, parts: partsOf(owned, format, reading) };
}

function sumsOf({ lines, openingMinor, closingMinor }: ReadSection) {
  const sums = { booked: 0, pending: 0, in: 0n, out: 0n, wasEmpty: false };
  const days = new Map<string, bigint>();
  for (const { status, direction, day, amountMinor } of lines) {
    if (status !== "booked") sums.pending += 1;
    else {
      sums.booked += 1;
      sums[direction] += amountMinor;
      days.set(day, (days.get(day) ?? 0n) + (direction === "in" ? amountMinor : -amountMinor));
      const moved = sums.in - sums.out;
      // Some banks list the first at the top, others the last.
      if (openingMinor === -moved || closingMinor === moved) sums.wasEmpty = true;
    }
  }
  // Whatever their order, what a day ended with is told.
  let moved = 0n;
  for (const day of [...days.keys()].toSorted()) {
    moved += days.get(day) ?? 0n;
    if (openingMinor === -moved) sums.wasEmpty = true;
  }
  return sums;
}

function* partsOf(owned: readonly OwnedSection[], format: string, reading: Reading): Parts {
  const { accounts, timeZone } = reading;
  const zone = momentFormat(timeZone);
  let part: ReadLine[] = [];
  for (const [requisiteId, own] of Map.groupBy(owned, (one) => one.requisiteId)) {
    const keyOf = lineKeys((text) => hash("sha256", text));
    for (const { section } of own) {
      const { currency } = section;
      for (const line of section.lines) {
        if (line.status !== "booked") continue;
        const name = { requisiteId, currency, format, ...keyOf(line) };
        part.push({ ...read(line, accounts, zone), ...name });
        if (part.length < PART) continue;
        yield part;
        part = [];
      }
    }
  }
  if (part.length > 0) yield part;
}

function ownerOf(
  { account, row }: ReadSection,
  accounts: ReadonlyMap<string, string>,
  requisiteId: string | null,
): string {
  if (account === null) {
    if (requisiteId === null) throw new Refusal("statement_needs_requisite");
    return requisiteId;
  }
  const where = { account: maskNumber(account), row: String(row) };
  const owner = accounts.get(account);
  if (owner === undefined) {
    throw new Refusal("statement_foreign_account", where);
  }
  if (requisiteId !== null && requisiteId !== owner) {
    throw new Refusal("statement_other_requisite", where);
  }
  return owner;
}

const LONGEST_TEXT = 500;

function read(
  line: StatementLine,
  accounts: ReadonlyMap<string, string>,
  zone: MomentFormat,
): Omit<ReadLine, keyof LineName | "currency" | "identity"> {
  const { row, direction, day, amountMinor, number, party } = line;
  const madeAt = madeAtOfLine(line, zone);
  return {
    row,
    direction,
    day,
    madeAt,
    amountMinor,
    kind: kindOf(line, accounts),
    number: masked(number),
    party: masked([party.name, party.inn].filter((one) => one !== null).join(" ")),
    purpose: masked(line.purpose),
    words: payoutWords(cutText(`${number ?? ""} ${line.purpose}`, LONGEST_TEXT)),
  };
}

function kindOf(line: StatementLine, accounts: ReadonlyMap<string, string>): ReadLine["kind"] {
  if (line.party.account !== null && accounts.has(line.party.account)) return "internal";
  if (line.isReversal) return "reversal";
  if (line.isUnnamed) return "unnamed";
  return line.isCharge ? "charge" : "money";
}

function masked(text: string | null): string | null {
  return text === null || text === "" ? null : maskNumbers(cutText(text, LONGEST_TEXT));
}

/** `own` is the operator's profile for a CSV that is not known here. */
export function readStatement(bytes: Uint8Array, own?: CsvProfile): Statement {
  const text = decodeText(bytes);
  if (text.startsWith(MARK_1C)) return parse1c(text);
  if (/^\s*</.test(text)) return parseCamt(text.trimStart());
  if (BEGINS_MT940.test(text)) return parseMt940(text);
  const owns = own === undefined ? [] : [{ format: "csv-own", profile: own } as const];
  const csv = [...owns, ...BANK_CSVS].find(({ profile }) => hasColumns(text, profile));
  if (csv !== undefined) return parseCsv(text, csv);
  const [header = ""] = text.slice(0, 200).trim().split(/\r?\n/, 1);
  throw new Refusal("statement_unknown", { header: shown(header) });
}
