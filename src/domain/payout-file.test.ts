// Words that may name a payout: each stands whole in the text, and no part of a longer one is a word.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { checkProperty } from "../../test/property.ts";
import { payoutWords } from "./payout-file.ts";

it("a name is found wherever it stands whole, and nowhere else", () => {
  const uuid = "019d0f9f-6e80-7000-9d76-afc1acb73af6";
  for (const [text, name, isThere] of [
    [`Выплата ${uuid}`, uuid, true],
    [`payout/${uuid}.1`, uuid, true],
    [`payout/${uuid}.1`, `${uuid}.1`, true],
    [`(${uuid});`, uuid, true],
    ["Реф.A6150-12/345678, СБП", "A6150-12/345678", false],
    ["Реф. A6150-12/345678, СБП", "A6150-12/345678", true],
    ["B1234567890ABCDEF1234567890ABCDE", "B1234567890ABCDEF1234567890ABCDE", true],
    ["xB1234567890", "B1234567890", false],
    ["B1234567890x", "B1234567890", false],
    ["A12345678", "a12345678", false],
    ["Договор 1234567 от 01.02.2026", "1234567", false],
    ["Выплата", "Выплата", false],
    ["Возвращение", "Возвращение", false],
    ["Реф. 12345678", "12345678", true],
    ["Реф. СБП-12345678", "12345678", true],
  ] as const) {
    assert.equal(payoutWords(text).includes(name), isThere, `${name} in ${text}`);
  }
});

it("whatever stands between spaces and is long enough is a word", () => {
  const names = fc.stringMatching(/^[A-Za-z0-9]{7,20}[0-9]$/);
  checkProperty(
    fc.property(fc.array(fc.string({ maxLength: 5 }), { maxLength: 5 }), names, (noise, name) => {
      const text = [...noise, name, ...noise].join(" ");
      assert.ok(payoutWords(text).includes(name));
      assert.ok(!payoutWords(text.replace(name, `${name}x`)).includes(name));
    }),
  );
});

it("the first forty words are enough of any text", () => {
  const words = Array.from({ length: 60 }, (_, index) => `A${10_000_000 + index}`);
  assert.deepEqual(payoutWords(words.join(" ")), words.slice(0, 40));
});
