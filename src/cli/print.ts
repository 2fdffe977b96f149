// Answers for people: lists as tables, single things as lines, moments in the time of the reader.

type Row = Readonly<Record<string, unknown>>;

export function printTable(rows: readonly Row[], columns: readonly string[]): string {
  if (rows.length === 0) return "nothing\n";
  const cells = rows.map((row) => columns.map((name) => cell(name, row[name])));
  const isNumber = columns.map((name) => rows.every((row) => isNumeric(row[name])));
  const widths = columns.map((name, index) =>
    Math.max(width(name), ...cells.map((line) => width(line[index] ?? ""))),
  );
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, index) => pad(text, widths[index] ?? 0, isNumber[index] === true))
      .join("  ")
      .trimEnd();
  return `${[columns, ...cells].map(line).join("\n")}\n`;
}

/** Plain values first, then what has an inside under its own heading. */
export function printThing(thing: Row): string {
  const entries = Object.entries(thing);
  const plain = entries.filter(([, value]) => !isInside(value));
  const longest = Math.max(0, ...plain.map(([name]) => name.length));
  const lines = plain.map(([name, value]) => `${name.padEnd(longest)}  ${cell(name, value)}\n`);
  const inside = entries.filter(([, value]) => isInside(value));
  return lines.join("") + inside.map(([name, value]) => printInside(name, value)).join("");
}

function printInside(name: string, value: unknown): string {
  if (Array.isArray(value)) {
    const rows = value as Row[];
    return `\n${name}:\n${printTable(rows, Object.keys(rows[0] ?? {}))}`;
  }
  return `\n${name}:\n${printThing(value as Row)}`;
}

function isInside(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0 || typeof value[0] === "object";
  return typeof value === "object" && value !== null;
}

function isNumeric(value: unknown): boolean {
  return typeof value === "number" || value === null || value === undefined;
}

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function cell(name: string, value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return isMoney(name) ? value.toFixed(2) : String(value);
  if (Array.isArray(value)) return value.join(", ");
  if (typeof value === "object") return JSON.stringify(value);
  const text = String(value);
  // Text of strangers stays one line and cannot steer the terminal.
  return MOMENT.test(text) ? localMoment(text) : text.replace(/\p{Cc}/gu, " ");
}

function isMoney(name: string): boolean {
  return /(?:amount|sum|balance|to_pay|fee|fix|received|credited|refunded)$/.test(name);
}

function localMoment(text: string): string {
  // Swedes write a date as ISO 8601 does.
  return new Date(text).toLocaleString("sv-SE");
}

function width(text: string): number {
  return [...text].length;
}

function pad(text: string, length: number, right: boolean): string {
  const gap = " ".repeat(Math.max(0, length - width(text)));
  return right ? gap + text : text + gap;
}
