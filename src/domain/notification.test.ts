// Every known wording of every bank, and what must not be taken for one: test/corpus/notifications.json. A new
// bank is a template and lines there.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { threadMs } from "../../test/thread-time.ts";
import { toDecimalText } from "./money.ts";
import { readNotification } from "./notification.ts";
import { TEMPLATE_BANKS, type TemplateBank } from "./notification-templates.ts";

interface Line {
  readonly name: string;
  readonly bank: TemplateBank;
  readonly sender: string;
  readonly text: string;
  readonly expected: Readonly<Record<string, string | null>>;
}

const file = new URL("../../test/corpus/notifications.json", import.meta.url);
const corpus: readonly Line[] = JSON.parse(readFileSync(file, "utf8"));

/** As the corpus writes it: amounts with their decimals. */
function written(text: string, banks: readonly TemplateBank[]): Record<string, string | null> {
  const entries = Object.entries(readNotification(text, banks)).map(([name, value]) =>
    name.endsWith("Minor")
      ? [name.slice(0, -"Minor".length), value === null ? null : toDecimalText(value)]
      : [name, value],
  );
  return Object.fromEntries(entries);
}

it("every text of the corpus is read as it says, and by no other bank's templates as something else", () => {
  assert.ok(corpus.length > 70);
  for (const { name, bank, text, expected } of corpus) {
    assert.deepEqual(written(text, [bank]), expected, name);
    // Of a phone with every bank on it.
    if (!name.startsWith("another bank's")) {
      assert.deepEqual(written(text, TEMPLATE_BANKS), expected, name);
    }
  }
});

it("no text of the corpus is income once a letter of it is changed for its double of the other alphabet", () => {
  const doubles: Readonly<Record<string, string>> = { е: "e", о: "o", р: "p", а: "a", с: "c" };
  for (const { name, bank, text, expected } of corpus) {
    const word = /[Пп]еревод|[Пп]ополнение|[Пп]оступление|зачисление/.exec(text)?.[0];
    if (expected["kind"] !== "income" || word === undefined) continue;
    for (const [own, other] of Object.entries(doubles)) {
      if (!word.includes(own)) continue;
      const forged = text.replace(word, word.replace(own, other));
      assert.notEqual(readNotification(forged, [bank]).kind, "income", `${name}: ${own}`);
    }
  }
});

it("66. texts of 200 KB and texts made to be slow take no time", () => {
  const name = "а".repeat(79);
  const slow = [
    "x".repeat(200_000),
    `VISA2059 12:00 Перевод 10р от ${"Иван ".repeat(40_000)}Баланс: 110р`,
    "«".repeat(200_000),
    " ".repeat(200_000),
    "e\u0301".repeat(100_000),
    `VISA2059 12:00 Перевод из ${"а ".repeat(400)}+10р`,
    `VISA2059 12:00 Перевод 10р от ${"а ".repeat(470)}`,
    `VISA2059 12:00 ${`${name} `.repeat(11)}`,
    `VISA2059 12:00 перевод 10р ${"Баланс: ".repeat(110)}`,
    `Перевод от ${"а. ".repeat(300)}`,
    `Перевод от ${"а".repeat(79)}. ${"а. ".repeat(250)}`,
    `VISA2059 12:00 Перевод ${"1 ".repeat(450)}р`,
    `VISA2059 12:00 Перевод ${"111 ".repeat(230)}р`,
    "карта ".repeat(160),
    "заблокирована карт".repeat(50),
    "код".repeat(330),
    "Сообщение ".repeat(99),
  ];
  for (const text of slow) {
    // The quickest of a few: what the engine does once is not the text's.
    const read = (): number =>
      threadMs(() => {
        const { kind } = readNotification(text, TEMPLATE_BANKS);
        assert.ok(kind === "nothing" || kind === "blocked", text.slice(0, 60));
      });
    const tookMs = Math.min(...Array.from({ length: 5 }, read));
    assert.ok(tookMs < 5, `${tookMs} ms for ${text.slice(0, 60)}`);
  }
});
