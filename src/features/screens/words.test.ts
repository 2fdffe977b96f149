// Everything that the doors of /manage name has a word in both languages, and the two are not mixed up.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { it } from "node:test";
import { invariantWords } from "../desk/books.page.ts";
import { INVARIANTS } from "../ledger/manage-books.endpoint.ts";
import { LABELS } from "./labels.ts";
import { CODES, STATES } from "./states.ts";
import { hasLabel, labelOf, stateWord, wordOf } from "./words.ts";

/** Every name of a field in the doors' description, and every word that one of them can hold. */
function namesOf(): { fields: Set<string>; codes: Set<string> } {
  const [fields, codes] = [new Set<string>(), new Set<string>()];
  const walk = (part: unknown, name: string): void => {
    if (typeof part !== "object" || part === null) return;
    for (const [key, value] of Object.entries(part)) {
      if (key === "example" || key === "examples") continue;
      if (key === "properties") {
        for (const field of Object.keys(value)) fields.add(field);
        for (const [field, inner] of Object.entries(value)) walk(inner, field);
      } else if ((key === "enum" || key === "const") && !["status", "delimiter"].includes(name)) {
        for (const code of [value].flat()) if (code) codes.add(String(code));
      } else walk(value, name);
    }
  };
  const file = new URL("../../../openapi.json", import.meta.url);
  const { paths, components } = JSON.parse(readFileSync(file, "utf8"));
  const text = JSON.stringify(Object.entries(paths).filter(([path]) => path.startsWith("/manage")));
  const used = new Set(
    [...text.matchAll(/#\/components\/schemas\/([\w.-]+)/g)].map(([, name]) => name),
  );
  for (const name of used) walk(components.schemas[name ?? ""], "");
  walk(JSON.parse(text), "");
  return { fields, codes };
}

it("every field of a door under /manage has a label, every word that it can hold a word", () => {
  const { fields, codes } = namesOf();
  assert.ok(fields.size > 200 && codes.size > 80);
  assert.deepEqual(
    [...fields].filter((field) => !hasLabel(field)),
    [],
  );
  const known = new Set(
    [
      ...CODES.trim().split("\n"),
      ...STATES.trim()
        .split("\n")
        .map((line) => line.replace(/^\w+\|/, "")),
    ].map((line) => line.split("|")[0]),
  );
  assert.deepEqual(
    [...codes].filter((code) => !known.has(code)),
    [],
  );
});

it("every row of the tables has its name once and both languages", () => {
  for (const [text, cells] of [
    [LABELS, 3],
    [STATES, 4],
    [CODES, 3],
  ] as const) {
    const rows = text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.split("|"));
    for (const row of rows) {
      assert.equal(row.length, cells, row.join("|"));
      assert.ok(
        row.every((cell) => cell.trim() === cell && cell !== ""),
        row.join("|"),
      );
      assert.doesNotMatch(row.at(-2) ?? "", /[а-яё]/i);
    }
    const names = rows.map((row) => row.at(-3));
    assert.equal(new Set(names).size, names.length);
  }
});

it("a name without a word is shown readable", () => {
  assert.equal(labelOf("received_at", "ru"), "Получено");
  assert.equal(labelOf("some_new_field", "ru"), "Some new field");
  assert.equal(wordOf("p2p_card", "en"), "Card");
  assert.equal(wordOf("Any text", "en"), "Any text");
  assert.equal(stateWord("paid", "ru"), "Оплачен");
});

it("every act that the gateway writes into its log has words", () => {
  const folder = new URL("../", import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const acts = files
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .flatMap((file) => [
      ...readFileSync(new URL(file, folder), "utf8").matchAll(/\bact: "(\w+\.\w+)"/g),
    ])
    .map(([, act = ""]) => act);
  assert.ok(acts.length > 40);
  assert.deepEqual(
    acts.filter((act) => wordOf(act, "ru") === act),
    [],
  );
});

it("every kind of posting has words", () => {
  const source = readFileSync(new URL("../../domain/posting.ts", import.meta.url), "utf8");
  const [listed = ""] = /type PostingKind =[^;]+;[^;]+;/.exec(source) ?? [];
  const kinds = [...listed.matchAll(/"(\w+)"/g)].map(([, kind = ""]) => kind);
  assert.ok(kinds.length > 20);
  assert.deepEqual(
    kinds.filter((kind) => wordOf(kind, "ru") === kind),
    [],
  );
});

it("what must always hold is said in Russian, too, each by its own words", () => {
  const said = Object.entries(INVARIANTS).map(([number, words]) =>
    invariantWords(Number(number), words, "ru"),
  );
  assert.deepEqual(
    said.filter((words) => !/^[А-ЯЁ]/.test(words)),
    [],
  );
  assert.equal(new Set(said).size, said.length);
});
