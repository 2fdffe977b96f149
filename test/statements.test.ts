// Statements of banks, read from files: whatever is written is read again; whatever is cut, wrong or
// hostile is refused whole, with its row; and nothing takes long.

import assert from "node:assert/strict";
import { isAscii, isUtf8 } from "node:buffer";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { encodeText, TEXT_ENCODINGS } from "../src/domain/encoding.ts";
import { toDecimalText } from "../src/domain/money.ts";
import { Refusal } from "../src/domain/refusal.ts";
import type { Statement, StatementLine } from "../src/domain/statement.ts";
import type { CsvProfile } from "../src/domain/statement-csv.ts";
import { readStatement } from "../src/features/intake/read-file.ts";
import { type WrittenFormat, writeStatement } from "../src/features/sandbox/statement-writers.ts";
import { checkProperty } from "./property.ts";
import { anySections, FORMATS } from "./statement-arbitrary.ts";
import { threadMs } from "./thread-time.ts";

const CORPUS = join(import.meta.dirname, "corpus/statements");
const samples = new Map(
  readdirSync(CORPUS).map((name) => [name, readFileSync(join(CORPUS, name), "utf8")]),
);
const sample = (name: string): string => samples.get(name) ?? assert.fail(name);

const bytesOf = (text: string): Uint8Array => Buffer.from(text);

/** What is written, and what is read of it but for its rows. */
interface Told {
  readonly format: Statement["format"];
  readonly sections: readonly Omit<Statement["sections"][number], "row">[];
}

const withoutRows = ({ format, sections }: Statement): Told => ({
  format,
  sections: sections.map(({ row: _row, ...section }) => ({
    ...section,
    lines: [...section.lines].map((line): StatementLine => ({ ...line, row: 0 })),
  })),
});

/** What the file says, or why it is refused. */
function read(file: Uint8Array | string): Statement | Refusal {
  try {
    return readStatement(typeof file === "string" ? bytesOf(file) : file);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function assertRefused(file: Uint8Array | string, code: string, row?: number): void {
  const refusal = read(file);
  assert.ok(refusal instanceof Refusal, `not refused, but should be: ${code}`);
  assert.equal(refusal.code, code, refusal.words("en"));
  if (row !== undefined) assert.equal(refusal.params["row"], String(row), refusal.words("en"));
  for (const language of ["en", "ru"] as const) {
    assert.doesNotMatch(refusal.words(language), /[{}]/);
  }
}

/** One line of text for a section, and one for each of its lines. */
function told({ sections }: Told): string[] {
  const or = (value: string | null) => value ?? "-";
  const money = (minor: bigint | null) => (minor === null ? "-" : toDecimalText(minor));
  return sections.flatMap((section) => [
    `${or(section.account)} ${section.currency} ${section.from}..${section.to} ${money(section.openingMinor)}..${money(section.closingMinor)}`,
    ...[...section.lines].map((line) =>
      [
        `  ${line.row}`,
        line.direction,
        line.status,
        line.day,
        or(line.time),
        money(line.amountMinor),
        or(line.number),
        or(line.bankId),
        or(line.party.account),
        or(line.party.name),
        or(line.party.inn),
        line.purpose,
        line.isReversal ? "reversal" : "",
        line.isCharge ? "charge" : "",
      ].join("|"),
    ),
  ]);
}

const OWN: CsvProfile = {
  delimiter: "\t",
  dateForm: "yyyy-mm-dd",
  date: "Дата",
  id: "Ид",
  number: "Номер",
  sums: {
    unsigned: "Сумма",
    direction: "Направление",
    inWords: ["приход"],
    outWords: ["расход"],
  },
  partyName: "Кому",
  partyAccount: "Счёт",
  partyInn: "ИНН",
  purpose: ["Назначение"],
};

const SAMPLES: Readonly<Record<string, readonly [format: string, ...lines: string[]]>> = {
  "1c-day-by-day.txt": [
    "1c",
    "40802810000000000017 RUB 2026-11-14..2026-11-14 1000.00..2220.50",
    '  31|in|booked|2026-11-14|12:34:56|1020.50|17|-|40817810000000000101|ООО "Ромашка и Ко"|7700000005|Оплата по договору № 5=а; сумма = 1020,50||',
    "  47|in|booked|2026-11-14|-|500.00|17|-|40817810000000000102|Сорокина Вера|-|За книги, спасибо||",
    "  62|out|booked|2026-11-14|-|300.00|9001|-|70601810000000000001|Песочница банка|-|Комиссия за ведение счета||charge",
    "40802810000000000017 RUB 2026-11-15..2026-11-15 2220.50..2720.50",
    "  73|in|booked|2026-11-15|-|500.00|18|-|40817810000000000103|-|-|||",
  ],
  "1c-two-accounts.txt": [
    "1c",
    "40802810000000000017 RUB 2026-11-14..2026-11-14 100.00..-50.00",
    "  21|out|booked|2026-11-14|-|150.00|1|-|40802810000000000025|-|-|Перевод между своими счетами||",
    "40802810000000000025 RUB 2026-11-14..2026-11-14 0.00..250.00",
    "  21|in|booked|2026-11-14|-|150.00|1|-|40802810000000000017|-|-|Перевод между своими счетами||",
    "  29|in|booked|2026-11-14|-|100.00|2|-|40817810000000000101|-|-|Оплата||",
    "40802810000000000033 RUB 2026-11-14..2026-11-14 -..-",
  ],
  "tbank.csv": [
    "csv-tbank",
    "- RUB 2026-11-15..2026-11-15 -..-",
    "  2|in|booked|2026-11-15|23:59:58|1020.00|-|-|-|-|-|Вера С.||",
    '  3|in|booked|2026-11-15|12:00:01|500.00|-|-|-|-|-|Пополнение "Магазин; книги"||',
    '  4|in|booked|2026-11-15|12:00:01|500.00|-|-|-|-|-|Пополнение "Магазин; книги"||',
    "  5|out|failed|2026-11-15|09:10:11|42.00|-|-|-|-|-|Кофейня||",
    "  6|out|booked|2026-11-15|09:05:00|1000.10|-|-|-|-|-|Cafe||",
  ],
  "tbank-2026.csv": [
    "csv-tbank",
    "- RUB 2026-11-15..2026-11-15 -..-",
    "  2|in|booked|2026-11-15|10:03:12|1020.00|-|-|-|-|-|Вера С. За книги||",
    "  3|out|failed|2026-11-15|10:00:00|100.00|-|-|-|-|-|Такси||",
  ],
  "alfa.csv": [
    "csv-alfa",
    "40817810000000000041 RUB 2026-11-15..2026-11-15 -..-",
    "  2|in|booked|2026-11-15|-|1020.50|-|-|-|Вера С.|-|Перевод, за книги||",
    "  3|out|pending|2026-11-15|-|300.00|-|-|-|ГОРОД\\КАФЕ|-|||",
    "40817810000000000058 RUB 2026-11-13..2026-11-14 -..-",
    "  4|out|booked|2026-11-14|-|3000.00|-|-|-|Пётр К.|-|Перевод денежных средств||",
    "  5|out|failed|2026-11-13|-|100.00|-|-|-|Пётр К.|-|||",
  ],
  "alfa-old.csv": [
    "csv-alfa-old",
    "40817810000000000041 RUB 2026-11-14..2026-11-15 -..-",
    "  2|in|booked|2026-11-15|-|1020.50|-|C021511260000001|-|-|-|Внутрибанковский перевод между счетами, СОРОКИНА В. С.||",
    "  3|out|pending|2026-11-15|-|300.00|-|-|-|-|-|220015++++++0001 КАФЕ||",
    "  4|out|booked|2026-11-14|-|99.90|-|CRD_5XX001|-|-|-|220015++++++0001 КНИГИ||",
  ],
  "raiffeisen.csv": [
    "csv-raiffeisen",
    "- RUB 2026-11-14..2026-11-15 -..-",
    "  2|in|booked|2026-11-15|-|1020.50|-|-|-|-|-|Перевод СБП от ВЕРА С||",
    "  3|out|booked|2026-11-14|-|99.90|-|-|-|-|-|CARD **0001 KNIGI||",
  ],
  "own.csv": [
    "csv-own",
    "- RUB 2026-11-15..2026-11-15 -..-",
    "  2|in|booked|2026-11-15|10:11|1020.50|17|OP-1|40817810000000000101|Вера С.|770000000512|За книги||",
    "  3|out|booked|2026-11-15|10:12:13|99.90|18|OP-2|40817810000000000102|Пётр К.|-|Возврат||",
  ],
  "camt053.xml": [
    "camt053",
    "40702810000000000066 RUB 2026-11-14..2026-11-15 -100.00..1385.00",
    "  11|in|booked|2026-11-15|-|400.00|E-1|BATCH-7#1|40817810000000000101|Сорокина & дочь|-|За книги||",
    "  11|in|booked|2026-11-15|-|600.00|-|BATCH-7#2|-|Ветров|770000000512|За чай <зелёный>||",
    "  31|in|booked|2026-11-15|18:01:02|500.00|E-3|T-1|-|-|-|Первый||",
    "  39|out|booked|2026-11-15|-|10.00|-|R-1|-|-|-||reversal|",
    "  43|out|booked|2026-11-14|-|5.00|-|F-1|-|-|-|Комиссия||charge",
  ],
  "camt052.xml": [
    "camt053",
    "RU0204452560040702810412345678901 RUB 2026-11-15..2026-11-15 -..-",
    "  5|in|pending|2026-11-15|-|20.00|-|-|-|Ветров|-|||",
  ],
  "mt940.sta": [
    "mt940",
    "40702810000000000066 RUB 2025-12-30..2026-01-02 1000.00..1390.00",
    "  6|in|booked|2025-12-30|-|500.25|INV-17|BR-0001|40817810000000000101|Sorokina Vera|-|Za knigi i chaj||",
    "  10|out|booked|2026-01-02|-|100.50|-|-|40817810000000000102|Vetrov|-|Vozvrat||",
    "  12|out|booked|2026-01-02|-|0.75|-|BR-0003|-|-|-|Storno|reversal|",
    "  14|out|booked|2026-01-02|-|9.00|-|-|-|-|-|Komissija za vedenie||charge",
  ],
};

describe("samples of every format", () => {
  for (const [name, [format, ...lines]] of Object.entries(SAMPLES)) {
    it(name, () => {
      const statement = readStatement(bytesOf(sample(name)), name === "own.csv" ? OWN : undefined);
      assert.deepEqual([statement.format, ...told(statement)], [format, ...lines]);
    });
  }
});

describe("what is written is read again", () => {
  for (const format of FORMATS) {
    it(`${format}: every field that the format has`, () => {
      checkProperty(
        fc.property(
          anySections(format),
          fc.constantFrom(...TEXT_ENCODINGS),
          (sections, encoding) => {
            // Only the exchange format has a header that tells the two old encodings apart.
            fc.pre(format === "1c" || encoding !== "ibm866");
            const statement = { format, sections };
            const bytes = writeStatement(statement, encoding);
            // A few letters of an old encoding can be UTF-8 by chance, and then nobody can tell.
            fc.pre(encoding === "utf-8" || isAscii(bytes) || !isUtf8(bytes));
            assert.deepEqual(withoutRows(readStatement(bytes)), statement);
          },
        ),
      );
    });
  }
});

/** A sample in each encoding, with a header that says each. */
function* writings(text: string): Generator<[name: string, bytes: Uint8Array]> {
  for (const word of ["Windows", "DOS", "UTF-8", ""]) {
    const said = text.replace("Кодировка=Windows", `Кодировка=${word}`);
    for (const encoding of TEXT_ENCODINGS) {
      yield [`${encoding} that says ${word}`, encodeText(said, encoding)];
    }
    yield [`UTF-8 with a mark that says ${word}`, bytesOf(`\ufeff${said}`)];
    yield [`UTF-16 that says ${word}`, Buffer.from(`\ufeff${said}`, "utf16le")];
  }
}

it("35. cp1251, cp866, UTF-8 with and without BOM, a header that lies in each way: equal lines", () => {
  const text = sample("1c-day-by-day.txt");
  for (const [name, bytes] of writings(text)) {
    assert.deepEqual(told(readStatement(bytes)), SAMPLES["1c-day-by-day.txt"]?.slice(1), name);
  }
  for (const name of ["tbank.csv", "tbank-2026.csv", "alfa-old.csv", "raiffeisen.csv"]) {
    const bytes = encodeText(sample(name), "windows-1251");
    assert.deepEqual(told(readStatement(bytes)), SAMPLES[name]?.slice(1), name);
    const marked = bytesOf(`\ufeff${sample(name)}`);
    assert.deepEqual(told(readStatement(marked)), SAMPLES[name]?.slice(1), name);
  }
  for (const damaged of ["\0", "\x1b", "\x7f", "\u0098"]) {
    assertRefused(text.replace("Оплата", damaged), "statement_undecodable", 45);
  }
  const wrong = Buffer.from(encodeText(text, "windows-1251"));
  wrong[wrong.length - 30] = 0x98;
  assertRefused(wrong, "statement_undecodable");
  assertRefused(Buffer.from([0xff, 0xfe, 0x31, 0x00, 0x43]), "statement_undecodable", 1);
});

it("36. CRLF, LF, blank lines, spaces and = in the purpose: equal lines", () => {
  const text = sample("1c-day-by-day.txt");
  const wanted = withoutRows(readStatement(bytesOf(text)));
  for (const written of [
    text.replaceAll("\n", "\r\n"),
    text.replaceAll("\n", "\n\n"),
    text.replaceAll("\n", " \r\n \r\n"),
    text.replaceAll(/^([^=\n]+)=/gm, " $1 = "),
    text.replace(/\n$/, ""),
  ]) {
    assert.deepEqual(withoutRows(readStatement(bytesOf(written))), wanted);
  }
  // A section that does not say where it ends: what is of a later one's days is of that one.
  const endless = readStatement(bytesOf(text.replace("\nДатаКонца=14.11.2026", "")));
  assert.deepEqual(
    withoutRows(endless).sections.map(({ lines }) => lines),
    wanted.sections.map(({ lines }) => lines),
  );
  for (const name of Object.keys(SAMPLES).filter((one) => !/own|1c/.test(one))) {
    const crlf = bytesOf(sample(name).replaceAll("\n", "\r\n"));
    assert.deepEqual(told(readStatement(crlf)), SAMPLES[name]?.slice(1), name);
  }
});

it("36. CR alone ends a line as well, where the file has no other line ends", () => {
  for (const name of ["1c-day-by-day.txt", "mt940.sta"]) {
    const cr = bytesOf(sample(name).replaceAll("\n", "\r"));
    assert.deepEqual(told(readStatement(cr)), SAMPLES[name]?.slice(1), name);
  }
});

it("a 1C file of which no word can be read is not told to be cut: it is of an unknown encoding", () => {
  // Letters of KOI8-R as windows-1251 shows them: no key of the format is among them.
  const koi8 = sample("1c-day-by-day.txt").replaceAll(/[а-яё]/gi, (letter) =>
    String.fromCharCode(0x430 + ((letter.charCodeAt(0) * 7 + 5) % 32)),
  );
  assertRefused(encodeText(koi8, "windows-1251"), "statement_unreadable");
  for (const cut of [
    "1CClientBankExchange",
    "1CClientBankExchange\r\nВерси",
    "1CClientBankExchange\r\nВерсияФормата=1.03\r\nКод",
  ]) {
    assertRefused(cut, "statement_cut");
  }
});

/** Behind which bytes a shorter file is whole: a message's end, a CSV's row. */
function isWholeBehind(format: WrittenFormat, text: string, statement: Told): boolean {
  // The end mark stands without the line's end as well.
  if (format === "1c") return /КонецФайла\r?$/.test(text);
  if (format === "mt940") return /\n-\}(?:\r|\r\n)?$/.test(text);
  const rows = statement.sections.flatMap(({ lines }) => [...lines]).length + 1;
  return format.startsWith("csv") && text.endsWith('"\r\n') && text.split("\n").length <= rows + 1;
}

function assertCut(format: WrittenFormat, statement: Told, bytes: Uint8Array, at: number): void {
  const part = bytes.subarray(0, at);
  const outcome = read(part);
  const isWhole = isWholeBehind(format, Buffer.from(part).toString(), statement);
  const message = `${format}, cut behind ${at} of ${bytes.length} bytes`;
  assert.equal(outcome instanceof Refusal, !isWhole, message);
  if (outcome instanceof Refusal) return;
  const all = told(statement).filter((line) => line.startsWith(" "));
  const left = told(withoutRows(outcome)).filter((line) => line.startsWith(" "));
  assert.deepEqual(left, all.slice(0, left.length), message);
  if (format === "1c") assert.equal(left.length, all.length, message);
}

describe("37. a file cut at every byte is refused, and nothing of it is kept", () => {
  for (const format of FORMATS) {
    it(`${format}: but for a cut exactly behind a row of a CSV or a message, which nobody can see`, () => {
      const sections = anySections(format);
      const [small = []] = fc.sample(
        sections.filter((all) => all.flatMap(({ lines }) => lines).length === 2),
        { numRuns: 1, seed: 37 },
      );
      const statement = { format, sections: small };
      const bytes = writeStatement(statement, "utf-8");
      for (let at = 0; at < bytes.length; at += 1) assertCut(format, statement, bytes, at);
      checkProperty(
        fc.property(sections, fc.double({ min: 0, max: 1, noNaN: true }), (some, share) => {
          const one = { format, sections: some };
          const written = writeStatement(one, "utf-8");
          assertCut(format, one, written, Math.floor(share * (written.length - 1)));
        }),
      );
    });
  }

  it("says what is missing", () => {
    const exchange = sample("1c-day-by-day.txt");
    assertRefused(exchange.replace("КонецФайла\n", ""), "statement_cut", 80);
    assertRefused(
      exchange.replace("КонецДокумента\nКонецФайла", "КонецФайла"),
      "statement_malformed",
      80,
    );
    assertRefused(exchange.replace("КонецРасчСчет\n\n", "\n"), "statement_malformed", 30);
    assertRefused(`${exchange}Номер=1\n`, "statement_malformed", 82);
    assertRefused(sample("tbank.csv").trimEnd(), "statement_cut", 7);
    assertRefused(sample("alfa.csv").replace(",,\n13", ",\n13"), "statement_columns", 4);
    assertRefused(`${sample("alfa.csv")}"15.11.2026\n`, "statement_cut", 6);
    assertRefused(sample("camt053.xml").replace("</b:Document>", ""), "statement_cut");
    assertRefused(sample("mt940.sta").replace(/:62F:.*\n/, ""), "statement_cut");
    assertRefused(sample("mt940.sta").replace("-}\n", ""), "statement_cut");
    assertRefused(sample("mt940.sta").replace(":62F:", ":62M:"), "statement_cut");
    const plain = sample("mt940.sta")
      .replace(/^\{.*\n/, "")
      .replace(/:64:[\s\S]*/, "");
    assert.equal(told(readStatement(bytesOf(plain))).length, 5, "blocks are not needed");
    assertRefused(plain.slice(0, -2), "statement_cut", 16);
  });
});

it("38. a closing balance off by 0.01 is refused, and so are totals", () => {
  for (const [name, right, wrong, code, row] of [
    ["1c-day-by-day.txt", "КонечныйОстаток=2220.50", "КонечныйОстаток=2220.51", "unbalanced", 16],
    ["1c-day-by-day.txt", "НачальныйОстаток=2220.50", "НачальныйОстаток=2220.49", "unbalanced", 25],
    ["1c-day-by-day.txt", "Поступило=1520.5", "Поступило=1520.51", "totals", 16],
    ["1c-day-by-day.txt", "Списано=300", "Списано=300.01", "totals", 16],
    ["1c-two-accounts.txt", "Остаток=-50.00", "Остаток=50.00", "unbalanced", 10],
    ["camt053.xml", "1385.00", "1385.01", "unbalanced", 5],
    ["mt940.sta", ":62F:C260102RUB1390,00", ":62F:C260102RUB1390,01", "unbalanced", 2],
  ] as const) {
    assertRefused(sample(name).replace(right, wrong), `statement_${code}`, row);
  }
  // What is not booked is in no sum.
  const entry = /<b:Ntry>[\s\S]*?<\/b:Ntry>/.exec(sample("camt053.xml"))?.[0] ?? "";
  const pending = sample("camt053.xml").replace(entry, entry + entry.replace("BOOK", "PDNG"));
  assert.equal(told(readStatement(bytesOf(pending))).length, 8);
  const [camt = []] = fc.sample(anySections("camt053"), { numRuns: 1, seed: 38 });
  const written = Buffer.from(writeStatement({ format: "camt053", sections: camt })).toString();
  assertRefused(written.replace(/<Sum>(\d+)/, "<Sum>1$1"), "statement_totals");
});

it("a sum's spaces stand between thousands, of whatever kind; anywhere else they refuse the file", () => {
  const amounts = (sum: string) =>
    sample("1c-day-by-day.txt").replace("Сумма=1020.50", `Сумма=${sum}`);
  for (const space of [" ", "\u00a0", "\u2007", "\u2009", "\u202f"]) {
    const [line] = readStatement(bytesOf(amounts(`1${space}020.50`))).sections[0]?.lines ?? [];
    assert.equal(line?.amountMinor, 102_050n);
    for (const sum of [
      "10 20.50",
      "1 020 .50",
      "1 020.5 0",
      "1  020.50",
      "1 0 2 0.50",
      "102 0.50",
    ]) {
      assertRefused(amounts(sum.replaceAll(" ", space)), "statement_amount", 34);
    }
  }
  const csv = sample("tbank.csv");
  for (const sum of ["-10 00,10", "-1 0 0 0,10", "-1 000,1 0"]) {
    assertRefused(csv.replace("-1 000,10", sum), "statement_amount", 6);
  }
  // No database holds more than sixteen digits.
  assertRefused(amounts("999 999 999 999 999 999"), "statement_amount", 34);
});

it("the same message twice in one file is refused, by the row where it begins again", () => {
  const text = sample("mt940.sta");
  assertRefused(text + text, "statement_overlapping", text.split("\n").length + 1);
});

it("49. 9007199254740993.27 is exact in every format", () => {
  const amountMinor = 900_719_925_474_099_327n;
  for (const format of FORMATS) {
    const [found = []] = fc.sample(
      anySections(format).filter((all) => all.some(({ lines }) => lines.length > 0)),
      { numRuns: 1, seed: 49 },
    );
    const [section] = found.filter(({ lines }) => lines.length > 0);
    const [line] = section?.lines ?? [];
    assert.ok(section !== undefined && line !== undefined);
    const large: StatementLine = {
      ...line,
      amountMinor,
      direction: "in",
      status: "booked",
      isCharge: false,
    };
    const closingMinor = section.openingMinor === null ? null : amountMinor + 1n;
    const openingMinor = section.openingMinor === null ? null : 1n;
    const one = { ...section, openingMinor, closingMinor, lines: [large] };
    const [again] = readStatement(writeStatement({ format, sections: [one] })).sections;
    const [exact] = again?.lines ?? [];
    assert.equal(exact?.amountMinor, amountMinor, format);
  }
});

it("50. 31.09.2026, and every other date, time, sum or word that cannot be, is refused by its row", () => {
  const cases: readonly [name: string, right: string, wrong: string, code: string, row: number][] =
    [
      [
        "1c-day-by-day.txt",
        "Поступило=14.11.2026\nНазначениеПлатежа=",
        "Поступило=31.09.2026\nНазначениеПлатежа=",
        "date",
        44,
      ],
      ["1c-day-by-day.txt", "12:34:56", "24:00:00", "date", 36],
      ["1c-day-by-day.txt", "Сумма=1020.50", "Сумма=1,020.50", "amount", 34],
      ["1c-day-by-day.txt", "Сумма=1020.50", "Сумма=-1020.50", "amount", 34],
      ["1c-day-by-day.txt", "Сумма=1020.50", "Сумма=1020.50\nСумма=9020.50", "malformed", 35],
      [
        "1c-day-by-day.txt",
        "РасчСчет=40802810000000000017\nПолуч",
        "РасчСчет=40802810000000000018\nПолуч",
        "not_own",
        31,
      ],
      ["1c-day-by-day.txt", "Дата=15.11.2026", "Дата=16.11.2026", "outside", 75],
      ["tbank.csv", "15.11.2026 23:59:58", "31.09.2026 23:59:58", "date", 2],
      ["tbank.csv", '"FAILED"', '"ГОТОВО"', "word", 5],
      ["tbank.csv", '"-1 000,10"', '"-1 000,105"', "amount", 6],
      ["tbank.csv", '"1020,00";"RUB";"";', '"1020,00";"рубли";"";', "word", 2],
      ["alfa.csv", "1020.5,", "-1020.5,", "amount", 2],
      ["alfa-old.csv", "1020,5;0", "1020,5;1", "amount", 2],
      ["raiffeisen.csv", "14.11.2026", "30.02.2026", "date", 3],
      [
        "camt053.xml",
        "<b:Dt>2026-11-15</b:Dt></b:BookgDt>",
        "<b:Dt>2026-09-31</b:Dt></b:BookgDt>",
        "date",
        11,
      ],
      ["camt053.xml", "<b:Sts>BOOK", "<b:Sts>GONE", "word", 11],
      ["camt053.xml", 'Ccy="RUB">500.00', 'Ccy="EUR">500.00', "word", 5],
      ["camt053.xml", "500.00", "5e2", "amount", 31],
      ["mt940.sta", ":61:2601020102D9,", ":61:2602300102D9,", "date", 14],
      ["mt940.sta", "D9,NCHG", "D9,001NCHG", "malformed", 14],
    ];
  for (const [name, right, wrong, code, row] of cases) {
    const text = sample(name);
    assert.ok(text.includes(right), `${name}: ${right}`);
    assertRefused(text.replace(right, wrong), `statement_${code}`, row);
  }
});

it("an entry of camt whose parts do not add up to it stays whole", () => {
  const text = sample("camt053.xml").replace('Ccy="RUB">600.00', 'Ccy="RUB">599.99');
  const [line, ...others] = readStatement(bytesOf(text)).sections[0]?.lines ?? [];
  assert.deepEqual([line?.amountMinor, line?.bankId, others.length], [100_000n, "BATCH-7", 3]);
});

it("a file of no known format is refused, with its beginning shown", () => {
  for (const [file, header] of [
    ["", ""],
    ["%PDF-1.7\n", "%PDF-1.7"],
    ["Дата;Сумма\n", "Дата;Сумма"],
    ["x".repeat(500), `${"x".repeat(100)}…`],
  ] as const) {
    const refusal = read(file);
    assert.ok(refusal instanceof Refusal && refusal.code === "statement_unknown", file);
    assert.equal(refusal.params["header"], header);
  }
});

it("a file that was damaged anywhere is read or refused, and nothing else becomes of it", () => {
  const names = Object.keys(SAMPLES);
  const damage = fc.oneof(
    fc.string({ unit: "binary", maxLength: 8 }),
    fc.constantFrom("\n", '"', ";", "=", "<", "\n:61:", "toString", "constructor", "__proto__"),
  );
  checkProperty(
    fc.property(
      fc.constantFrom(...names),
      fc.nat(),
      fc.nat(8),
      damage,
      (name, at, length, piece) => {
        const text = sample(name);
        const from = at % text.length;
        read(text.slice(0, from) + piece + text.slice(from + length));
      },
    ),
    { numRuns: 300 },
  );
  checkProperty(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void read(bytes)));
});

/** Half of what the door takes: whatever is not linear would take minutes here as well. */
const LARGEST = 4 * 1024 * 1024;

/** As many of the unit as make a file of that size. */
const filled = (head: string, unit: string, tail = ""): Buffer => {
  const room = LARGEST - Buffer.byteLength(head + tail);
  return Buffer.from(head + unit.repeat(Math.floor(room / Buffer.byteLength(unit))) + tail);
};

it("51. megabytes of anything, in one line or a million, are read or refused in a moment", () => {
  const exchange = `1CClientBankExchange\nДатаНачала=01.01.2026\nРасчСчет=1\n`;
  const [csv = ""] = sample("tbank.csv").split(/(?<=\n)/);
  const report = "<Document><BkToCstmrStmt><Stmt><CreDtTm>2026-01-01</CreDtTm>";
  const closed = "</Stmt></BkToCstmrStmt></Document>";
  const message = ":20:1\n:25:1\n:60F:C260101RUB0,\n";
  const end = ":62F:C260101RUB0,\n";
  const files: Readonly<Record<string, readonly [file: Buffer, code: string | null]>> = {
    "one letter": [filled("", "x"), "statement_unknown"],
    "a byte that is no letter": [Buffer.alloc(LARGEST, 0x98), "statement_undecodable"],
    "1C, one line": [filled(exchange, "x"), "statement_cut"],
    "1C, accounts": [filled(exchange, "СекцияРасчСчет\nКонецРасчСчет\n"), "statement_cut"],
    "1C, empty documents": [
      filled(exchange, "СекцияДокумент\nКонецДокумента\n", "КонецФайла\n"),
      "statement_not_own",
    ],
    "CSV, one field": [filled(csv, "x", "\n"), "statement_columns"],
    "CSV, quotes": [filled(csv, '"', "\n"), "statement_cut"],
    "CSV, lines": [filled(csv, "\n"), null],
    "XML, deep": [filled(report, "<Ntry>"), "statement_malformed"],
    "XML, one text": [filled(`${report}<Id>`, "x", `</Id>${closed}`), null],
    "XML, parts": [
      filled(`${report}<Ntry>`, "<TxDtls/>", `</Ntry>${closed}`),
      "statement_too_many_lines",
    ],
    "MT940, lines": [filled(message, ":61:260101C0,NTRFX\n", end), "statement_too_many_lines"],
    "MT940, messages": [filled("", message + end), "statement_too_many_sections"],
    "MT940, slashes": [
      filled(message, `:61:260101C0,NTRFX\n:86:/REMI/${"/".repeat(3_900)}x\n`, end),
      null,
    ],
  };
  const before = process.memoryUsage.rss();
  for (const [name, [file, code]] of Object.entries(files)) {
    const took = threadMs(() => {
      const outcome = read(file);
      assert.equal(outcome instanceof Refusal ? outcome.code : null, code, name);
    });
    // About 0.5 s at most where nothing else runs.
    assert.ok(took < 10_000, `${name} took ${Math.round(took)} ms`);
  }
  const grownMb = (process.memoryUsage.rss() - before) / 2 ** 20;
  assert.ok(grownMb < 300, `memory grew by ${Math.round(grownMb)} MiB`);
});

it("52. an XML bomb, a document type and entities are refused", () => {
  const text = sample("camt053.xml");
  const [head = "", ...body] = text.split("\n");
  const nested = Array.from({ length: 20 }, (_, n) => `<!ENTITY e${n + 1} "&e${n};&e${n};">`);
  const bomb = `<!DOCTYPE b:Document [<!ENTITY e0 "lol">${nested.join("")}]>`;
  assertRefused(
    [head, bomb, ...body].join("\n").replace("Ветров", "&e20;"),
    "statement_doctype",
    2,
  );
  const foreign = '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>';
  assertRefused(
    [head, foreign, ...body].join("\n").replace("Ветров", "&x;"),
    "statement_doctype",
    2,
  );
  assertRefused(
    [head, '<!DOCTYPE d SYSTEM "http://127.0.0.1/">', ...body].join("\n"),
    "statement_doctype",
    2,
  );
  assertRefused(text.replace("Ветров", "&nbsp;"), "statement_malformed", 26);
  assertRefused(text.replace("</b:Stmt>", "</b:Smt>"), "statement_malformed");
});

it("53. MT940 :61:2601011230 is 30.12.2025", () => {
  const text = sample("mt940.sta");
  for (const [date, day] of [
    ["2601011230", "2025-12-30"],
    ["2802280229", "2028-02-29"],
    ["2601020102", "2026-01-02"],
    ["260102", "2026-01-02"],
  ] as const) {
    const [section] = readStatement(bytesOf(text.replace("2601011230", date))).sections;
    const [line] = section?.lines ?? [];
    assert.equal(line?.day, day, date);
  }
});

it("a 1C section that names no account is of the only one in the header; one that stands there empty is none", () => {
  const read = (text: string) => told(readStatement(bytesOf(text)));
  const text = sample("1c-day-by-day.txt");
  const [header = "", ...sections] = text.split("СекцияРасчСчет");
  const account = "РасчСчет=40802810000000000017";
  const bare = sections.map((section) => section.replace(account, ""));
  assert.deepEqual(read([header, ...bare].join("СекцияРасчСчет")), read(text));
  const unnamed = header.replace(account, "РасчСчет=");
  assert.deepEqual(read([unnamed, ...sections].join("СекцияРасчСчет")), read(text));
});
