// Fees: the parts add up and none is negative, for every amount and every tariff.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { checkProperty } from "../../test/property.ts";
import { feeOf, leavesCredit } from "./tariff.ts";

it("fees of the sandbox's tariffs", () => {
  const card = { percentPpm: 60_000, userPercentPpm: 20_000, fixMinor: 0n };
  assert.deepEqual(feeOf(100_000n, card), {
    totalMinor: 6_000n,
    payerMinor: 2_000n,
    shopMinor: 4_000n,
  });
  const sbp = { percentPpm: 40_000, userPercentPpm: 0, fixMinor: 1_000n };
  assert.deepEqual(feeOf(10_001n, sbp), {
    totalMinor: 1_401n,
    payerMinor: 0n,
    shopMinor: 1_401n,
  });
});

const rates = fc
  .tuple(fc.nat(1_000_000), fc.nat(1_000_000), fc.bigInt(0n, 1_000_000n))
  .map(([left, right, fixMinor]) => ({
    percentPpm: Math.max(left, right),
    userPercentPpm: Math.min(left, right),
    fixMinor,
  }));

it("fees leave something to credit exactly where what is paid is more than the fee", () => {
  checkProperty(
    fc.property(fc.bigInt(1n, 10n ** 7n), rates, (amountMinor, own) => {
      const fee = feeOf(amountMinor, own);
      const toPayMinor = amountMinor + fee.payerMinor;
      assert.equal(leavesCredit(amountMinor, fee), toPayMinor - fee.totalMinor > 0n);
    }),
  );
  const sbp = { percentPpm: 40_000, userPercentPpm: 0, fixMinor: 1_000n };
  assert.equal(leavesCredit(1_042n, feeOf(1_042n, sbp)), false);
  assert.equal(leavesCredit(1_043n, feeOf(1_043n, sbp)), true);
});

it("fees that leave something of one amount leave no less of any larger one", () => {
  // Small amounts, where rounding up weighs most, and the very next ones.
  const small = fc.bigInt(1n, 3_000n);
  const more = fc.oneof(fc.constant(1n), fc.bigInt(1n, 10n ** 14n));
  const low = rates.map((own) => ({ ...own, fixMinor: own.fixMinor % 3_000n }));
  checkProperty(
    fc.property(small, more, low, (amountMinor, moreMinor, own) => {
      const left = (minor: bigint) => minor - feeOf(minor, own).shopMinor;
      assert.ok(left(amountMinor + moreMinor) >= left(amountMinor));
    }),
    { numRuns: 1_000 },
  );
});

it("fees add up, are never negative, and round up by less than a kopeck", () => {
  checkProperty(
    fc.property(fc.bigInt(1n, 10n ** 14n), rates, (amountMinor, own) => {
      const { totalMinor, payerMinor, shopMinor } = feeOf(amountMinor, own);
      assert.equal(payerMinor + shopMinor, totalMinor);
      assert.ok(payerMinor >= 0n && shopMinor >= 0n);
      const exact = amountMinor * BigInt(own.percentPpm);
      const rounded = (totalMinor - own.fixMinor) * 1_000_000n;
      assert.ok(rounded >= exact && rounded - exact < 1_000_000n);
    }),
  );
});
