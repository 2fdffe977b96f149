// From a file to the lines that it has of our accounts, without asking anybody. Guards that a file which names
// an account that is nobody's, or another one than it was said to be, is refused whole; and that no whole number
// is kept.

import { hash } from "node:crypto";
import { maskNumbers } from "../../domain/card-number.ts";
import { addSeconds, type MomentFormat, momentFormat } from "../../domain/moment.ts";
import { payoutWords } from "../../domain/payout-name.ts";
import { Refusal } from "../../domain/refusal.ts";
import { maskNumber } from "../../domain/requisite.ts";
import { type StatementLine, type StatementSection, sumOf } from "../../domain/statement.ts";
import type { CsvProfile } from "../../domain/statement-csv.ts";
import { lineKeys } from "../../domain/statement-line.ts";
import type { NewSection } from "./import-queries.ts";
import type { LineName } from "./line-queries.ts";
import { readStatement } from "./read-statement.ts";

/** A file as it was brought. */
export interface BroughtFile {
  readonly bytes: Uint8Array;
  /** Whose account it is, where it names none. */
  readonly requisiteId: string | null;
  readonly profile: CsvProfile | undefined;
}

/** A line of booked money on an account of ours. */
export interface ReadLine extends LineName {
  readonly row: number;
  /** Which document it is, where the file tells. */
  readonly identity: string | null;
  readonly currency: string;
  readonly direction: "in" | "out";
  readonly day: string;
  readonly madeAt: string;
  readonly amountMinor: bigint;
  readonly number: string | null;
  readonly party: string | null;
  readonly purpose: string | null;
  readonly kind: "money" | "charge" | "internal" | "reversal";
  /** What may name a payout; kept nowhere. */
  readonly words: readonly string[];
}

type ReadSection = Omit<NewSection, "import_id" | "place"> & { readonly currency: string };

/** All that reading a file depends on. */
export interface Reading extends BroughtFile {
  /** Every account of ours, and whose it is. */
  readonly accounts: ReadonlyMap<string, string>;
  readonly timeZone: string;
  /** Whoever only wants to know whether it can be read need not carry them. */
  readonly wantsLines: boolean;
}

export interface ReadImport {
  readonly format: string;
  /** How many lines there are, also where they were not asked for. */
  readonly lineCount: number;
  readonly sections: readonly ReadSection[];
  readonly lines: readonly ReadLine[];
  readonly pendingLines: number;
}

export function readFile({
  bytes,
  requisiteId: given,
  profile,
  accounts,
  timeZone,
}: Reading): ReadImport {
  const { format, sections } = readStatement(bytes, profile);
  const owned = sections.map((section) => ({
    section,
    requisiteId: ownerOf(section, accounts, given),
  }));
  const zone = momentFormat(timeZone);
  const byRequisite = Map.groupBy(owned, ({ requisiteId }) => requisiteId);
  const lines = [...byRequisite].flatMap(([requisiteId, own]) => {
    const booked = own.flatMap(({ section }) =>
      section.lines
        .filter(({ status }) => status === "booked")
        .map((line) => ({ line, currency: section.currency })),
    );
    const keys = lineKeys(
      booked.map(({ line }) => line),
      (text) => hash("sha256", text),
    );
    return booked.map(({ line, currency }, index): ReadLine => {
      const name = keys[index] ?? { key: "", ordinal: 0, identity: null };
      return { ...read(line, accounts, zone), requisiteId, currency, format, ...name };
    });
  });
  const all = sections.reduce((count, section) => count + section.lines.length, 0);
  return {
    ...{ format, lines, lineCount: lines.length, pendingLines: all - lines.length },
    sections: owned.map(({ section, requisiteId }, index) => ({
      ...{ number: index + 1, requisite_id: requisiteId, format },
      currency: section.currency,
      ...{ from_day: section.from, to_day: section.to },
      ...{ opening_minor: section.openingMinor, closing_minor: section.closingMinor },
      ...{ in_minor: sumOf(section.lines, "in"), out_minor: sumOf(section.lines, "out") },
    })),
  };
}

function ownerOf(
  { account }: StatementSection,
  accounts: ReadonlyMap<string, string>,
  requisiteId: string | null,
): string {
  if (account === null) {
    if (requisiteId === null) throw new Refusal("statement_needs_requisite");
    return requisiteId;
  }
  const owner = accounts.get(account);
  if (owner === undefined) {
    throw new Refusal("statement_foreign_account", { account: maskNumber(account) });
  }
  if (requisiteId !== null && requisiteId !== owner) {
    throw new Refusal("statement_other_requisite", { account: maskNumber(account) });
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
  const madeAt = line.time === null ? day : momentOf(day, line.time, zone);
  return {
    ...{ row, direction, day, madeAt, amountMinor, kind: kindOf(line, accounts) },
    number: masked(number),
    party: masked([party.name, party.inn].filter((one) => one !== null).join(" ")),
    purpose: masked(line.purpose),
    words: payoutWords(`${number ?? ""} ${line.purpose}`.slice(0, LONGEST_TEXT)),
  };
}

function kindOf(line: StatementLine, accounts: ReadonlyMap<string, string>): ReadLine["kind"] {
  if (line.party.account !== null && accounts.has(line.party.account)) return "internal";
  if (line.isReversal) return "reversal";
  return line.isCharge ? "charge" : "money";
}

function masked(text: string | null): string | null {
  return text === null || text === "" ? null : maskNumbers(text.slice(0, LONGEST_TEXT));
}

/** As exact as it is written, in UTC. */
function momentOf(day: string, time: string, zone: MomentFormat): string {
  const [hours = 0, minutes = 0, seconds] = time.split(":").map(Number);
  const at = addSeconds(zone.startOf(day), hours * 3600 + minutes * 60 + (seconds ?? 0));
  return `${at.toISOString().slice(0, seconds === undefined ? 16 : 19)}Z`;
}
