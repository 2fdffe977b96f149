// Rows of a CSV: whatever cells are written are read again, with the line that each row begins in.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { checkProperty } from "../../test/property.ts";
import { Refusal } from "./refusal.ts";
import { csvRows } from "./statement-csv.ts";

const cell = fc.string({ unit: fc.constantFrom(..."aя1\"';,\t\r\n ") });
const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { maxLength: 6 });

const readAll = (text: string, delimiter: string) => [...csvRows(text, delimiter)];

it("cells of any letters are read again, whichever delimiter and line end they are written with", () => {
  checkProperty(
    fc.property(
      table,
      fc.constantFrom(";", ",", "\t"),
      fc.constantFrom("\n", "\r\n"),
      (rows, delimiter, end) => {
        const quoted = (one: string) => `"${one.replaceAll('"', '""')}"`;
        const bare = (one: string) =>
          /["\r\n]/.test(one) || one.includes(delimiter) ? quoted(one) : one;
        for (const write of [quoted, bare]) {
          const written = rows.map((row) => row.map(write).join(delimiter) + end);
          const read = readAll(written.join(""), delimiter);
          assert.deepEqual(
            read.map(({ fields }) => fields),
            rows,
          );
          for (const [index, { row }] of read.entries()) {
            assert.equal(row, written.slice(0, index).join("").split("\n").length);
          }
        }
      },
    ),
  );
});

it("blank rows are none, and quotes inside of a bare cell are letters", () => {
  const rows = readAll('a;b\n\n\r\nООО "Р";\n', ";");
  assert.deepEqual(rows, [
    { row: 1, fields: ["a", "b"] },
    { row: 4, fields: ['ООО "Р"', ""] },
  ]);
});

it("what ends in the middle of a row, or goes on behind a quote, is refused", () => {
  for (const [text, code, row] of [
    ["a;b\nc;d", "statement_cut", "2"],
    ["a;b\nc;", "statement_cut", "2"],
    ['a;b\nc;"d', "statement_cut", "2"],
    ['a;b\nc;"d"', "statement_cut", "2"],
    ['a;b\nc;"d"\r', "statement_cut", "2"],
    ["a;b\nc;d\r", "statement_cut", "2"],
    ['a;b\n"c"d;e\n', "statement_malformed", "2"],
    ['a;b\n"c"\rd;e\n', "statement_malformed", "2"],
    [";".repeat(300), "statement_malformed", "1"],
  ] as const) {
    assert.throws(
      () => readAll(text, ";"),
      (error) => error instanceof Refusal && error.code === code && error.params["row"] === row,
      text,
    );
  }
});
