// A file of a list holds all of its rows, or says in its last line that it does not.

import assert from "node:assert/strict";
import { it } from "node:test";
import { cutWords, fileParts } from "./list-file.ts";

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
