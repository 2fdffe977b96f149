// Every known wording of every bank, and what must not be taken for one: test/corpus/notifications.json. A new
// bank is a template and lines there.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { threadMs } from "../../test/thread-time.ts";
import { momentFormat } from "./moment.ts";
import { toDecimalText } from "./money.ts";
import { readNotification, TEMPLATE_BANKS, type TemplateBank, toldAt } from "./notification.ts";

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

const MOSCOW = momentFormat("Europe/Moscow");
const BERLIN = momentFormat("Europe/Berlin");

it("the printed time counts, of the nearest day; else the stamp; else the moment of telling", () => {
  const cases: [
    words: string,
    stamps: [time: string | null, day: string | null, sent: string | null, received: string],
    expected: string | undefined,
  ][] = [
    ["the same day", ["21:21", null, null, "2026-03-02T18:22:10Z"], "2026-03-02T18:21Z"],
    ["a minute ahead of us", ["21:21", null, null, "2026-03-02T18:20:10Z"], "2026-03-02T18:21Z"],
    [
      "yesterday, told after midnight",
      ["23:59", null, null, "2026-03-01T21:05:00Z"],
      "2026-03-01T20:59Z",
    ],
    [
      "30 hours late, with its stamp",
      ["21:21", null, "2026-03-01T18:21:30Z", "2026-03-03T00:21:00Z"],
      "2026-03-01T18:21Z",
    ],
    [
      "a day of its own",
      ["21:19", "2026-03-01", null, "2026-03-02T18:22:10Z"],
      "2026-03-01T18:19Z",
    ],
    [
      "a day without its year",
      ["19:49", "--12-31", null, "2027-01-01T00:00:00Z"],
      "2026-12-31T16:49Z",
    ],
    [
      "no time: the stamp",
      [null, null, "2026-03-02T18:00:00Z", "2026-03-02T18:22:10Z"],
      "2026-03-02T18:00:00.000Z",
    ],
    ["no stamp: now", [null, null, null, "2026-03-02T18:22:10Z"], "2026-03-02T18:22:10.000Z"],
    [
      "the day of the stamp",
      [null, "2026-03-02", "2026-03-02T18:00:00Z", "2026-03-02T18:22:10Z"],
      "2026-03-02T18:00:00.000Z",
    ],
    [
      "another day than the stamp's",
      [null, "2026-03-01", null, "2026-03-02T18:22:10Z"],
      "2026-03-01",
    ],
    [
      "a stamp a little ahead",
      [null, null, "2026-03-02T18:25:00Z", "2026-03-02T18:22:10Z"],
      "2026-03-02T18:22:10.000Z",
    ],
    ["a clock in 2031", ["21:21", null, "2031-03-02T18:21:00Z", "2026-03-02T18:22:10Z"], undefined],
    ["a day that is to come", ["21:21", "2026-03-04", null, "2026-03-02T18:22:10Z"], undefined],
    ["a week old", ["21:21", "2026-02-23", null, "2026-03-02T18:22:10Z"], undefined],
    ["a stamp of 1970", [null, null, "1970-01-01T00:00:00Z", "2026-03-02T18:22:10Z"], undefined],
  ];
  for (const [words, [printedTime, printedDay, sent, received], expected] of cases) {
    const sentAt = sent === null ? null : new Date(sent);
    const stamps = { printedTime, printedDay, sentAt, receivedAt: new Date(received) };
    assert.equal(toldAt(stamps, MOSCOW)?.madeAt, expected, words);
  }
});

it("a day on which the clocks were changed", () => {
  const receivedAt = new Date("2026-03-29T12:00:00Z");
  const stamps = { printedTime: "12:30", printedDay: "2026-03-29", sentAt: null, receivedAt };
  assert.equal(toldAt(stamps, BERLIN)?.madeAt, "2026-03-29T10:30Z");
});

it("an hour that is there twice is the first until it has come again, and then either", () => {
  const at = (received: string): string | undefined => {
    const receivedAt = new Date(received);
    const stamps = { printedTime: "02:40", printedDay: null, sentAt: null, receivedAt };
    return toldAt(stamps, BERLIN)?.madeAt;
  };
  assert.equal(at("2026-10-25T00:40:30Z"), "2026-10-25T00:40Z");
  assert.equal(at("2026-10-25T01:40:30Z"), "2026-10-25T00:40Z/2026-10-25T01:40Z");
});
