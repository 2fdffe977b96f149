// Statements as CSV: rows (RFC 4180), profiles of columns, and the files of known banks.

import { Refusal } from "./refusal.ts";
import {
  again,
  amountOf,
  assertNotTooMany,
  assertNotTooManySections,
  currencyOf,
  dayOf,
  type ReadSection,
  refuseRow,
  type Statement,
  type StatementFormat,
  type StatementLine,
  type StatementSection,
  signedAmountOf,
  spanOf,
  textOf,
  textOrNull,
  timeOrNull,
  wholeStatement,
} from "./statement.ts";

export interface CsvRow {
  /** The line of the file that it begins in, from 1. */
  readonly row: number;
  readonly fields: readonly string[];
}

/** No bank has as many; a row of nothing but delimiters is to cost nothing. */
const MOST_FIELDS = 200;

export function* csvRows(text: string, delimiter: string): Generator<CsvRow> {
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const row = line;
    const fields: string[] = [];
    for (let isOpen = true; isOpen; ) {
      if (fields.length === MOST_FIELDS)
        refuseRow("statement_malformed", row, fields.join(delimiter));
      const start = at;
      const isQuoted = text[at] === '"';
      const end = isQuoted ? quotedEnd(text, at, row) : plainEnd(text, at, delimiter);
      // A field that the file ends in, or the row of it, may be half of what it was.
      if (end >= text.length) refuseRow("statement_cut", row);
      const field = isQuoted ? text.slice(start + 1, end - 1) : text.slice(start, end);
      fields.push(isQuoted && field.includes('"') ? field.replaceAll('""', '"') : field);
      if (isQuoted) line += countOf(field, "\n");
      at = end + 1;
      isOpen = text[end] === delimiter;
      if (isOpen) continue;
      if (text[end] === "\r" && at === text.length) refuseRow("statement_cut", row);
      if (text[end] === "\r" && text[at] === "\n") at += 1;
      else if (text[end] !== "\n")
        refuseRow("statement_malformed", row, text.slice(start, end + 20));
      line += 1;
    }
    if (fields.length > 1 || fields[0] !== "") yield { row, fields };
  }
}

function quotedEnd(text: string, start: number, row: number): number {
  for (let from = start + 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote === -1) refuseRow("statement_cut", row);
    if (text[quote + 1] !== '"') return quote + 1;
    from = quote + 2;
  }
}

function plainEnd(text: string, start: number, delimiter: string): number {
  for (let end = start; end < text.length; end += 1) {
    const letter = text[end];
    if (letter === delimiter || letter === "\n") return end;
    if (letter === "\r" && text[end + 1] === "\n") return end;
  }
  return text.length;
}

function countOf(text: string, one: string): number {
  let count = 0;
  for (let at = text.indexOf(one); at !== -1; at = text.indexOf(one, at + 1)) count += 1;
  return count;
}

export const DATE_FORMS = ["dd.mm.yyyy", "dd.mm.yy", "yyyy-mm-dd"] as const;

/** Which column has the sum, and what says whether it came or went. */
export type CsvSums =
  | { readonly signed: string }
  | { readonly in: string; readonly out: string }
  | {
      readonly unsigned: string;
      readonly direction: string;
      readonly inWords: readonly string[];
      readonly outWords: readonly string[];
    };

export interface CsvStatus {
  readonly column: string;
  /** "others": whatever is neither of the following. A word that none of them has refuses the file. */
  readonly booked: readonly string[] | "others";
  readonly pending: readonly string[];
  readonly failed: readonly string[];
}

export interface CsvProfile {
  readonly delimiter: string;
  readonly dateForm: (typeof DATE_FORMS)[number];
  /** Where the time stands behind the date, it is read as well. */
  readonly date: string;
  readonly sums: CsvSums;
  /** Without it every row is booked. */
  readonly status?: CsvStatus;
  /** The bank's own id; only what is booked has one that stays. */
  readonly id?: string;
  readonly number?: string;
  readonly account?: string;
  /** What the bank calls an account whose number it does not tell. */
  readonly accountName?: string;
  /** Without it the file is in roubles. */
  readonly currency?: string;
  readonly partyName?: string;
  readonly partyAccount?: string;
  readonly partyInn?: string;
  /** Joined where there are several. */
  readonly purpose?: readonly string[];
}

export interface CsvRead {
  readonly format: StatementFormat;
  readonly profile: CsvProfile;
}

const LONGEST_HEADER = 4_000;

/** Read as every other row is: by another reading a name would stand above its neighbour's column. */
function headerOf(text: string, delimiter: string): string[] {
  try {
    // That the file is cut is told by whoever reads it whole.
    const [first] = csvRows(`${text.slice(0, LONGEST_HEADER)}\n`, delimiter);
    return first?.fields.map((name) => name.trim()) ?? [];
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}

function namesOf({ sums, ...profile }: CsvProfile): string[] {
  const { date, status, id, number, account, accountName, currency } = profile;
  const { partyName, partyAccount, partyInn, purpose = [] } = profile;
  const amounts =
    "signed" in sums
      ? [sums.signed]
      : "in" in sums
        ? [sums.in, sums.out]
        : [sums.unsigned, sums.direction];
  const optional = [
    status?.column,
    id,
    number,
    account,
    accountName,
    currency,
    partyName,
    partyAccount,
    partyInn,
  ];
  return [date, ...amounts, ...purpose, ...optional.flatMap((name) => name ?? [])];
}

export function hasColumns(text: string, profile: CsvProfile): boolean {
  const header = headerOf(text, profile.delimiter);
  return namesOf(profile).every((name) => header.includes(name));
}

interface CsvLine extends Pick<StatementSection, "account" | "currency"> {
  readonly line: StatementLine;
  readonly isNamed: boolean;
}

/** A large file is of one account: its lines are read anew whenever somebody goes through them. */
export function parseCsv(text: string, { format, profile }: CsvRead): Statement {
  const rows = again(() => linesOf(text, profile));
  const sections = new Map<string, Pick<ReadSection, "row" | "account" | "currency">>();
  let isNamed = false;
  const keyOf = ({ account, currency }: CsvLine) => `${currency} ${account ?? ""}`;
  for (const one of rows) {
    const { account, currency, line } = one;
    isNamed ||= one.isNamed;
    const key = keyOf(one);
    if (!sections.has(key)) sections.set(key, { row: line.row, account, currency });
    assertNotTooManySections(sections.size);
  }
  const apart = sections.size > 1 ? Map.groupBy(rows, keyOf) : undefined;
  const whole = [...sections].map(([key, one]): ReadSection => {
    const own = apart?.get(key) ?? rows;
    // A row without a name is of an account that has none, or the bank does not say whose it is.
    const lines = again(() =>
      Iterator.from(own).map((row) =>
        isNamed && !row.isNamed ? { ...row.line, isUnnamed: true } : row.line,
      ),
    );
    return { ...one, ...spanOf(lines), openingMinor: null, closingMinor: null, lines };
  });
  return wholeStatement(format, whole);
}

function* linesOf(text: string, profile: CsvProfile): Generator<CsvLine, undefined> {
  const header = headerOf(text, profile.delimiter);
  // Some banks end each row with a delimiter: a last column without a name.
  const width = header.findLastIndex((name) => name !== "") + 1;
  const at = new Map(namesOf(profile).map((name) => [name, header.indexOf(name)]));
  const twice = at.keys().find((name) => header.lastIndexOf(name) !== at.get(name));
  let count = -1;
  let called = "";
  for (const { row, fields } of csvRows(text, profile.delimiter)) {
    if (fields.length < width || fields.slice(width).some((field) => field !== "")) {
      const params = { row: String(row), found: String(fields.length), expected: String(width) };
      throw new Refusal("statement_columns", params);
    }
    if (twice !== undefined) refuseRow("statement_column_twice", row, twice);
    count += 1;
    if (count === 0) continue;
    assertNotTooMany(count);
    const cell = (name: string | undefined): string =>
      name === undefined ? "" : (fields[at.get(name) ?? -1] ?? "").trim();
    const account = textOrNull(cell(profile.account), row);
    const name = cell(profile.accountName);
    called ||= name;
    // Whoever brings it says of one requisite that it is its file.
    if (name !== "" && name !== called) refuseRow("statement_several_accounts", row, name);
    const currency =
      profile.currency === undefined ? "RUB" : currencyOf(cell(profile.currency), row);
    yield { account, currency, isNamed: name !== "", line: lineOf(profile, cell, row) };
  }
}

type Cell = (name: string | undefined) => string;

function lineOf(profile: CsvProfile, cell: Cell, row: number): StatementLine {
  const status = statusOf(profile.status, cell, row);
  const purpose = (profile.purpose ?? []).map(cell).filter((part) => part !== "");
  const { day, time } = momentOf(cell(profile.date), profile.dateForm, row);
  const { direction, amountMinor } = moneyOf(profile.sums, cell, row);
  return {
    row,
    direction,
    status,
    day,
    time,
    amountMinor,
    number: textOrNull(cell(profile.number), row),
    bankId: status === "booked" ? textOrNull(cell(profile.id), row) : null,
    party: {
      account: textOrNull(cell(profile.partyAccount), row),
      name: textOrNull(cell(profile.partyName), row),
      inn: textOrNull(cell(profile.partyInn), row),
    },
    purpose: textOf(purpose.join(" "), row),
    isReversal: false,
    isCharge: false,
  };
}

type Money = Pick<StatementLine, "direction" | "amountMinor">;

function moneyOf(sums: CsvSums, cell: Cell, row: number): Money {
  if ("signed" in sums) return signedMoney(signedAmountOf(cell(sums.signed), row));
  if ("in" in sums) {
    const [came, went] = [cell(sums.in), cell(sums.out)].map((value) =>
      value === "" ? 0n : amountOf(value, row),
    );
    if (came === undefined || went === undefined || (came > 0n && went > 0n)) {
      refuseRow("statement_amount", row, `${cell(sums.in)} ${cell(sums.out)}`);
    }
    return signedMoney(came - went);
  }
  const word = cell(sums.direction);
  const isIn = isAmong(word, sums.inWords);
  if (!isIn && !isAmong(word, sums.outWords)) refuseRow("statement_word", row, word);
  return { direction: isIn ? "in" : "out", amountMinor: amountOf(cell(sums.unsigned), row) };
}

function signedMoney(minor: bigint): Money {
  return minor < 0n
    ? { direction: "out", amountMinor: -minor }
    : { direction: "in", amountMinor: minor };
}

function isAmong(word: string, words: readonly string[]): boolean {
  return words.includes(word) || words.some((one) => one.toLowerCase() === word.toLowerCase());
}

function statusOf(status: CsvStatus | undefined, cell: Cell, row: number): StatementLine["status"] {
  if (status === undefined) return "booked";
  const word = cell(status.column);
  if (status.booked !== "others" && isAmong(word, status.booked)) return "booked";
  if (isAmong(word, status.pending)) return "pending";
  if (isAmong(word, status.failed)) return "failed";
  return status.booked === "others" ? "booked" : refuseRow("statement_word", row, word);
}

const DATES: Readonly<Record<CsvProfile["dateForm"], RegExp>> = {
  "dd.mm.yyyy": /^(\d\d)\.(\d\d)\.(\d{4})(?:[ T]+(\S+))?$/,
  "dd.mm.yy": /^(\d\d)\.(\d\d)\.(\d\d)(?:[ T]+(\S+))?$/,
  "yyyy-mm-dd": /^(\d{4})-(\d\d)-(\d\d)(?:[ T]+(\S+))?$/,
};

function momentOf(
  value: string,
  form: CsvProfile["dateForm"],
  row: number,
): Pick<StatementLine, "day" | "time"> {
  const [, first = "", month = "", last = "", time = ""] =
    DATES[form].exec(value) ?? refuseRow("statement_date", row, value);
  const [year, day] = form === "yyyy-mm-dd" ? [first, last] : [last, first];
  const full = year.length === 2 ? `20${year}` : year;
  return { day: dayOf(full, month, day, value, row), time: timeOrNull(time, row) };
}

interface BankCsv extends CsvRead {
  readonly header: readonly string[];
}

const TBANK_STATUS = {
  column: "Статус",
  booked: ["OK", "Ок"],
  pending: ["WAITING", "В обработке"],
  failed: ["FAILED", "Ошибка"],
} as const;

const TBANK = {
  delimiter: ";",
  dateForm: "dd.mm.yyyy",
  date: "Дата операции",
  sums: { signed: "Сумма платежа" },
  currency: "Валюта платежа",
  status: TBANK_STATUS,
  purpose: ["Описание"],
} as const satisfies CsvProfile;

export const BANK_CSVS: readonly BankCsv[] = [
  {
    format: "csv-tbank",
    profile: TBANK,
    header: [
      "Дата операции",
      "Дата платежа",
      "Номер карты",
      "Статус",
      "Сумма операции",
      "Валюта операции",
      "Сумма платежа",
      "Валюта платежа",
      "Кэшбэк",
      "Категория",
      "MCC",
      "Описание",
      "Бонусы (включая кэшбэк)",
    ],
  },
  {
    // Of 2026, with the payer's message in a column of its own.
    format: "csv-tbank",
    profile: {
      ...TBANK,
      sums: { signed: "Сумма в валюте счёта" },
      accountName: "Имя счёта",
      currency: "Валюта счёта",
      purpose: ["Описание", "Сообщение"],
    },
    header: [
      "Имя счёта",
      "Номер карты",
      "Дата операции",
      "Сумма операции",
      "Валюта операции",
      "Сумма в валюте счёта",
      "Валюта счёта",
      "Статус",
      "Категория по-умолчанию",
      "Ваша категория",
      "MCC",
      "Описание",
      "Сообщение",
    ],
  },
  {
    format: "csv-alfa",
    profile: {
      delimiter: ",",
      dateForm: "dd.mm.yyyy",
      date: "operationDate",
      sums: {
        unsigned: "amount",
        direction: "type",
        inWords: ["Пополнение"],
        outWords: ["Списание"],
      },
      status: {
        column: "status",
        // An external error often has none.
        booked: ["Выполнен", ""],
        pending: ["В обработке"],
        failed: ["Отменён", "Отменен", "Отклонён", "Отклонен"],
      },
      account: "accountNumber",
      currency: "currency",
      partyName: "merchant",
      purpose: ["comment"],
    },
    header: [
      "operationDate",
      "transactionDate",
      "accountName",
      "accountNumber",
      "cardName",
      "cardNumber",
      "merchant",
      "amount",
      "currency",
      "status",
      "category",
      "mcc",
      "type",
      "comment",
      "bonusValue",
      "bonusTitle",
    ],
  },
  {
    format: "csv-alfa-old",
    profile: {
      delimiter: ";",
      dateForm: "dd.mm.yy",
      date: "Дата операции",
      sums: { in: "Приход", out: "Расход" },
      status: { column: "Референс проводки", booked: "others", pending: ["HOLD"], failed: [] },
      id: "Референс проводки",
      account: "Номер счета",
      currency: "Валюта",
      purpose: ["Описание операции"],
    },
    header: [
      "Тип счёта",
      "Номер счета",
      "Валюта",
      "Дата операции",
      "Референс проводки",
      "Описание операции",
      "Приход",
      "Расход",
      "",
    ],
  },
  {
    format: "csv-raiffeisen",
    profile: {
      delimiter: ";",
      dateForm: "dd.mm.yyyy",
      date: "Дата транзакции",
      sums: { signed: "Сумма в валюте счета" },
      currency: "Валюта счета",
      purpose: ["Описание"],
    },
    header: [
      "Дата транзакции",
      "Описание",
      "Валюта операции",
      "Сумма в валюте операции",
      "Валюта счета",
      "Сумма в валюте счета",
    ],
  },
];
