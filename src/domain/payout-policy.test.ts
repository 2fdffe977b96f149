// Who looks at a payout before it leaves, case by case.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { checkProperty } from "../../test/property.ts";
import { partsOf } from "./payout.ts";
import { isLikelyRepeat, judgePayout, type PayoutCase, type PayoutTerms } from "./payout-policy.ts";

const TERMS: PayoutTerms = {
  service: "card",
  currency: "RUB",
  percentPpm: 10_000,
  fixMinor: 0n,
  minMinor: 1n,
  maxMinor: 10n ** 12n,
  daySumMinor: null,
  dayCount: null,
  destinationDaySumMinor: null,
  destinationDayCount: null,
  holdOverMinor: null,
  holdFirst: false,
  holdDaySumMinor: null,
  fourEyesOverMinor: null,
  holdSeconds: 60,
  refundsFee: false,
  enabled: true,
};

function judge(terms: Partial<PayoutTerms>, changes: Partial<PayoutCase> = {}) {
  const amountMinor = changes.amountMinor ?? 10_000n;
  const all = { ...TERMS, ...terms };
  const parts = partsOf(amountMinor, "balance", all);
  assert.ok(parts);
  return judgePayout({
    terms: all,
    parts,
    amountMinor,
    availableMinor: 10n ** 12n,
    isByHand: false,
    day: { sumMinor: 5_000n, payouts: 2 },
    destination: { day: { sumMinor: 1_000n, payouts: 1 }, isProven: true, mayBeRepeat: false },
    ...changes,
  });
}

const to = (changes: Partial<PayoutCase["destination"]>): Partial<PayoutCase> => ({
  destination: {
    day: { sumMinor: 1_000n, payouts: 1 },
    isProven: true,
    mayBeRepeat: false,
    ...changes,
  },
});

it("each limit is reached by its last kopeck and passed by the next", () => {
  const queued = { held: undefined };
  const cases = [
    [judge({}), queued],
    [judge({ daySumMinor: 15_000n }), queued],
    [judge({ daySumMinor: 14_999n }), { refused: "payout_day_limit" }],
    [judge({ dayCount: 3 }), queued],
    [judge({ dayCount: 2 }), { refused: "payout_day_limit" }],
    [judge({ destinationDaySumMinor: 11_000n }), queued],
    [judge({ destinationDaySumMinor: 10_999n }), { refused: "payout_destination_limit" }],
    [judge({ destinationDayCount: 2 }), queued],
    [judge({ destinationDayCount: 1 }), { refused: "payout_destination_limit" }],
    [judge({}, { availableMinor: 10_100n }), queued],
    [judge({}, { availableMinor: 10_099n }), { refused: "balance_too_small" }],
    [judge({ holdOverMinor: 10_000n }), queued],
    [judge({ holdOverMinor: 9_999n }), { held: "large", approvals: 1 }],
    [judge({ fourEyesOverMinor: 10_000n }), queued],
    [judge({ fourEyesOverMinor: 9_999n }), { held: "large", approvals: 2 }],
    [judge({ holdDaySumMinor: 15_000n }), queued],
    [judge({ holdDaySumMinor: 14_999n }), { held: "day", approvals: 1 }],
    [judge({ holdFirst: true }), queued],
    [judge({ holdFirst: true }, to({ isProven: false })), { held: "first", approvals: 1 }],
    [judge({}, to({ isProven: false })), queued],
    [judge({}, to({ mayBeRepeat: true })), { held: "repeat", approvals: 1 }],
    [judge({}, { isByHand: true }), { held: "by_hand", approvals: 1 }],
    [judge({ fourEyesOverMinor: 1n }, { isByHand: true }), { held: "by_hand", approvals: 2 }],
  ];
  for (const [index, [verdict, wanted]] of cases.entries()) {
    assert.deepEqual(verdict, wanted, `case ${index}`);
  }
});

it("whatever is set, no more leaves than is there, and by hand nothing leaves at once", () => {
  const limit = fc.option(fc.bigInt({ min: 0n, max: 30_000n }));
  const terms = fc.record({
    daySumMinor: limit,
    destinationDaySumMinor: limit,
    holdOverMinor: limit,
    holdDaySumMinor: limit,
    fourEyesOverMinor: limit,
    holdFirst: fc.boolean(),
  });
  const amount = fc.bigInt({ min: 1n, max: 30_000n });
  checkProperty(
    fc.property(
      terms,
      amount,
      amount,
      fc.boolean(),
      (set, amountMinor, availableMinor, isByHand) => {
        const verdict = judge(set, { amountMinor, availableMinor, isByHand });
        if ("refused" in verdict) return;
        assert.ok(amountMinor + (amountMinor + 99n) / 100n <= availableMinor);
        assert.ok(!isByHand || verdict.held !== undefined);
        const { fourEyesOverMinor: four } = set;
        assert.ok(
          four === null || amountMinor <= four || (verdict.held && verdict.approvals === 2),
        );
      },
    ),
  );
});

it("a repeat is one without an order id within a day, or any after one that nobody knows of", () => {
  const now = new Date("2026-03-02T00:00:00Z");
  const ago = (hours: number, isUnknown = false) => [
    { createdAt: new Date(now.getTime() - hours * 3_600_000), isUnknown },
  ];
  assert.equal(isLikelyRepeat([], false, now), false);
  assert.equal(isLikelyRepeat(ago(23), false, now), true);
  assert.equal(isLikelyRepeat(ago(23), true, now), false);
  assert.equal(isLikelyRepeat(ago(24), false, now), false);
  assert.equal(isLikelyRepeat(ago(1_000, true), true, now), true);
});
