// Statements in 1CClientBankExchange. The owner's account alone decides a document's direction.

import {
  amountOf,
  assertNotTooMany,
  assertNotTooManySections,
  linesOf,
  refuseRow,
  russianDay,
  type Statement,
  type StatementLine,
  signedAmountOf,
  type Totals,
  textOf,
  timeOrNull,
  wholeStatement,
} from "./statement.ts";

export const MARK_1C = "1CClientBankExchange";

/** A section or a document of the file: its keys, and the row it begins in. */
interface Part {
  readonly row: number;
  readonly kind: string;
  readonly values: Map<string, Value>;
}

interface Value {
  readonly text: string;
  readonly row: number;
}

interface Parts {
  readonly header: Part;
  readonly named: readonly string[];
  readonly accounts: readonly Part[];
  readonly documents: readonly Part[];
}

interface Section {
  readonly row: number;
  readonly account: string;
  readonly from: string;
  readonly to: string;
  readonly isEndTold: boolean;
  readonly openingMinor: bigint | null;
  readonly closingMinor: bigint | null;
  readonly totals: Totals;
  readonly lines: StatementLine[];
}

const ENDS = { СекцияРасчСчет: "КонецРасчСчет", СекцияДокумент: "КонецДокумента" } as const;
const END_OF_FILE = "КонецФайла";
const MARKS = new Set<string>([...Object.values(ENDS), END_OF_FILE]);

export function parse1c(text: string): Statement {
  const { header, named, accounts, documents } = partsOf(text);
  assertNotTooManySections(accounts.length + named.length);
  const sections = ended(accounts.map((part) => sectionOf(part, header, named)));
  const told = new Set(sections.map(({ account }) => account));
  const untold = named.filter((account) => !told.has(account));
  for (const account of untold) sections.push(sectionOf(headerOf(account), header, named));
  const byAccount = Map.groupBy(
    sections.toSorted((one, other) => (one.from < other.from ? -1 : 1)),
    ({ account }) => account,
  );
  for (const document of documents) place(document, byAccount);
  const whole = sections.map(({ totals: _, isEndTold: _told, ...section }) => {
    return { ...section, currency: "RUB" };
  });
  const totals = sections.map((section) => section.totals);
  return wholeStatement("1c", whole, totals);
}

/** An account that only the header names has its span, and no balances. */
function headerOf(account: string): Part {
  return { row: 1, kind: "", values: new Map([["РасчСчет", { text: account, row: 1 }]]) };
}

function partsOf(text: string): Parts {
  const header: Part = { row: 1, kind: "", values: new Map() };
  const [named, accounts, documents] = [new Set<string>(), [] as Part[], [] as Part[]];
  let open: { part: Part; end: string } | undefined;
  let isOver = false;
  let isRead = false;
  let row = 0;
  for (const line of linesOf(text)) {
    row = line.row;
    const content = line.text.trim();
    if (content === "" || (row === 1 && content === MARK_1C)) continue;
    const at = content.indexOf("=");
    const key = (at === -1 ? content : content.slice(0, at)).trim();
    const value = at === -1 ? "" : content.slice(at + 1).trim();
    isRead ||= READ.has(key) || MARKS.has(key) || OTHERS.has(key);
    if (isOver) refuseRow("statement_malformed", row, content);
    if (key === "СекцияРасчСчет" || key === "СекцияДокумент") {
      if (open !== undefined) refuseRow("statement_malformed", row, content);
      const part: Part = { row, kind: value, values: new Map() };
      open = { part, end: ENDS[key] };
      (key === "СекцияДокумент" ? documents : accounts).push(part);
      assertNotTooMany(documents.length + accounts.length);
    } else if (MARKS.has(key)) {
      if (key !== (open?.end ?? END_OF_FILE)) refuseRow("statement_malformed", row, content);
      isOver = open === undefined;
      open = undefined;
    } else if (open === undefined && key === "РасчСчет") {
      if (value !== "") named.add(value);
    } else {
      keep(open?.part ?? header, key, value, row);
    }
  }
  if (!isOver) refuseRow(isRead || row <= 2 ? "statement_cut" : "statement_unreadable", row);
  return { header, named: [...named], accounts, documents };
}

/**
 * Only what is read below. A purpose with a line end in it could say anything a second time: what is said
 * twice must be the same.
 */
function keep({ values }: Part, key: string, value: string, row: number): void {
  if (!READ.has(key)) return;
  const known = values.get(key)?.text ?? value;
  if (known !== value) refuseRow("statement_malformed", row, `${key}=${value}`);
  values.set(key, { text: value, row });
}

const SIDES = { in: "Плательщик", out: "Получатель" } as const;
const SIDE_KEYS = ["", "1", "ИНН", "Счет", "РасчСчет"];
const PURPOSE_PARTS = [1, 2, 3, 4, 5, 6].map((part) => `НазначениеПлатежа${part}`);
const PURPOSE_KEYS = ["НазначениеПлатежа", ...PURPOSE_PARTS];
const READ = new Set([
  "РасчСчет",
  "ДатаНачала",
  "ДатаКонца",
  "НачальныйОстаток",
  "КонечныйОстаток",
  "ВсегоПоступило",
  "ВсегоСписано",
  "Номер",
  "Дата",
  "Сумма",
  "ДатаСписано",
  "ДатаПоступило",
  "КвитанцияДата",
  "КвитанцияВремя",
  ...PURPOSE_KEYS,
  ...Object.values(SIDES).flatMap((side) => SIDE_KEYS.map((key) => side + key)),
]);

/** What else a file begins with: one in which none of all these stands is in letters that are not known. */
const OTHERS = new Set(["ВерсияФормата", "Кодировка", "Отправитель", ...Object.keys(ENDS)]);

function first({ values, row }: Part, ...keys: readonly string[]): Value {
  for (const key of keys) {
    const value = values.get(key);
    if (value !== undefined && value.text !== "") return value;
  }
  return { text: "", row: values.get(keys[0] ?? "")?.row ?? row };
}

/** One that does not say whose it is is the header's, where that names one account. */
function sectionOf(part: Part, header: Part, named: readonly string[]): Section {
  const told = (key: string) => [part, header].map((one) => first(one, key)).find(isTold);
  const from = told("ДатаНачала") ?? first(part);
  const to = told("ДатаКонца") ?? from;
  const balance = (key: string) => signedOrNull(first(part, key));
  const account = first(part, "РасчСчет");
  const only = named.length === 1 ? (named[0] ?? "") : "";
  return {
    row: account.row,
    account: account.text || only,
    from: dayIn(from),
    to: dayIn(to),
    isEndTold: isTold(first(part, "ДатаКонца")),
    openingMinor: balance("НачальныйОстаток"),
    closingMinor: balance("КонечныйОстаток"),
    totals: { inMinor: balance("ВсегоПоступило"), outMinor: balance("ВсегоСписано") },
    lines: [],
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Some banks have a section a day, and not all of them say where it ends: before the next of its account begins. */
function ended(sections: readonly Section[]): Section[] {
  const accounts = Map.groupBy(sections, ({ account }) => account);
  return sections.map((section) => {
    const { account, from, to, isEndTold } = section;
    if (isEndTold) return section;
    const next = (accounts.get(account) ?? []).reduce(
      (soonest, one) => (one.from > from && one.from < soonest ? one.from : soonest),
      "9999",
    );
    if (next > to) return section;
    return { ...section, to: new Date(Date.parse(next) - DAY_MS).toISOString().slice(0, 10) };
  });
}

function isTold({ text }: Value): boolean {
  return text !== "";
}

function dayIn({ text, row }: Value): string {
  return russianDay(text, row);
}

function textIn({ text, row }: Value): string {
  return textOf(text, row);
}

function signedOrNull({ text, row }: Value): bigint | null {
  return text === "" ? null : signedAmountOf(text, row);
}

/** Between two accounts of one file it is a line of each. */
function place(document: Part, byAccount: ReadonlyMap<string, Section[]>): void {
  let isOwn = false;
  for (const direction of ["out", "in"] as const) {
    const own = direction === "in" ? SIDES.out : SIDES.in;
    const ofAccount = accountsOf(document, own).flatMap((one) => byAccount.get(one) ?? []);
    if (ofAccount.length === 0) continue;
    isOwn = true;
    const line = lineOf(document, direction);
    const { day } = line;
    // Of several that have the day, the last to begin.
    const section = ofAccount.findLast(({ from, to }) => from <= day && day <= to);
    (section ?? refuseRow("statement_outside", dateOf(document, direction).row, day)).lines.push(
      line,
    );
  }
  if (!isOwn) refuseRow("statement_not_own", document.row);
}

/** Where a payment goes through another bank, an account stands under either key. */
function accountsOf({ values }: Part, side: string): string[] {
  const keys = [`${side}Счет`, `${side}РасчСчет`];
  return keys.flatMap((key) => values.get(key)?.text || []);
}

function lineOf(document: Part, direction: "in" | "out"): StatementLine {
  const { row } = document;
  const day = dayIn(dateOf(document, direction));
  const sum = first(document, "Сумма");
  const purpose = purposeOf(document);
  return {
    row,
    direction,
    status: "booked",
    day,
    time: timeOf(document, day),
    amountMinor: amountOf(sum.text, sum.row),
    number: textIn(first(document, "Номер")) || null,
    bankId: null,
    party: partyOf(document, SIDES[direction]),
    purpose,
    isReversal: false,
    isCharge:
      direction === "out" && document.kind === "Банковский ордер" && /комисси/i.test(purpose),
  };
}

function dateOf(document: Part, direction: "in" | "out"): Value {
  const dates = ["ДатаПоступило", "ДатаСписано"];
  return first(document, ...(direction === "in" ? dates : dates.toReversed()), "Дата");
}

function timeOf(document: Part, day: string): string | null {
  const told = first(document, "КвитанцияДата");
  const written = first(document, "КвитанцияВремя");
  const time = timeOrNull(written.text, written.row);
  return !isTold(told) || dayIn(told) === day ? time : null;
}

function partyOf(document: Part, side: string): StatementLine["party"] {
  const written = textIn(first(document, `${side}1`, side));
  const [prefix = "", inName] = /^ИНН (\d{10}(?:\d\d)?) /.exec(written) ?? [];
  const inn = first(document, `${side}ИНН`);
  return {
    account: textIn(first(document, `${side}Счет`, `${side}РасчСчет`)) || null,
    name: written.slice(prefix.length) || null,
    inn: /^0*$/.test(inn.text) ? (inName ?? null) : textIn(inn),
  };
}

function purposeOf(document: Part): string {
  const whole = textIn(first(document, "НазначениеПлатежа"));
  if (whole !== "") return whole;
  const parts = PURPOSE_PARTS.map((key) => first(document, key));
  return textOf(parts.map(({ text }) => text).join(" "), parts[0]?.row ?? document.row);
}
