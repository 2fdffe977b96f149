// A statement in XML, camt.053 or camt.052, read as a stream of elements. A document with entities,
// or one that is not closed, is refused whole.

import { SaxesParser } from "saxes";
import { Refusal } from "../../domain/refusal.ts";
import {
  amountOf,
  assertNotTooMany,
  assertNotTooManySections,
  currencyOf,
  dayOf,
  type ReadSection,
  refuseRow,
  type Statement,
  type StatementLine,
  type StatementSection,
  shown,
  spanOf,
  type Totals,
  textOf,
  textOrNull,
  timeOrNull,
  wholeStatement,
} from "../../domain/statement.ts";

/** What a text is kept of: a report, a balance or an entry of it, a part of an entry. */
interface Scope {
  readonly kind: keyof typeof FIELDS;
  /** Of the element that it begins with. */
  readonly depth: number;
  readonly row: number;
  readonly fields: Fields;
}

/** Which scope an element opens inside of which. */
const OPENS = new Map<string, readonly [inside: Scope["kind"] | null, kind: Scope["kind"]]>([
  ["Stmt", [null, "report"]],
  ["Rpt", [null, "report"]],
  ["Bal", ["report", "balance"]],
  ["Ntry", ["report", "entry"]],
  ["TxDtls", ["entry", "part"]],
]);

const REPORTS = new Set(["Document/BkToCstmrStmt", "Document/BkToCstmrAcctRpt"]);

/** The standard needs less than half of these; more is an attack on whoever reads it. */
const DEEPEST = 40;
const MOST_ATTRIBUTES = 40;

export function parseCamt(text: string): Statement {
  const reader = new CamtReader();
  const parser = new SaxesParser();
  let isAtEnd = false;
  let attributes = 0;
  const refuse = (value: string) => refuseRow("statement_malformed", parser.line, value);
  parser.on("error", ({ message }) => {
    if (isAtEnd) refuseRow("statement_cut", parser.line);
    refuse(message.replace(/^\d+:\d+: /, ""));
  });
  parser.on("doctype", () => refuseRow("statement_doctype", parser.line));
  parser.on("opentagstart", ({ name }) => {
    attributes = 0;
    if (reader.depth >= DEEPEST) refuse(name);
  });
  parser.on("attribute", ({ name }) => {
    attributes += 1;
    if (attributes > MOST_ATTRIBUTES) refuse(name);
  });
  parser.on("opentag", ({ name, attributes }) => {
    reader.open(localName(name), attributes["Ccy"], parser.line);
  });
  parser.on("text", (piece) => reader.add(piece));
  parser.on("cdata", (piece) => reader.add(piece));
  parser.on("closetag", () => reader.close());
  parser.write(text);
  isAtEnd = true;
  parser.close();
  return reader.statement();
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

class CamtReader {
  readonly #path: string[] = [];
  readonly #scopes: Scope[] = [];
  readonly #sections: ReadSection[] = [];
  readonly #totals: Totals[] = [];
  #text = "";
  #isCamt = false;
  #root = "";
  /** Of the report that is open. */
  #balances: Fields[] = [];
  #entries: CamtEntry[] = [];
  #parts: Fields[] = [];
  #count = 0;

  get depth(): number {
    return this.#path.length;
  }

  open(name: string, currency: string | undefined, row: number): void {
    this.#path.push(name);
    this.#root ||= shown(name);
    this.#text = "";
    const top = this.#scopes.at(-1);
    const [inside, kind] = OPENS.get(name) ?? [];
    const isOpened = kind !== undefined && inside === (top?.kind ?? null);
    if (isOpened && (kind !== "report" || this.#isReport())) {
      this.#scopes.push({ kind, depth: this.depth, row, fields: new Map() });
    } else if (currency !== undefined) {
      this.#keep("@Ccy", currency);
    }
  }

  #isReport(): boolean {
    const isReport = this.depth === 3 && REPORTS.has(this.#path.slice(0, 2).join("/"));
    this.#isCamt ||= isReport;
    return isReport;
  }

  add(piece: string): void {
    this.#text += piece;
  }

  close(): void {
    const scope = this.#scopes.at(-1);
    if (scope?.depth === this.depth) {
      this.#scopes.pop();
      this.#take(scope);
    } else {
      this.#keep("", this.#text);
    }
    this.#path.pop();
    this.#text = "";
  }

  /** The first of its name; but a remittance may stand in several. */
  #keep(suffix: string, value: string): void {
    const scope = this.#scopes.at(-1);
    if (scope === undefined) return;
    const name = this.#path.slice(scope.depth).join("/") + suffix;
    if (!FIELDS[scope.kind].has(name)) return;
    const known = scope.fields.get(name);
    if (known === undefined) scope.fields.set(name, value.trim());
    else if (name === "RmtInf/Ustrd") scope.fields.set(name, `${known} ${value.trim()}`);
  }

  #take({ kind, row, fields }: Scope): void {
    if (kind === "balance") this.#balances.push(fields);
    if (kind === "part") this.#parts.push(fields);
    if (kind === "balance" || kind === "part") assertNotTooMany(++this.#count);
    if (kind === "entry") {
      this.#entries.push({ row, fields, parts: this.#parts });
      this.#parts = [];
      assertNotTooMany(++this.#count);
    }
    if (kind === "report") {
      const report = { row, fields, balances: this.#balances, entries: this.#entries };
      const section = sectionOf(report);
      this.#sections.push(section);
      assertNotTooManySections(this.#sections.length);
      this.#totals.push(totalsOf(row, fields, section.lines));
      this.#balances = [];
      this.#entries = [];
    }
  }

  statement(): Statement {
    if (!this.#isCamt) throw new Refusal("statement_unknown", { header: `<${this.#root}>` });
    return wholeStatement("camt053", this.#sections, this.#totals);
  }
}

/** Texts by the path of local names that leads to them. */
type Fields = Map<string, string>;

interface CamtEntry {
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
const FIELDS = {
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

function sectionOf({ row, fields, balances, entries }: Report): StatementSection & ReadSection {
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
function totalsOf(row: number, fields: Fields, lines: readonly StatementLine[]): Totals {
  const isBooked = lines.every(({ status }) => status === "booked");
  const total = (name: string) => {
    const value = first(fields, `TxsSummry/${name}/Sum`);
    return isBooked && value !== "" ? amountOf(value, row) : null;
  };
  return { inMinor: total("TtlCdtNtries"), outMinor: total("TtlDbtNtries") };
}
