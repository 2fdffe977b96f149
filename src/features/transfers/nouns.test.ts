// Who paid: no full card or phone number leaves.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { maskPayer } from "./nouns.ts";

describe("a payer's details", () => {
  for (const [given, shown] of [
    [null, null],
    ["Иван П.", "Иван П."],
    ["2202200212345678", "220220******5678"],
    ["2202 2002 1234 5678", "220220******5678"],
    ["Иван П. 2202200212345678", "Иван П. 220220******5678"],
    ["+79161234567", "+79*****4567"],
    ["счёт 40817810099910004312", "счёт 408178**********4312"],
  ] as const) {
    it(String(given), () => assert.equal(maskPayer(given), shown));
  }
});
