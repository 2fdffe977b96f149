// Statements as files, in every format that is read here: what the sandbox's bank sends. Each is the
// reading's other half, and says of a statement what its format can carry.

import { BANK_CSVS } from "../../domain/csv-profile.ts";
import { encodeText, type TextEncoding } from "../../domain/encoding.ts";
import { toDecimalText } from "../../domain/money.ts";
import {
  type StatementFormat,
  type StatementLine,
  type StatementSection,
  sumOf,
} from "../../domain/statement.ts";
import { MARK_1C } from "../../domain/statement-1c.ts";
import type { CsvProfile, CsvStatus, CsvSums } from "../../domain/statement-csv.ts";
import { writeCamt, writeMt940 } from "./message-writers.ts";

export type WrittenFormat = Exclude<StatementFormat, "csv-own">;

/** What the banks themselves write in. */
const OWN_ENCODING: Readonly<Record<WrittenFormat, TextEncoding>> = {
  "1c": "windows-1251",
  "csv-tbank": "windows-1251",
  "csv-alfa": "utf-8",
  "csv-alfa-old": "windows-1251",
  "csv-raiffeisen": "windows-1251",
  camt053: "utf-8",
  mt940: "utf-8",
};

interface WrittenStatement {
  readonly format: WrittenFormat;
  readonly sections: readonly StatementSection[];
}

export function writeStatement(
  { format, sections }: WrittenStatement,
  encoding: TextEncoding = OWN_ENCODING[format],
): Uint8Array {
  return encodeText(textOf(format, sections, encoding), encoding);
}

function textOf(
  format: WrittenFormat,
  sections: readonly StatementSection[],
  encoding: TextEncoding,
): string {
  if (format === "1c") return write1c(sections, encoding);
  if (format === "camt053") return writeCamt(sections);
  if (format === "mt940") return writeMt940(sections);
  return writeCsv(format, sections);
}

/** 31.12.2026 */
function russian(day: string): string {
  return day.split("-").toReversed().join(".");
}

const HEADER_WORDS = { "utf-8": "UTF-8", "windows-1251": "Windows", ibm866: "DOS" } as const;

function write1c(sections: readonly StatementSection[], encoding: TextEncoding): string {
  const accounts = new Set(sections.map(({ account }) => account ?? ""));
  const days = sections.flatMap(({ from, to }) => [from, to]).sort();
  const rows = [
    MARK_1C,
    "ВерсияФормата=1.03",
    `Кодировка=${HEADER_WORDS[encoding]}`,
    `ДатаНачала=${russian(days[0] ?? "")}`,
    `ДатаКонца=${russian(days.at(-1) ?? "")}`,
    ...[...accounts].map((account) => `РасчСчет=${account}`),
    ...sections.flatMap(account1c),
    ...sections.flatMap(({ account, lines }) => lines.flatMap((line) => document1c(line, account))),
    "КонецФайла",
  ];
  return rows.map((row) => `${row}\r\n`).join("");
}

function account1c(section: StatementSection): string[] {
  const { account, from, to, openingMinor, closingMinor, lines } = section;
  return [
    "СекцияРасчСчет",
    `ДатаНачала=${russian(from)}`,
    `ДатаКонца=${russian(to)}`,
    `РасчСчет=${account ?? ""}`,
    ...(openingMinor === null ? [] : [`НачальныйОстаток=${toDecimalText(openingMinor)}`]),
    `ВсегоПоступило=${toDecimalText(sumOf(lines, "in"))}`,
    `ВсегоСписано=${toDecimalText(sumOf(lines, "out"))}`,
    ...(closingMinor === null ? [] : [`КонечныйОстаток=${toDecimalText(closingMinor)}`]),
    "КонецРасчСчет",
  ];
}

function document1c(line: StatementLine, account: string | null): string[] {
  const { direction, day, time, party } = line;
  const isIn = direction === "in";
  const [own, other] = isIn ? ["Получатель", "Плательщик"] : ["Плательщик", "Получатель"];
  return [
    `СекцияДокумент=${line.isCharge ? "Банковский ордер" : "Платежное поручение"}`,
    `Номер=${line.number ?? ""}`,
    `Дата=${russian(day)}`,
    `Сумма=${toDecimalText(line.amountMinor)}`,
    ...(time === null ? [] : [`КвитанцияДата=${russian(day)}`, `КвитанцияВремя=${time}`]),
    `ДатаСписано=${isIn ? "" : russian(day)}`,
    `ДатаПоступило=${isIn ? russian(day) : ""}`,
    `${own}Счет=${account ?? ""}`,
    `${other}Счет=${party.account ?? ""}`,
    `${other}ИНН=${party.inn ?? ""}`,
    `${other}1=${party.name ?? ""}`,
    `НазначениеПлатежа=${line.purpose}`,
    "КонецДокумента",
  ];
}

function writeCsv(format: WrittenFormat, sections: readonly StatementSection[]): string {
  const bank = BANK_CSVS.find((one) => one.format === format);
  if (bank === undefined) throw new Error(`No CSV is called ${format}.`);
  const { header, profile } = bank;
  const rows = sections.flatMap((section) =>
    section.lines.map((line) => {
      const cells = cellsOf(profile, section, line);
      return header.map((name) => cells[name] ?? "");
    }),
  );
  const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
  const written = [header, ...rows].map((row) => row.map(quoted).join(profile.delimiter));
  return written.map((row) => `${row}\r\n`).join("");
}

function cellsOf(
  profile: CsvProfile,
  { account, currency }: StatementSection,
  line: StatementLine,
): Record<string, string> {
  const { status, id, purpose = [] } = profile;
  const day = russian(line.day);
  const date = profile.dateForm === "dd.mm.yy" ? day.slice(0, 6) + day.slice(8) : day;
  return {
    [profile.date]: line.time === null ? date : `${date} ${line.time}`,
    ...sumCells(profile.sums, line),
    ...(status === undefined ? {} : { [status.column]: wordOf(status, line) }),
    ...(id === undefined || line.status !== "booked" ? {} : { [id]: line.bankId ?? "" }),
    ...(profile.account === undefined ? {} : { [profile.account]: account ?? "" }),
    ...(profile.currency === undefined ? {} : { [profile.currency]: currency }),
    ...(profile.partyName === undefined ? {} : { [profile.partyName]: line.party.name ?? "" }),
    ...(purpose[0] === undefined ? {} : { [purpose[0]]: line.purpose }),
  };
}

function wordOf(status: CsvStatus, line: StatementLine): string {
  const words = status[line.status];
  return words === "others" ? "" : (words[0] ?? "");
}

function sumCells(
  sums: CsvSums,
  { direction, amountMinor }: StatementLine,
): Record<string, string> {
  const isIn = direction === "in";
  const amount = toDecimalText(amountMinor).replace(".", ",");
  if ("signed" in sums) return { [sums.signed]: isIn ? amount : `-${amount}` };
  if ("in" in sums) return { [sums.in]: isIn ? amount : "0", [sums.out]: isIn ? "0" : amount };
  const [word = ""] = isIn ? sums.inWords : sums.outWords;
  return { [sums.unsigned]: amount, [sums.direction]: word };
}
