// A file for a spreadsheet: nothing in it is run, and numbers stay numbers in either language.

import assert from "node:assert/strict";
import { it } from "node:test";
import { csvText } from "./csv.ts";

const rowOf = (cells: readonly (string | number | null)[], language: "en" | "ru" = "en"): string =>
  csvText([], [cells], language, { withHead: false });

it("what a spreadsheet would run is disarmed, whatever stands before it", () => {
  const hostile = [
    "=1+1",
    "+7",
    "-2",
    "@x",
    "＝1",
    "＋1",
    "－1",
    "＠x",
    " =1",
    "\u200b=1",
    "\ufeff=1",
    "\u00ad=1",
    "\u202a=1",
    "\u2066 \u061c=1",
    "\u180e+7",
    "\u{e0001}@x",
    "\ufe0f\u3164-2",
  ];
  for (const cell of hostile) assert.equal(rowOf([cell]).replaceAll('"', ""), `'${cell}\r\n`);
  for (const lead of ["\t", "\r", "\n"]) assert.equal(rowOf([`${lead}=1`]), `"'${lead}=1"\r\n`);
  assert.equal(rowOf(["a=1", "1-2", "x@y.z"]), "a=1,1-2,x@y.z\r\n");
});

it("numbers are exempt, and have the decimal sign of the language", () => {
  assert.equal(rowOf([-20.5, 1519.8, null, 0]), "-20.5,1519.8,,0\r\n");
  assert.equal(rowOf([-20.5, "a;b", "c"], "ru"), `-20,5;"a;b";c\r\n`);
});

it("the first page has the mark of its encoding and a head, the others have neither", () => {
  assert.equal(csvText(["=A", 'B"'], [], "en", { withHead: true }), `\ufeff'=A,"B"""\r\n`);
  assert.equal(csvText(["A"], [["x\ny"]], "en", { withHead: false }), `"x\ny"\r\n`);
});
