// Card numbers in texts: however one is written, it is found; and what banks call a transfer is none.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { anyCard, plainDigits, WRITINGS, withCheckDigit } from "../../test/card-writings.ts";
import { checkProperty } from "../../test/property.ts";
import { holdsCardNumber, maskNumbers } from "./card-number.ts";

const masked = (card: string): string =>
  card.slice(0, 6) + "*".repeat(card.length - 10) + card.slice(-4);

for (const [name, write] of Object.entries(WRITINGS)) {
  it(`a card number in a text written with ${name} is masked in a payer and found in a reference`, () => {
    checkProperty(
      fc.property(anyCard, (card) => {
        const written = write(card);
        const shown = maskNumbers(`Иван П., ${written}.`);
        assert.ok(shown.startsWith("Иван П., ") && shown.includes(masked(card)), shown);
        assert.ok(!plainDigits(shown).includes(card), shown);
        for (const text of [written, `line 3: ${written}`, `№${written} Иван`, `7, ${written}/1`]) {
          assert.ok(holdsCardNumber(text), text);
        }
      }),
    );
  });
}

it("a card number in a text never stays whole, whatever stands around it, and is masked once", () => {
  const writing = fc.constantFrom(...Object.values(WRITINGS));
  const around = fc.string({ unit: "grapheme", maxLength: 20 });
  checkProperty(
    fc.property(anyCard, writing, around, around, (card, write, before, after) => {
      const shown = maskNumbers(before + write(card) + after);
      assert.ok(!plainDigits(shown).includes(card), shown);
      assert.equal(maskNumbers(shown), shown);
    }),
  );
});

it("what is no card number is left in a payer's name as it is: dates, small numbers, masks", () => {
  for (const text of [
    "Иван П.",
    "ООО «Ромашка 2»",
    "кв. 12-34",
    "15.03.2026",
    "№ 1234567",
    "½ доли",
    "…",
    "220220******5678",
    "*5678",
    "+79*****4567",
    "1 - - - - 2 - - 3",
    "",
  ]) {
    assert.equal(maskNumbers(text), text);
  }
});

it("what is no card number is a good reference: of banks, of accounting, of people, of programs", () => {
  for (const text of [
    "A60311234567890B0000050011700906",
    "УТ00-000123",
    "statement 12, line 3",
    "",
    "40817810099910004312",
    "0000000000000000",
    "15.03.2026 12:30:00",
    "№ 5 от 15.03.2026",
    // A wrong check digit; lengths that the scheme does not have.
    "4276380012345678",
    "42763800123458",
    "22022002123452",
  ]) {
    assert.equal(holdsCardNumber(text), false, text);
  }
});

it("what is no card number is a number beside a letter, too short, too long, or of no scheme, with a right last digit", () => {
  const digits = (first: string, length: number) =>
    fc
      .stringMatching(new RegExp(`^\\d{${length - 1 - first.length}}$`))
      .map((rest) => withCheckDigit(first + rest));
  const others = fc.oneof(
    anyCard.map((card) => `A${card}`),
    anyCard.map((card) => `${card}K0000050011700901`),
    // A retrieval reference, an account, an acquirer's reference, a moment, a moment in milliseconds.
    digits("6", 12),
    digits("4", 20),
    digits("7", 23),
    digits("2026", 14),
    digits("17", 13),
    ...["0", "1", "7", "2026", "21"].map((first) => digits(first, 16)),
  );
  checkProperty(fc.property(others, (text) => assert.ok(!holdsCardNumber(text), text)));
});

it("what is no card number is a UUID, whatever its digits", () => {
  checkProperty(
    fc.property(fc.uuid(), fc.stringMatching(/^\d{12}$/), (uuid, last) => {
      assert.ok(!holdsCardNumber(uuid));
      assert.ok(!holdsCardNumber(`42763800-1234-5679-a000-${last}`));
      assert.ok(!holdsCardNumber(`ref abcdefab-abcd-4bcd-8276-${last} 5`));
    }),
  );
});
