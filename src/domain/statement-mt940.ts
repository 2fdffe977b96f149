// Statements as MT940. A message without its closing balance is refused.

import {
  amountOf,
  assertNotTooMany,
  assertNotTooManySections,
  currencyOf,
  dayOf,
  isDay,
  linesOf,
  type ReadSection,
  refuseRow,
  type Statement,
  type StatementLine,
  spanOf,
  textOf,
  textOrNull,
  wholeStatement,
} from "./statement.ts";

export const BEGINS_MT940 = /^\s*(?:\{1:|:20:)/;

interface Field {
  readonly row: number;
  readonly tag: string;
  value: string;
}

interface Balance {
  readonly minor: bigint;
  readonly day: string;
  readonly currency: string;
}

interface Message {
  readonly row: number;
  account: string;
  opening?: Balance;
  readonly entries: { entry: Field; details?: Field }[];
}

export function parseMt940(text: string): Statement {
  const sections: ReadSection[] = [];
  let message: Message | undefined;
  let count = 0;
  let last = 1;
  let isPartOfMore = false;
  for (const field of fieldsOf(text)) {
    const { row, tag, value } = field;
    last = row;
    if (tag === "20") {
      if (message !== undefined) refuseRow("statement_cut", row);
      message = { row, account: "", entries: [] };
    } else if (tag === "25" && message !== undefined) {
      message.account = value.trim();
    } else if (tag === "60F" || tag === "60M") {
      if (message === undefined) refuseRow("statement_malformed", row, value);
      message.opening = balanceOf(field);
    } else if (tag === "61") {
      if (message?.opening === undefined) refuseRow("statement_malformed", row, value);
      message.entries.push({ entry: field });
      count += 1;
      assertNotTooMany(count);
    } else if (tag === "86") {
      // Behind the closing balance it is of the whole message.
      const entry = message?.entries.at(-1);
      if (entry !== undefined) entry.details ??= field;
    } else if (tag === "62F" || tag === "62M") {
      if (message?.opening === undefined) refuseRow("statement_malformed", row, value);
      sections.push(sectionOf(message, message.opening, balanceOf(field)));
      assertNotTooManySections(sections.length);
      isPartOfMore = tag === "62M";
      message = undefined;
    }
  }
  if (message !== undefined || isPartOfMore || sections.length === 0) {
    refuseRow("statement_cut", last);
  }
  return wholeStatement("mt940", sections);
}

const TAG = /^:(\d\d[A-Z]?):/;

/** Fields may go on over several lines; around them stand the blocks of a message, or nothing. */
function* fieldsOf(text: string): Generator<Field> {
  let field: Field | undefined;
  let isBlockOpen = false;
  let lastRow = 1;
  let isWhole = true;
  for (const { row, text: line, isEnded } of linesOf(text)) {
    const isEnd = line === "-" || line.startsWith("-}");
    const isBlock = line.startsWith("{");
    const tag = TAG.exec(line);
    lastRow = row;
    isWhole = isEnded || isEnd;
    if (isBlock) isBlockOpen = line.includes("{4:");
    if (isEnd && line !== "-") isBlockOpen = false;
    if (isBlock || isEnd || tag !== null) {
      if (field !== undefined) yield field;
      field = undefined;
    }
    if (tag !== null) {
      field = { row, tag: tag[1] ?? "", value: line.slice(tag[0].length) };
    } else if (!isBlock && !isEnd && field !== undefined) {
      field.value += `\n${line}`;
    } else if (!isBlock && !isEnd && line.trim() !== "") {
      refuseRow("statement_malformed", row, line);
    }
  }
  if (isBlockOpen || !isWhole) refuseRow("statement_cut", lastRow);
  if (field !== undefined) yield field;
}

const BALANCE = /^([CD])(\d{6})([A-Z]{3})(\d{1,16}),(\d{0,2})\s*$/;

function balanceOf({ row, value }: Field): Balance {
  const [, mark, date = "", currency = "", whole = "", decimals = ""] =
    BALANCE.exec(value) ?? refuseRow("statement_malformed", row, value);
  const minor = mt940Amount(whole, decimals, row);
  return {
    minor: mark === "D" ? -minor : minor,
    day: shortDay(date, row),
    currency: currencyOf(currency, row),
  };
}

function mt940Amount(whole: string, decimals: string, row: number): bigint {
  return amountOf(decimals === "" ? whole : `${whole}.${decimals}`, row);
}

function shortDay(date: string, row: number): string {
  return dayOf(`20${date.slice(0, 2)}`, date.slice(2, 4), date.slice(4), date, row);
}

/** The opening balance is of the day before, or of the first: only lines say which days there are. */
function sectionOf(message: Message, opening: Balance, closing: Balance): ReadSection {
  if (opening.currency !== closing.currency) {
    refuseRow("statement_word", message.row, closing.currency);
  }
  const lines = message.entries.map(({ entry, details }) => lineOf(entry, details));
  const { from, to } = lines.length === 0 ? { from: closing.day, to: closing.day } : spanOf(lines);
  return {
    row: message.row,
    account: accountOf(message.account, opening.currency, message.row),
    currency: opening.currency,
    from,
    to: to > closing.day ? to : closing.day,
    openingMinor: opening.minor,
    closingMinor: closing.minor,
    lines,
  };
}

/** Behind the bank's code, and before the currency where that is added. */
function accountOf(value: string, currency: string, row: number): string | null {
  const [line = ""] = value.split("\n", 1);
  const account = line.slice(line.lastIndexOf("/") + 1).trim();
  const isAdded = account.endsWith(currency) && /\d[A-Z]{3}$/.test(account);
  return textOrNull(isAdded ? account.slice(0, -currency.length) : account, row);
}

const ENTRY = /^(\d{6})(\d{4})?(R?[CD]|E[CD])([A-Z])?(\d{1,16}),(\d{0,2})([A-Z][A-Z0-9]{3})(.*)$/;
const CHARGES = new Set(["CHG", "COM"]);

function lineOf({ row, value }: Field, details: Field | undefined): StatementLine {
  const [head = "", ...supplement] = value.split("\n");
  const [
    ,
    valueDate = "",
    entryDate,
    mark = "",
    ,
    whole = "",
    decimals = "",
    type = "",
    references = "",
  ] = ENTRY.exec(head) ?? refuseRow("statement_malformed", row, head);
  const valueDay = shortDay(valueDate, row);
  // RC takes a credit back, RD a debit.
  const isIn = mark === "C" || mark === "RD" || mark === "EC";
  const parted = references.indexOf("//");
  const number = parted === -1 ? references : references.slice(0, parted);
  const told = detailsOf(details, supplement.join(" "));
  return {
    row,
    direction: isIn ? "in" : "out",
    status: mark.startsWith("E") ? "pending" : "booked",
    day: entryDate === undefined ? valueDay : nearestDay(entryDate, valueDay, row),
    time: null,
    amountMinor: mt940Amount(whole, decimals, row),
    number: referenceOrNull(number, row),
    bankId: parted === -1 ? null : referenceOrNull(references.slice(parted + 2), row),
    ...told,
    isReversal: mark.startsWith("R"),
    isCharge: !isIn && CHARGES.has(type.slice(1)),
  };
}

function referenceOrNull(value: string, row: number): string | null {
  const reference = textOrNull(value, row);
  return reference === "NONREF" || reference === "NOTPROVIDED" ? null : reference;
}

/** MMDD in the year that puts it nearest to the value date. */
function nearestDay(entryDate: string, valueDay: string, row: number): string {
  const year = Number(valueDay.slice(0, 4));
  const rest = `${entryDate.slice(0, 2)}-${entryDate.slice(2)}`;
  const distance = (day: string) => Math.abs(Date.parse(day) - Date.parse(valueDay));
  const days = [year, year - 1, year + 1].map((one) => `${one}-${rest}`).filter(isDay);
  const [nearest] = days.sort((one, other) => distance(one) - distance(other));
  return nearest ?? refuseRow("statement_date", row, entryDate);
}

type Details = Pick<StatementLine, "party" | "purpose">;

/** Of its dialects: numbered parts (?20 …), words between slashes (/REMI/ …), or just a text. */
function detailsOf(field: Field | undefined, supplement: string): Details {
  const row = field?.row ?? 1;
  const text = field?.value ?? "";
  const whole = textOf(text, row);
  if (/^\d{0,3}\s*\?\d\d/.test(text)) return numbered(text.replaceAll("\n", ""), row);
  if (/^\/[A-Z]{3,4}\//.test(text)) return slashed(text.replaceAll("\n", ""), row);
  const party = { account: null, name: null, inn: null };
  return { party, purpose: whole || textOf(supplement, row) };
}

function numbered(text: string, row: number): Details {
  const parts = { purpose: "", account: "", name: "" };
  for (const part of text.split("?").slice(1)) {
    const number = Number(part.slice(0, 2));
    const content = part.slice(2);
    const isPurpose = (number >= 20 && number <= 29) || (number >= 60 && number <= 63);
    if (isPurpose) parts.purpose += content;
    if (number === 31) parts.account += content;
    if (number === 32 || number === 33) parts.name += content;
  }
  return {
    party: {
      account: textOrNull(parts.account, row),
      name: textOrNull(parts.name, row),
      inn: null,
    },
    purpose: textOf(parts.purpose, row),
  };
}

function slashed(text: string, row: number): Details {
  const parts = text.split(/\/([A-Z]{3,4})\//);
  const after = (word: string) => {
    const at = parts.findIndex((part, index) => index % 2 === 1 && part === word);
    const value = at === -1 ? "" : (parts[at + 1] ?? "");
    return value.replace(/^(?:USTD)?\/{0,2}/, "").replace(/\/{1,2}$/, "");
  };
  const name = after("NAME") || after("ORDP") || after("BENM");
  return {
    party: { account: textOrNull(after("IBAN"), row), name: textOrNull(name, row), inn: null },
    purpose: textOf(after("REMI") || text, row),
  };
}
