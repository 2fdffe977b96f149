// Answers for people: tables as wide as the terminal, things as lines, moments in the service's zone.

type Row = Readonly<Record<string, unknown>>;

/** Where nobody looks, a program may: then nothing is cut. */
const terminalWidth = (): number =>
  process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY;

export function printTable(
  rows: readonly Row[],
  columns: readonly string[],
  zone = "UTC",
  room = terminalWidth(),
): string {
  if (rows.length === 0) return "nothing\n";
  const cells = rows.map((row) => columns.map((name) => cell(name, row[name], zone)));
  const isNumber = columns.map((name) => rows.every((row) => isNumeric(row[name])));
  const kinds = columns.map((name) => rows.map((row) => row[name]).find((one) => one !== null));
  const widths = fitted(
    columns.map((name, index) =>
      Math.max(width(name), ...cells.map((line) => width(line[index] ?? ""))),
    ),
    kinds.map(patienceOf),
    room,
  );
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, index) => pad(cut(text, widths[index] ?? 0), widths[index] ?? 0, isNumber[index]))
      .join(GAP)
      .trimEnd();
  return `${[columns, ...cells].map(line).join("\n")}\n`;
}

/**
 * What a spreadsheet would run as a formula gets an apostrophe (CWE-1236), whatever stands before it unseen, as
 * in the files of the pages; numbers and moments are no such text.
 */
const FORMULA = /^[\t\r\n]|^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠]/u;

export function printCsv(rows: readonly Row[], columns: readonly string[], zone: string): string {
  const field = (name: string, value: unknown): string => {
    if (value === null || value === undefined) return "";
    const shown = cell(name, value, zone);
    const text = typeof value === "number" ? shown : shown.replace(FORMULA, (sign) => `'${sign}`);
    return /[",;]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = rows.map((row) => columns.map((name) => field(name, row[name])));
  // The mark at the front tells Excel that it is UTF-8.
  return `\ufeff${[columns, ...lines].map((line) => `${line.join(",")}\r\n`).join("")}`;
}

const GAP = "  ";
/** Narrower than this a column says nothing any more: rather the lines are broken. */
const NARROWEST = 9;

/** Ids are cut first, of which the end says enough, then texts, and numbers and moments last. */
function patienceOf(value: unknown): number {
  if (typeof value !== "string" || MOMENT.test(value)) return 2;
  return UUID.test(value) ? 0 : 1;
}

/** Of those that are to be cut first the widest give way, only as far as they must, and then the others. */
function fitted(
  widths: readonly number[],
  patience: readonly number[],
  room: number,
): readonly number[] {
  const fitting = [...widths];
  let left = fitting.reduce((sum, one) => sum + one + GAP.length, -GAP.length) - room;
  for (const turn of [0, 1, 2]) {
    while (left > 0) {
      const open = fitting.map((one, index) => ((patience[index] ?? 0) <= turn ? one : 0));
      const widest = Math.max(...open);
      if (widest <= NARROWEST) break;
      fitting[open.indexOf(widest)] = widest - 1;
      left -= 1;
    }
  }
  return fitting;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A number of which the middle is hidden. */
const MASKED = /^\d+\*+\d+$/;

/** Of an id the end stays, by which commands find it again, and of a card's number, by which people do. */
function cut(text: string, length: number): string {
  const letters = [...text];
  if (letters.length <= length) return text;
  return UUID.test(text) || MASKED.test(text)
    ? `…${letters.slice(1 - length).join("")}`
    : `${letters.slice(0, length - 1).join("")}…`;
}

/** Plain values first, then what has an inside under its own heading. */
export function printThing(thing: Row, zone = "UTC"): string {
  const entries = Object.entries(thing);
  const plain = entries.filter(([, value]) => !isInside(value));
  const longest = Math.max(0, ...plain.map(([name]) => name.length));
  const lines = plain.map(
    ([name, value]) => `${name.padEnd(longest)}  ${cell(name, value, zone)}\n`,
  );
  const inside = entries.filter(([, value]) => isInside(value));
  const parts = [lines.join(""), ...inside.map(([name, value]) => printInside(name, value, zone))];
  return parts.filter((part) => part !== "").join("\n");
}

function printInside(name: string, value: unknown, zone: string): string {
  if (Array.isArray(value)) {
    const rows = value as Row[];
    return `${name}:\n${printTable(rows, Object.keys(rows[0] ?? {}), zone)}`;
  }
  return `${name}:\n${printThing(value as Row, zone)}`;
}

function isInside(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0 || typeof value[0] === "object";
  return typeof value === "object" && value !== null;
}

function isNumeric(value: unknown): boolean {
  return typeof value === "number" || value === null || value === undefined;
}

/** ISO 8601: the gateway's own, and those that banks and people have told, as exactly as they know them. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?<seconds>:\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/** Whether a moment is anywhere in it. */
export function holdsMoment(value: unknown): boolean {
  if (typeof value === "string") return MOMENT.test(value);
  return typeof value === "object" && value !== null && Object.values(value).some(holdsMoment);
}

function cell(name: string, value: unknown, zone: string): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return isMoney(name) ? money(value) : String(value);
  if (Array.isArray(value)) return value.join(", ");
  if (typeof value === "object") return JSON.stringify(value);
  const text = String(value);
  return MOMENT.test(text) ? momentIn(zone, text) : oneLine(text);
}

/** Text of strangers stays one line and cannot steer the terminal. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_C}]/gu, " ");
}

export function money(amount: number): string {
  return amount.toFixed(2);
}

/** "1 shop", "2 shops". */
export function counted(count: number | bigint, thing: string): string {
  return `${count} ${thing}${Number(count) === 1 ? "" : "s"}`;
}

function isMoney(name: string): boolean {
  return /(?:amount|sum|balance|to_pay|fees?|fix|received?|credited|refunded|withdraw|_over|available|frozen|reserved|bank_out|difference)$/.test(
    name,
  );
}

export function momentIn(timeZone: string, text: string): string {
  // Swedes write a date as ISO 8601 does.
  const there = new Date(text).toLocaleString("sv-SE", { timeZone });
  return MOMENT.exec(text)?.groups?.["seconds"] === undefined ? there.slice(0, -3) : there;
}

export function isDay(value: unknown): boolean {
  const isOne = typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value);
  return isOne && new Date(value).toJSON()?.slice(0, 10) === value;
}

const QUARTER_MS = 15 * 60 * 1000;

/** Its first moment. Where clocks are moved at night a day has no midnight, or two; it begins at a quarter of an hour. */
export function startOfDay(timeZone: string, day: string): string {
  const moment = (quarter: number): string =>
    new Date(Date.parse(day) + quarter * QUARTER_MS).toISOString();
  // No zone is further from UTC.
  let [before, after] = [-64, 64];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (momentIn(timeZone, moment(middle)).slice(0, 10) < day) before = middle;
    else after = middle;
  }
  return moment(after);
}

function width(text: string): number {
  return [...text].length;
}

function pad(text: string, length: number, right = false): string {
  const gap = " ".repeat(Math.max(0, length - width(text)));
  return right ? gap + text : text + gap;
}
