// Numbers in every usual writing become one, and nothing else becomes a number.

import assert from "node:assert/strict";
import { it } from "node:test";
import { maskDestination, numberFor } from "./destination.ts";

it("cards: thirteen to nineteen digits with their check digit, in groups or not", () => {
  for (const written of [
    "2200000000000400",
    "2200 0000 0000 0400",
    "2200-0000-0000-0400",
    " 2200000000000400 ",
  ]) {
    assert.equal(numberFor("card", written), "2200000000000400", written);
  }
  assert.equal(numberFor("card", "4222222222222"), "4222222222222");
  const wrong = [
    "2200000000000401",
    "220000000000",
    "2200000000000400x",
    "x2200000000000400",
    "22000000000004000000",
    "2200.0000.0000.0400",
    "",
  ];
  for (const written of wrong) assert.equal(numberFor("card", written), undefined, written);
});

it("phones: Russian mobile ones, with +7, 7, 8 or nothing before them", () => {
  const same = [
    "+7 (916) 123-45-67",
    "8 (916) 123-45-67",
    "79161234567",
    "9161234567",
    "+79161234567",
    "8.916.123.45.67",
  ];
  for (const written of same) assert.equal(numberFor("sbp", written), "79161234567", written);
  const wrong = [
    "+8 916 123 45 67",
    "+380501234567",
    "84951234567",
    "7916123456",
    "791612345678",
    "++79161234567",
    "7916123456a",
    "7 916 +1234567",
    "79161234567x",
    " +89161234567",
    "+179161234567",
    "+791612345678",
    "179161234567",
  ];
  for (const written of wrong) assert.equal(numberFor("sbp", written), undefined, written);
});

it("what others see is a mask", () => {
  assert.equal(maskDestination("2200000000000400"), "220000******0400");
  assert.equal(maskDestination("79161234567"), "79*****4567");
  assert.equal(maskDestination("4222222222222"), "42*******2222");
  assert.equal(numberFor("card", "0000000000000000"), undefined);
});
