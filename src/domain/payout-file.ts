// Payouts as a file for the bank's client, and the bank's answer. A wrong row refuses the whole answer.

import { decodeText, encodeText } from "./encoding.ts";
import { toDecimalText } from "./money.ts";
import type { PayoutService } from "./payout.ts";
import { Refusal } from "./refusal.ts";
import { refuseRow } from "./statement.ts";
import { MARK_1C } from "./statement-1c.ts";
import { csvRows } from "./statement-csv.ts";
import { visibleText } from "./visible-text.ts";

export const FILE_FORMATS = ["csv", "1c"] as const;

export type FileFormat = (typeof FILE_FORMATS)[number];

/**
 * What a payout is called in files, and in what the bank writes of it: short enough for a purpose, and of no
 * other payout. The letter keeps spreadsheets from reading it as a number.
 */
export function documentOf(payoutId: string): string {
  return `K${payoutId.slice(-12).toUpperCase()}`;
}

export interface FileRow {
  readonly payoutId: string;
  readonly service: PayoutService;
  readonly number: string;
  readonly bankId: string | null;
  readonly bankName: string | null;
  readonly receiveMinor: bigint;
  readonly currency: string;
}

export interface FileHead {
  /** 2026-12-31 and 23:59:59, where the gateway is. */
  readonly day: string;
  readonly time: string;
  /** The account that the money leaves from; 20 digits. */
  readonly account: string | undefined;
}

export function writeFile(
  format: FileFormat,
  rows: readonly FileRow[],
  head: FileHead,
): Uint8Array {
  return format === "csv"
    ? encodeText(`\ufeff${csvOf(rows)}`, "utf-8")
    : encodeText(exchangeOf(rows, head), "windows-1251");
}

const COLUMNS = "number;service;wallet;bank_id;bank;amount;currency;purpose";

function purposeOf(payoutId: string): string {
  return `Выплата ${documentOf(payoutId)}`;
}

function csvOf(rows: readonly FileRow[]): string {
  const lines = rows.map((row) =>
    [
      documentOf(row.payoutId),
      row.service,
      row.number,
      row.bankId ?? "",
      row.bankName ?? "",
      toDecimalText(row.receiveMinor),
      row.currency,
      purposeOf(row.payoutId),
    ]
      .map(cellOf)
      .join(";"),
  );
  return [COLUMNS, ...lines].map((line) => `${line}\r\n`).join("");
}

/** Spreadsheets run what begins with one of these, quoted or not. */
const FORMULA = /^[=+\-@\t\r]/;

function cellOf(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[";\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A value ends with its line. */
function lineOf(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function exchangeOf(rows: readonly FileRow[], { day, time, account }: FileHead): string {
  const date = day.split("-").toReversed().join(".");
  const own = account === undefined ? [] : [`ПлательщикСчет=${account}`];
  const lines = [
    MARK_1C,
    "ВерсияФормата=1.03",
    "Кодировка=Windows",
    "Отправитель=Kopeck",
    `ДатаСоздания=${date}`,
    `ВремяСоздания=${time}`,
    `ДатаНачала=${date}`,
    `ДатаКонца=${date}`,
    ...(account === undefined ? [] : [`РасчСчет=${account}`]),
    "Документ=Платежное поручение",
    ...rows.flatMap((row, index) => [
      "СекцияДокумент=Платежное поручение",
      `Номер=${index + 1}`,
      `Дата=${date}`,
      `Сумма=${toDecimalText(row.receiveMinor)}`,
      ...own,
      `ПолучательСчет=${row.number}`,
      ...(row.bankName === null ? [] : [`ПолучательБанк1=${lineOf(row.bankName)}`]),
      "ВидОплаты=01",
      "Очередность=5",
      `НазначениеПлатежа=${purposeOf(row.payoutId)}`,
      "КонецДокумента",
    ]),
    "КонецФайла",
  ];
  return lines.map((line) => `${line}\r\n`).join("");
}

export interface FileResult {
  readonly row: number;
  readonly document: string;
  readonly state: "sent" | "not_sent" | "retry";
  readonly reference: string;
  readonly reason: string;
}

const RESULT_COLUMNS = 4;
const MOST_REFERENCE = 255;

/** A row each: number;state;reference;reason. A first row with these words is none. */
export function readResults(bytes: Uint8Array): FileResult[] {
  const results: FileResult[] = [];
  const said = new Set<string>();
  for (const { row, fields } of csvRows(decodeText(bytes), ";")) {
    const [document = "", state = "", written = "", reason = ""] = fields.map((one) => one.trim());
    const reference = visibleText(written);
    if (results.length === 0 && said.size === 0 && document === "number") continue;
    if (fields.length !== RESULT_COLUMNS) {
      const [found, expected] = [String(fields.length), String(RESULT_COLUMNS)];
      throw new Refusal("statement_columns", { row: String(row), found, expected });
    }
    if (state !== "sent" && state !== "not_sent" && state !== "retry") {
      refuseRow("result_state", row, state);
    }
    const proof = state === "sent" ? reference : reason;
    if (proof === "" || proof.length > MOST_REFERENCE) refuseRow("result_unproven", row, document);
    for (const one of [document, ...(state === "sent" ? [`=${reference}`] : [])]) {
      // Whatever the letters' size: a number is one number.
      const name = one.toUpperCase();
      if (said.has(name)) refuseRow("result_twice", row, one.replace(/^=/, ""));
      said.add(name);
    }
    results.push({ row, document: document.toUpperCase(), state, reference, reason });
  }
  return results;
}

const LEAST_LENGTH = 8;
const MOST_WORDS = 40;

/** From a letter or digit to one, with what names of documents are written with. */
const RUN = /[\p{L}\p{N}](?:[\p{L}\p{N}._/-]*[\p{L}\p{N}])?/gu;

export function payoutWords(text: string): string[] {
  const words = new Set<string>();
  for (const [run] of text.matchAll(RUN)) {
    for (const word of [/(?!)/, "/", /[._/]/, /[._/-]/].flatMap((by) => run.split(by))) {
      if (word.length >= LEAST_LENGTH && /\p{N}/u.test(word)) words.add(word);
    }
    if (words.size >= MOST_WORDS) break;
  }
  return [...words];
}
