// A file of a list holds all of its rows, or says in its last line that it does not.

import assert from "node:assert/strict";
import { it } from "node:test";
import { csvText, cutWords, fileParts } from "./list-file.ts";

const pages = [["a", "b"], [], ["c", "d"], ["e"]];

async function textOfFile(most: number): Promise<string> {
  const pageAt = (at: number) => ({
    items: pages[at] ?? [],
    next: at + 1 < pages.length ? String(at + 1) : null,
  });
  const parts = fileParts(pageAt(0), {
    most,
    pageAfter: async (next) => pageAt(Number(next)),
    textOf: async (items, isFirst) => (isFirst ? "head " : "") + items.join(""),
    cutAt: (next) => ` cut before ${next}`,
  });
  return (await Array.fromAsync(parts)).join("");
}

it("a file that is cut says so, and where; one that holds everything does not", async () => {
  assert.equal(await textOfFile(3), "head ab cut before 2");
  assert.equal(await textOfFile(5), "head abcd cut before 3");
  assert.equal(await textOfFile(6), "head abcde");
  assert.equal(await textOfFile(100), "head abcde");
});

it("in words that name how many there are, and from when on they are missing", () => {
  const look = { zone: "Europe/Moscow", now: new Date() };
  const [en, ru] = (["en", "ru"] as const).map((language) =>
    cutWords({ language, ...look }, 100_000, "14 Nov, 14:02"),
  );
  assert.match(
    en ?? "",
    /^NOT ALL ROWS ARE HERE: a file holds 100.000\. .* older than 14 Nov, 14:02/,
  );
  assert.match(
    ru ?? "",
    /^ЗДЕСЬ НЕ ВСЕ СТРОКИ: в файл входит 100.000\. .*Того, что раньше 14 Nov, 14:02, здесь нет:/,
  );
  assert.match(cutWords({ language: "ru", ...look }, 5), /Более старых здесь нет: возьмите/);
});

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
