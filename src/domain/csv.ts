// Rows of a CSV file (RFC 4180) with any delimiter, one after another. Guards that a file which ends in the
// middle of a row is refused: a CSV has no other end. A file that was cut exactly behind a row cannot be
// told from a shorter one.

import { refuseRow } from "./statement-field.ts";

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

/** Behind the quote that closes the field. */
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
