// Arbitrary statements, such as each format can carry: what is beyond it is said here, format by format.

import fc from "fast-check";
import { type StatementLine, type StatementSection, sumOf } from "../src/domain/statement.ts";
import type { WrittenFormat } from "../src/features/sandbox/statement-writers.ts";

export const FORMATS: readonly WrittenFormat[] = [
  ...(["1c", "csv-tbank", "csv-alfa", "csv-alfa-old", "csv-raiffeisen"] as const),
  ...(["camt053", "mt940"] as const),
];

/** Which of a line's fields a format has; what it has not is null, empty or false in all of its lines. */
interface Carries {
  readonly time?: boolean;
  readonly unbooked?: readonly StatementLine["status"][];
  readonly number?: boolean;
  readonly bankId?: boolean;
  readonly party?: readonly ("account" | "name" | "inn")[];
  readonly marks?: readonly ("isReversal" | "isCharge")[];
  /** Accounts, spans of days and balances of a section: else one section, of its lines' days. */
  readonly sections: "told" | "by account" | "of messages" | "none";
}

const CARRIES: Readonly<Record<WrittenFormat, Carries>> = {
  // A reversal is a document like any other.
  "1c": {
    time: true,
    number: true,
    party: ["account", "name", "inn"],
    marks: ["isCharge"],
    sections: "told",
  },
  "csv-tbank": { time: true, unbooked: ["pending", "failed"], sections: "none" },
  "csv-alfa": { unbooked: ["pending", "failed"], party: ["name"], sections: "by account" },
  "csv-alfa-old": { unbooked: ["pending"], bankId: true, sections: "by account" },
  "csv-raiffeisen": { time: true, sections: "none" },
  camt053: {
    time: true,
    unbooked: ["pending"],
    number: true,
    bankId: true,
    party: ["account", "name", "inn"],
    marks: ["isReversal", "isCharge"],
    sections: "told",
  },
  // No taxpayer's number; the first day is that of the first line.
  mt940: {
    unbooked: ["pending"],
    number: true,
    bankId: true,
    party: ["account", "name"],
    marks: ["isReversal", "isCharge"],
    sections: "of messages",
  },
};

const FIRST_DAY = Date.parse("2026-11-01");
const dayText = (day: number): string =>
  new Date(FIRST_DAY + day * 86_400_000).toISOString().slice(0, 10);

const digits = (length: number): fc.Arbitrary<string> =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length })
    .map((all) => all.join(""));

/** Words with whatever parts fields elsewhere; no spaces but single ones between them. */
const LETTERS = [..."абвгдеёжзийклмнопрстуфхцчшщъыьэюяАЯabcXYZ019=;,\"'<>&/:-+.№()[]{}!%*"];
const word = fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 12 });
const words = fc.array(word, { minLength: 1, maxLength: 8 }).map((all) => all.join(" "));

const amount = fc.oneof(
  fc.bigInt({ min: 1n, max: 10_000_000n }),
  fc.bigInt({ min: 1n, max: 99_999_999_999_999_999n }),
);

/** Noughts alone are no taxpayer. */
const inn = fc.oneof(digits(10), digits(12)).map((number) => `7${number.slice(1)}`);
const reference = fc.string({
  unit: fc.constantFrom(..."abXY019-"),
  minLength: 1,
  maxLength: 16,
});
const time = fc
  .tuple(
    fc.integer({ min: 0, max: 23 }),
    fc.integer({ min: 0, max: 59 }),
    fc.integer({ min: 1, max: 59 }),
  )
  .map((parts) => parts.map((part) => String(part).padStart(2, "0")).join(":"));

const orNull = <Value>(
  has: boolean | undefined,
  value: fc.Arbitrary<Value>,
): fc.Arbitrary<Value | null> => (has ? fc.option(value) : fc.constant(null));

/** Objects as everybody makes them. */
const PLAIN = { noNullPrototype: true };

function anyLine(format: WrittenFormat, day: fc.Arbitrary<number>): fc.Arbitrary<StatementLine> {
  const carries = CARRIES[format];
  const { unbooked = [], party = [], marks = [] } = carries;
  return fc
    .record(
      {
        row: fc.constant(0),
        direction: fc.constantFrom("in", "out"),
        status: fc.constantFrom("booked", "booked", ...unbooked),
        day: day.map(dayText),
        time: orNull(carries.time, time),
        amountMinor: amount,
        number: orNull(carries.number, reference),
        bankId: orNull(carries.bankId, reference),
        party: fc.record(
          {
            // A digit that no own account begins with.
            account: orNull(
              party.includes("account"),
              digits(19).map((rest) => `3${rest}`),
            ),
            name: orNull(
              party.includes("name"),
              words.map((text) => text.slice(0, 50).trim()),
            ),
            inn: orNull(party.includes("inn"), inn),
          },
          PLAIN,
        ),
        purpose: fc.oneof(fc.constant(""), words),
        isReversal: marks.includes("isReversal") ? fc.boolean() : fc.constant(false),
        isCharge: marks.includes("isCharge") ? fc.boolean() : fc.constant(false),
      },
      PLAIN,
    )
    .map((line) => possible(format, line as StatementLine));
}

/** Of what goes together nowhere, one: no reversal is pending, no fee comes in, no pending line has an id. */
function possible(format: WrittenFormat, line: StatementLine): StatementLine {
  const isBooked = line.status === "booked";
  const isCharge = line.isCharge && line.direction === "out" && isBooked;
  return {
    ...line,
    isCharge,
    isReversal: line.isReversal && isBooked,
    bankId: isBooked ? line.bankId : null,
    // In 1C's exchange a fee is one by its words.
    purpose: isCharge && format === "1c" ? `Комиссия ${line.purpose}`.trim() : line.purpose,
  };
}

/** A section of some days, each after the one before where they are of one account. */
function anySection(format: WrittenFormat, index: number): fc.Arbitrary<StatementSection> {
  const { sections } = CARRIES[format];
  const first = index * 5;
  const lines = fc.array(anyLine(format, fc.integer({ min: first, max: first + 4 })), {
    minLength: sections === "none" || sections === "by account" ? 1 : 0,
    maxLength: 6,
  });
  const account = sections === "none" ? null : index % 2 === 0 ? "4".repeat(20) : "5".repeat(20);
  return fc.tuple(lines, fc.bigInt({ min: -1_000_000n, max: 10n ** 15n })).map(([all, opening]) => {
    const days = all.map(({ day }) => day).sort();
    const told = { from: dayText(first), to: dayText(first + 4) };
    const own = { from: days[0] ?? told.to, to: days.at(-1) ?? told.to };
    const closing = opening + sumOf(all, "in") - sumOf(all, "out");
    const knowsBalances = sections === "told" || sections === "of messages";
    return {
      account,
      currency: "RUB",
      ...(sections === "told" ? told : sections === "of messages" ? { ...own, to: told.to } : own),
      openingMinor: knowsBalances ? opening : null,
      closingMinor: knowsBalances ? closing : null,
      lines: all,
    };
  });
}

/** Rows of one account stand together in a CSV, so it has a section for each. */
export function anySections(format: WrittenFormat): fc.Arbitrary<StatementSection[]> {
  const { sections } = CARRIES[format];
  const most = sections === "none" ? 1 : sections === "by account" ? 2 : 4;
  const least = sections === "told" || sections === "of messages" ? 1 : 0;
  return fc
    .integer({ min: least, max: most })
    .chain((count) =>
      fc.tuple(...Array.from({ length: count }, (_, index) => anySection(format, index))),
    );
}
