// Fees of payouts add up whatever the amount and the tariff; states change along the table alone.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { checkProperty } from "../../test/property.ts";
import {
  EVENT_CODES,
  PAYOUT_EDGES,
  PAYOUT_STATES,
  partsOf,
  SUBTRACTS,
  wireState,
} from "./payout.ts";
import { payoutPosting } from "./posting.ts";

const arbitraryAmount = fc.bigInt({ min: 1n, max: 10n ** 14n });
const arbitraryRates = fc.record({
  percentPpm: fc.integer({ min: 0, max: 1_000_000 }),
  fixMinor: fc.bigInt({ min: 0n, max: 10n ** 9n }),
});

it("what leaves is what arrives and the fee; nothing is negative, and something always arrives", () => {
  checkProperty(
    fc.property(
      arbitraryAmount,
      fc.constantFrom(...SUBTRACTS),
      arbitraryRates,
      (amount, subtract, rates) => {
        const parts = partsOf(amount, subtract, rates);
        const exact = amount * BigInt(rates.percentPpm);
        if (parts === undefined) {
          assert.equal(subtract, "amount");
          // Only where the fee reaches the amount.
          assert.ok((exact + 999_999n) / 1_000_000n + rates.fixMinor >= amount);
          return;
        }
        const { withdrawMinor, receiveMinor, feeMinor } = parts;
        assert.equal(withdrawMinor, receiveMinor + feeMinor);
        assert.ok(receiveMinor > 0n && feeMinor >= 0n);
        assert.equal(subtract === "balance" ? receiveMinor : withdrawMinor, amount);
        // Rounded up, by less than a kopeck, and never down.
        const rounded = (feeMinor - rates.fixMinor) * 1_000_000n - exact;
        assert.ok(rounded >= 0n && rounded < 1_000_000n);
      },
    ),
  );
});

it("a fee that reaches the amount leaves nothing to send; one kopeck less sends a kopeck", () => {
  const rates = { percentPpm: 0, fixMinor: 500n };
  assert.equal(partsOf(500n, "amount", rates), undefined);
  assert.deepEqual(partsOf(501n, "amount", rates), {
    withdrawMinor: 501n,
    receiveMinor: 1n,
    feeMinor: 500n,
  });
});

it("every posting of a payout sums to zero, and the whole way of each leaves nothing reserved", () => {
  const money = fc.record({
    receiveMinor: fc.bigInt({ min: 1n, max: 10n ** 14n }),
    feeMinor: fc.bigInt({ min: 0n, max: 10n ** 12n }),
    refundsFee: fc.boolean(),
  });
  const ways = [
    ["payout_reserved", "payout_done"],
    ["payout_reserved", "payout_released"],
    ["payout_reserved", "payout_done", "payout_returned"],
    ["payout_reserved", "payout_released", "payout_recovered"],
    ["payout_reserved", "payout_released", "payout_recovered", "payout_returned"],
  ] as const;
  checkProperty(
    fc.property(money, fc.constantFrom(...ways), (one, way) => {
      const withdrawMinor = one.receiveMinor + one.feeMinor;
      const whole = { ...one, withdrawMinor, sourceId: "s", currency: "RUB", userId: "u" };
      const sums = new Map<string, bigint>();
      for (const kind of way) {
        const gains = Object.entries(payoutPosting(kind, whole).gains);
        assert.equal(
          gains.reduce((sum, [, gain]) => sum + gain, 0n),
          0n,
          kind,
        );
        for (const [account, gain] of gains) sums.set(account, (sums.get(account) ?? 0n) + gain);
      }
      assert.equal(sums.get("reserved"), 0n);
      const last = way.at(-1);
      const lost =
        last === "payout_released"
          ? 0n
          : last === "payout_returned"
            ? one.refundsFee
              ? 0n
              : one.feeMinor
            : withdrawMinor;
      assert.equal(sums.get("available"), -lost);
      assert.equal(
        sums.get("bank_out") ?? 0n,
        last === "payout_released" || last === "payout_returned" ? 0n : one.receiveMinor,
      );
    }),
  );
});

it("nothing leaves unknown but by what somebody knows, and what is over stays over but for three edges", () => {
  const { held, queued, sending, unknown } = PAYOUT_EDGES;
  assert.deepEqual(held, ["queued", "canceled"]);
  assert.deepEqual(queued, ["sending", "canceled", "unknown"]);
  assert.deepEqual(sending, ["queued", "done", "failed", "unknown"]);
  assert.deepEqual(unknown, ["queued", "done", "failed"]);
  const over = PAYOUT_STATES.filter((state) => wireState(state) !== "wait");
  const edges = over.flatMap((from) => PAYOUT_EDGES[from].map((to) => `${from} ${to}`));
  assert.deepEqual(edges, ["done returned", "failed done", "canceled done"]);
});

it("what is over is told, each by its code, and nothing else is", () => {
  assert.deepEqual(EVENT_CODES, { done: 1, failed: 41, canceled: 42, returned: 43 });
});
