// What the elements of a camt report mean: sections and lines from their texts, in the forms of all versions.

import {
  amountOf,
  currencyOf,
  dayOf,
  type ReadSection,
  refuseRow,
  type StatementLine,
  type StatementSection,
  spanOf,
  type Totals,
  textOf,
  textOrNull,
  timeOrNull,
} from "../../domain/statement.ts";

/** Texts by the path of local names that leads to them. */
export type Fields = Map<string, string>;

export interface CamtEntry {
  readonly row: number;
  readonly fields: Fields;
  /** TxDtls: what the entry is made of. */
  readonly parts: readonly Fields[];
}

const PARTY_FIELDS = ["Dbtr", "Cdtr"].flatMap((side) => [
  `RltdPties/${side}/Nm`,
  `RltdPties/${side}/Pty/Nm`,
  `RltdPties/${side}Acct/Id/IBAN`,
  `RltdPties/${side}Acct/Id/Othr/Id`,
  ...["", "Pty/"].flatMap((version) =>
    ["OrgId", "PrvtId"].map((id) => `RltdPties/${side}/${version}Id/${id}/Othr/Id`),
  ),
]);

/** Nothing else of a file is kept. */
export const FIELDS = {
  report: new Set([
    "Acct/Id/IBAN",
    "Acct/Id/Othr/Id",
    "Acct/Ccy",
    "CreDtTm",
    "FrToDt/FrDtTm",
    "FrToDt/ToDtTm",
    "FrToDt/FrDt",
    "FrToDt/ToDt",
    "TxsSummry/TtlCdtNtries/Sum",
    "TxsSummry/TtlDbtNtries/Sum",
  ]),
  balance: new Set(["Tp/CdOrPrtry/Cd", "Amt", "Amt@Ccy", "CdtDbtInd", "Dt/Dt", "Dt/DtTm"]),
  entry: new Set([
    "Amt",
    "Amt@Ccy",
    "CdtDbtInd",
    "RvslInd",
    "Sts",
    "Sts/Cd",
    "AcctSvcrRef",
    "AddtlNtryInf",
    "BookgDt/Dt",
    "BookgDt/DtTm",
    "ValDt/Dt",
    "ValDt/DtTm",
    "BkTxCd/Domn/Fmly/SubFmlyCd",
    "BkTxCd/Prtry/Cd",
  ]),
  part: new Set([
    "Refs/EndToEndId",
    "Refs/AcctSvcrRef",
    "Amt",
    "Amt@Ccy",
    "CdtDbtInd",
    "RmtInf/Ustrd",
    "AmtDtls/TxAmt/Amt",
    "AmtDtls/TxAmt/Amt@Ccy",
    "AddtlTxInf",
    ...PARTY_FIELDS,
  ]),
} as const;

const STATUSES = new Map<string, StatementLine["status"]>([
  ["BOOK", "booked"],
  ...["PDNG", "FUTR", "INFO"].map((word) => [word, "pending"] as const),
]);

const CHARGES = new Set(["CHRG", "FEES", "COMM", "NCHG", "CHG"]);

function first(fields: Fields, ...names: readonly string[]): string {
  for (const name of names) {
    const value = fields.get(name);
    if (value !== undefined && value !== "") return value;
  }
  return "";
}

function directionOf(fields: Fields, row: number): "in" | "out" {
  const mark = first(fields, "CdtDbtInd");
  if (mark === "CRDT") return "in";
  return mark === "DBIT" ? "out" : refuseRow("statement_word", row, mark);
}

interface Split {
  readonly direction: "in" | "out";
  readonly amountMinor: bigint;
  readonly part: Fields;
  /** Among the parts of its entry, from 1; 0 for an entry that stays whole. */
  readonly number: number;
}

/** One line; or one for each part, where every part says its sum and together they are the entry's. */
function linesOfEntry({ row, fields, parts }: CamtEntry): StatementLine[] {
  const direction = directionOf(fields, row);
  const amountMinor = amountOf(first(fields, "Amt"), row);
  const whole: Split = { direction, amountMinor, part: parts[0] ?? new Map(), number: 0 };
  const split = parts.length < 2 ? [] : splitOf(fields, parts, direction, row);
  const sum = split.reduce(
    (total, one) => total + (one.direction === direction ? one.amountMinor : -one.amountMinor),
    0n,
  );
  const isSplit = split.length > 0 && split.length === parts.length && sum === amountMinor;
  return (isSplit ? split : [whole]).map((one) => lineOf(row, fields, one));
}

/** Parts in the entry's own currency. */
function splitOf(
  entry: Fields,
  parts: readonly Fields[],
  direction: "in" | "out",
  row: number,
): Split[] {
  return parts.flatMap((part, index) => {
    const name = part.has("Amt") ? "Amt" : "AmtDtls/TxAmt/Amt";
    const amount = part.get(name);
    if (amount === undefined || part.get(`${name}@Ccy`) !== entry.get("Amt@Ccy")) return [];
    const own = part.has("CdtDbtInd") ? directionOf(part, row) : direction;
    return [{ direction: own, amountMinor: amountOf(amount, row), part, number: index + 1 }];
  });
}

function lineOf(row: number, entry: Fields, { part, number, ...money }: Split): StatementLine {
  const status = STATUSES.get(first(entry, "Sts/Cd", "Sts"));
  if (status === undefined) refuseRow("statement_word", row, first(entry, "Sts/Cd", "Sts"));
  const codes = [first(entry, "BkTxCd/Domn/Fmly/SubFmlyCd"), first(entry, "BkTxCd/Prtry/Cd")];
  return {
    row,
    status,
    ...money,
    ...momentOf(first(entry, "BookgDt/Dt", "BookgDt/DtTm", "ValDt/Dt", "ValDt/DtTm"), row),
    number: referenceOrNull(part.get("Refs/EndToEndId"), row),
    bankId: bankIdOf(entry, part, number, row),
    party: partyOf(part, money.direction === "in" ? "Dbtr" : "Cdtr", row),
    purpose: textOf(first(part, "RmtInf/Ustrd", "AddtlTxInf") || first(entry, "AddtlNtryInf"), row),
    isReversal: ["true", "1"].includes(first(entry, "RvslInd")),
    isCharge: money.direction === "out" && codes.some((code) => CHARGES.has(code)),
  };
}

function referenceOrNull(value: string | undefined, row: number): string | null {
  const reference = textOrNull(value, row);
  return reference === "NOTPROVIDED" || reference === "NONREF" ? null : reference;
}

function bankIdOf(entry: Fields, part: Fields, number: number, row: number): string | null {
  const own = referenceOrNull(entry.get("AcctSvcrRef"), row);
  if (own !== null) return number === 0 ? own : `${own}#${number}`;
  return referenceOrNull(part.get("Refs/AcctSvcrRef"), row);
}

function partyOf(part: Fields, side: string, row: number): StatementLine["party"] {
  const at = `RltdPties/${side}`;
  const ids = ["", "Pty/"].flatMap((version) =>
    ["OrgId", "PrvtId"].map((id) => first(part, `${at}/${version}Id/${id}/Othr/Id`)),
  );
  return {
    account: textOrNull(first(part, `${at}Acct/Id/IBAN`, `${at}Acct/Id/Othr/Id`), row),
    name: textOrNull(first(part, `${at}/Pty/Nm`, `${at}/Nm`), row),
    inn: ids.find((id) => /^\d{10}(?:\d\d)?$/.test(id)) ?? null,
  };
}

const MOMENT = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d:\d\d:\d\d)(?:\.\d{1,9})?(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * Day and time as the bank's own clock shows them, and the instant that they are where it says so; a moment of
 * Greenwich is none of its clock, and only a day.
 */
function momentOf(value: string, row: number): Pick<StatementLine, "day" | "time" | "instant"> {
  const [, year = "", month = "", date = "", clock = "", zone] =
    MOMENT.exec(value) ?? refuseRow("statement_date", row, value);
  const day = dayOf(year, month, date, value, row);
  const time = zone === "Z" ? null : timeOrNull(clock, row);
  if (zone === undefined) return { day, time };
  const instant = `${day}T${clock}${zone}`;
  return Number.isNaN(Date.parse(instant))
    ? refuseRow("statement_date", row, value)
    : { day, time, instant };
}

interface Report {
  readonly row: number;
  readonly fields: Fields;
  readonly balances: readonly Fields[];
  readonly entries: readonly CamtEntry[];
}

export function sectionOf({
  row,
  fields,
  balances,
  entries,
}: Report): StatementSection & ReadSection {
  const balance = (...codes: readonly string[]) =>
    codes
      .map((code) => balances.find((one) => first(one, "Tp/CdOrPrtry/Cd") === code))
      .find(Boolean);
  const [opening, closing] = [balance("OPBD", "PRCD"), balance("CLBD")];
  const amounts = [...balances, ...entries.map((entry) => entry.fields)];
  const written = first(fields, "Acct/Ccy") || (amounts[0]?.get("Amt@Ccy") ?? "RUB");
  const currency = currencyOf(written, row);
  for (const one of amounts) {
    const own = one.get("Amt@Ccy") ?? written;
    if (own !== written && currencyOf(own, row) !== currency) refuseRow("statement_word", row, own);
  }
  const lines = entries.flatMap(linesOfEntry);
  const dayIn = (value: string) => (value === "" ? "" : momentOf(value, row).day);
  const span = spanOf(lines);
  const to = dayIn(first(fields, "FrToDt/ToDt", "FrToDt/ToDtTm"));
  const closed = dayIn(first(closing ?? fields, "Dt/Dt", "Dt/DtTm", "CreDtTm"));
  const last = to || (span.to > closed ? span.to : closed);
  return {
    row,
    account: textOrNull(first(fields, "Acct/Id/IBAN", "Acct/Id/Othr/Id"), row),
    currency,
    from: dayIn(first(fields, "FrToDt/FrDt", "FrToDt/FrDtTm")) || span.from || last,
    to: last || refuseRow("statement_date", row),
    openingMinor: balanceOf(opening, row),
    closingMinor: balanceOf(closing, row),
    lines,
  };
}

function balanceOf(fields: Fields | undefined, row: number): bigint | null {
  if (fields === undefined) return null;
  const minor = amountOf(first(fields, "Amt"), row);
  return directionOf(fields, row) === "in" ? minor : -minor;
}

/** Where something is not booked yet, nobody knows whether the file counts it. */
export function totalsOf(row: number, fields: Fields, lines: readonly StatementLine[]): Totals {
  const isBooked = lines.every(({ status }) => status === "booked");
  const total = (name: string) => {
    const value = first(fields, `TxsSummry/${name}/Sum`);
    return isBooked && value !== "" ? amountOf(value, row) : null;
  };
  return { inMinor: total("TtlCdtNtries"), outMinor: total("TtlDbtNtries") };
}
