// Money: exact by construction, for every number a client may send.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { checkProperty } from "../../test/property.ts";
import {
  divCeil,
  divFloor,
  minorFromNumber,
  ppmFromPercent,
  toDecimalNumber,
  toDecimalText,
  toPercent,
} from "./money.ts";

it("money takes what has at most two decimals, and nothing else", () => {
  for (const [value, minor] of [
    [1, 100n],
    [1.1, 110n],
    [0.01, 1n],
    [100.49, 10049n],
    [99999.99, 9999999n],
    [0, 0n],
    [2 ** 53, 900_719_925_474_099_200n],
  ] as const) {
    assert.equal(minorFromNumber(value), minor);
  }
  const refused = [1.005, 0.1 + 0.2, 1e21, 1e-7, -1, Number.NaN, Number.POSITIVE_INFINITY];
  for (const value of refused) assert.equal(minorFromNumber(value), undefined, String(value));
});

it("money goes to text and to a number and back without losing a kopeck", () => {
  checkProperty(
    fc.property(fc.bigInt(0n, 999_999_999_999_999n), (minor) => {
      assert.match(toDecimalText(minor), /^\d+\.\d\d$/);
      assert.equal(BigInt(toDecimalText(minor).replace(".", "")), minor);
      assert.equal(minorFromNumber(toDecimalNumber(minor)), minor);
    }),
  );
});

it("money shows what is below zero", () => {
  assert.equal(toDecimalText(-5n), "-0.05");
  assert.equal(toDecimalText(-12345n), "-123.45");
});

it("money rounds as the name of the division says", () => {
  checkProperty(
    fc.property(fc.bigInt(0n, 10n ** 18n), fc.bigInt(1n, 10n ** 9n), (dividend, divisor) => {
      const floor = divFloor(dividend, divisor);
      const ceil = divCeil(dividend, divisor);
      assert.ok(floor * divisor <= dividend && dividend < (floor + 1n) * divisor);
      assert.equal(ceil, dividend % divisor === 0n ? floor : floor + 1n);
    }),
  );
});

it("a percentage is shown and taken with up to four decimals", () => {
  for (const [ppm, percent] of [
    [0, 0],
    [60_000, 6],
    [12_345, 1.2345],
    [125_000, 12.5],
    [1, 0.0001],
    [1_000_000, 100],
  ] as const) {
    assert.equal(toPercent(ppm), percent);
    assert.equal(ppmFromPercent(percent), ppm);
  }
});

it("a percentage is none with more decimals, a sign or an exponent", () => {
  for (const value of [1.00001, 0.000001, -1, 1e21, 1e-7, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.equal(ppmFromPercent(value), undefined, String(value));
  }
});

it("a percentage goes to parts per million and back without losing one", () => {
  checkProperty(
    fc.property(fc.nat(1_000_000), (ppm) => {
      assert.equal(ppmFromPercent(toPercent(ppm)), ppm);
    }),
  );
});
