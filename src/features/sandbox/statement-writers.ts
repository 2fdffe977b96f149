// Writes statements in every format that is read here.

import { encodeText, type TextEncoding } from "../../domain/encoding.ts";
import { toDecimalText } from "../../domain/money.ts";
import {
  type StatementFormat,
  type StatementLine,
  type StatementSection,
  sumOf,
} from "../../domain/statement.ts";
import { MARK_1C } from "../../domain/statement-1c.ts";
import {
  BANK_CSVS,
  type CsvProfile,
  type CsvStatus,
  type CsvSums,
} from "../../domain/statement-csv.ts";

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

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

function element(name: string, content: string | null, attribute = ""): string {
  return content === null ? "" : `<${name}${attribute}>${content}</${name}>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => ENTITIES[letter] ?? letter);
}

function textElement(name: string, text: string | null): string {
  return text === null || text === "" ? "" : element(name, escaped(text));
}

function amountElement(minor: bigint, currency: string): string {
  return element("Amt", toDecimalText(minor < 0n ? -minor : minor), ` Ccy="${currency}"`);
}

function markElement(isIn: boolean): string {
  return element("CdtDbtInd", isIn ? "CRDT" : "DBIT");
}

function writeCamt(sections: readonly StatementSection[]): string {
  const namespace = ' xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"';
  const reports = sections.map(report).join("\n");
  const body = element("BkToCstmrStmt", `\n${reports}\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("Document", body, namespace)}`;
}

function report(section: StatementSection, index: number): string {
  const { account, currency, from, to, openingMinor, closingMinor, lines } = section;
  const id = element("Id", account === null ? null : element("Othr", textElement("Id", account)));
  const total = (direction: "in" | "out") => element("Sum", toDecimalText(sumOf(lines, direction)));
  const parts = [
    element("Id", String(index + 1)),
    element("FrToDt", element("FrDtTm", `${from}T00:00:00`) + element("ToDtTm", `${to}T23:59:59`)),
    element("Acct", id + element("Ccy", currency)),
    balance("OPBD", openingMinor, currency, from),
    balance("CLBD", closingMinor, currency, to),
    element(
      "TxsSummry",
      element("TtlCdtNtries", total("in")) + element("TtlDbtNtries", total("out")),
    ),
    ...lines.map((line) => entry(line, currency)),
  ];
  return element("Stmt", `\n${parts.filter((part) => part !== "").join("\n")}\n`);
}

function balance(code: string, minor: bigint | null, currency: string, day: string): string {
  if (minor === null) return "";
  return element(
    "Bal",
    element("Tp", element("CdOrPrtry", element("Cd", code))) +
      amountElement(minor, currency) +
      markElement(minor >= 0n) +
      element("Dt", element("Dt", day)),
  );
}

const CAMT_STATUSES = { booked: "BOOK", pending: "PDNG", failed: "INFO" } as const;

function entry(line: StatementLine, currency: string): string {
  const { day, time, party } = line;
  const isIn = line.direction === "in";
  const side = isIn ? "Dbtr" : "Cdtr";
  const number = party.inn === null ? null : element("Othr", textElement("Id", party.inn));
  const person =
    textElement("Nm", party.name) +
    element("Id", number === null ? null : element("OrgId", number));
  const account = party.account === null ? null : element("Othr", textElement("Id", party.account));
  const family = element("Fmly", element("Cd", "MDOP") + element("SubFmlyCd", "CHRG"));
  const moment = time === null ? element("Dt", day) : element("DtTm", `${day}T${time}`);
  return element(
    "Ntry",
    amountElement(line.amountMinor, currency) +
      markElement(isIn) +
      (line.isReversal ? element("RvslInd", "true") : "") +
      element("Sts", element("Cd", CAMT_STATUSES[line.status])) +
      element("BookgDt", moment) +
      textElement("AcctSvcrRef", line.bankId) +
      (line.isCharge ? element("BkTxCd", element("Domn", family)) : "") +
      element(
        "NtryDtls",
        element(
          "TxDtls",
          element("Refs", textElement("EndToEndId", line.number ?? "NOTPROVIDED")) +
            element(
              "RltdPties",
              element(side, element("Pty", person)) +
                element(`${side}Acct`, element("Id", account)),
            ) +
            element("RmtInf", textElement("Ustrd", line.purpose)),
        ),
      ),
  );
}

const BLOCKS = "{1:F01KOPERUMMAXXX0000000000}{2:I940KOPERUMMXXXXN}{4:";

/** A message for each section, in the blocks that say where it ends. */
function writeMt940(sections: readonly StatementSection[]): string {
  return sections
    .map((section, index) => [BLOCKS, ...message(section, index), "-}"].join("\r\n"))
    .join("\r\n");
}

function message(section: StatementSection, index: number): string[] {
  const { account, currency, from, to, openingMinor, closingMinor, lines } = section;
  return [
    `:20:${index + 1}`,
    `:25:${account ?? ""}`,
    `:28C:${index + 1}/1`,
    `:60F:${mt940Balance(openingMinor ?? 0n, from, currency)}`,
    ...lines.flatMap(mt940Entry),
    `:62F:${mt940Balance(closingMinor ?? 0n, to, currency)}`,
  ];
}

function short(day: string): string {
  return day.slice(2).replaceAll("-", "");
}

function comma(minor: bigint): string {
  return toDecimalText(minor < 0n ? -minor : minor).replace(".", ",");
}

function mt940Balance(minor: bigint, day: string, currency: string): string {
  return `${minor < 0n ? "D" : "C"}${short(day)}${currency}${comma(minor)}`;
}

const PART_LENGTH = 27;
const PURPOSE_PARTS = [20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 60, 61, 62, 63];

function mt940Entry(line: StatementLine): string[] {
  const isIn = line.direction === "in";
  const plain = isIn ? "C" : "D";
  const mark = line.isReversal
    ? isIn
      ? "RD"
      : "RC"
    : line.status === "pending"
      ? `E${plain}`
      : plain;
  const date = short(line.day);
  const type = line.isCharge ? "NCHG" : "NTRF";
  const bankId = line.bankId === null ? "" : `//${line.bankId}`;
  const head = `${date}${date.slice(2)}${mark}${comma(line.amountMinor)}${type}`;
  return [
    `:61:${head}${line.number ?? "NONREF"}${bankId}`,
    ":86:166?00",
    ...numbered(PURPOSE_PARTS, line.purpose),
    ...numbered([31], line.party.account ?? ""),
    ...numbered([32, 33], line.party.name ?? ""),
  ];
}

/** Numbered parts of a length; what finds no place in them is left out. */
function numbered(numbers: readonly number[], text: string): string[] {
  return numbers.flatMap((number, index) => {
    const part = text.slice(index * PART_LENGTH, (index + 1) * PART_LENGTH);
    return part === "" ? [] : [`?${number}${part}`];
  });
}
