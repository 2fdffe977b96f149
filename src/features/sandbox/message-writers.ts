// Statements as messages between banks: camt.053 and MT940.

import { toDecimalText } from "../../domain/money.ts";
import { type StatementLine, type StatementSection, sumOf } from "../../domain/statement.ts";

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

export function writeCamt(sections: readonly StatementSection[]): string {
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
export function writeMt940(sections: readonly StatementSection[]): string {
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

/** 261231 */
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
