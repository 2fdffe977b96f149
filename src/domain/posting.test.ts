// Postings: every one sums to zero, and the parts are what fees say, for all amounts.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { checkProperty } from "../../test/property.ts";
import * as postings from "./posting.ts";
import { feeOf } from "./tariff.ts";

const ids = { sourceId: "source", userId: "user", requisiteId: "requisite", currency: "RUB" };

const money = fc.bigInt(1n, 10n ** 14n);
const rates = fc
  .tuple(fc.nat(1_000_000), fc.nat(1_000_000), fc.bigInt(0n, 100_000n))
  .map(([left, right, fixMinor]) => ({
    percentPpm: Math.max(left, right),
    userPercentPpm: Math.min(left, right),
    fixMinor,
  }));

function sum(posting: postings.Posting): bigint {
  return posting.entries.reduce((total, { amountMinor }) => total + amountMinor, 0n);
}

function onAccount(posting: postings.Posting, kind: postings.AccountKind): bigint {
  return posting.entries
    .filter(({ account }) => account.kind === kind)
    .reduce((total, { amountMinor }) => total + amountMinor, 0n);
}

describe("postings", () => {
  it("of a credit sum to zero and book net and fee, from the bank or from suspense", () => {
    checkProperty(
      fc.property(money, rates, fc.nat(99), (amountMinor, tariff, nudge) => {
        const fee = feeOf(amountMinor, tariff);
        const receivedMinor = amountMinor + fee.payerMinor + BigInt(nudge);
        const creditedMinor = postings.creditOf(receivedMinor, fee.totalMinor);
        fc.pre(creditedMinor !== undefined);
        const credit = { ...ids, amountMinor: receivedMinor, feeMinor: fee.totalMinor };
        for (const [posting, from] of [
          [postings.transferMatched(credit), "bank"],
          [postings.suspenseAssigned(credit), "suspense"],
        ] as const) {
          assert.equal(sum(posting), 0n);
          assert.equal(onAccount(posting, from), -receivedMinor);
          assert.equal(onAccount(posting, "frozen"), creditedMinor);
          assert.equal(onAccount(posting, "fees"), fee.totalMinor);
          assert.ok(posting.entries.every((entry) => entry.amountMinor !== 0n));
        }
      }),
    );
  });

  it("that only move money sum to zero and move all of it", () => {
    checkProperty(
      fc.property(money, (amountMinor) => {
        const moved = { ...ids, amountMinor };
        for (const [posting, from, to] of [
          [postings.transferToSuspense(moved), "bank", "suspense"],
          [postings.suspenseReturned(moved), "suspense", "bank"],
          [postings.freezeOver(moved), "frozen", "available"],
          [postings.refunded(moved), "available", "bank_out"],
        ] as const) {
          assert.equal(sum(posting), 0n);
          assert.equal(onAccount(posting, from), -amountMinor);
          assert.equal(onAccount(posting, to), amountMinor);
        }
      }),
    );
  });

  it("name a user on a user's accounts only, and a requisite on a bank account only", () => {
    const credit = { ...ids, amountMinor: 100n, feeMinor: 6n };
    for (const { account } of postings.transferMatched(credit).entries) {
      assert.equal(account.userId !== null, account.kind === "frozen");
      assert.equal(account.requisiteId !== null, account.kind === "bank");
    }
  });

  it("say what happened, to what, and in which currency", () => {
    const credit = { ...ids, amountMinor: 100n, feeMinor: 6n };
    for (const [posting, kind] of [
      [postings.transferMatched(credit), "transfer_matched"],
      [postings.transferToSuspense(credit), "transfer_suspense"],
      [postings.suspenseAssigned(credit), "suspense_assigned"],
      [postings.suspenseReturned(credit), "suspense_returned"],
      [postings.freezeOver(credit), "freeze_over"],
      [postings.refunded(credit), "refund"],
    ] as const) {
      assert.deepEqual([posting.kind, posting.sourceId, posting.currency], [kind, "source", "RUB"]);
      assert.ok(posting.entries.every(({ account }) => account.currency === "RUB"));
    }
  });

  it("have no entry of nothing where there is no fee", () => {
    const credit = { ...ids, amountMinor: 100n, feeMinor: 0n };
    for (const posting of [postings.transferMatched(credit), postings.suspenseAssigned(credit)]) {
      assert.equal(posting.entries.length, 2);
      assert.equal(onAccount(posting, "frozen"), 100n);
    }
  });

  it("never credit what does not cover the fee", () => {
    assert.equal(postings.creditOf(60n, 60n), undefined);
    assert.equal(postings.creditOf(59n, 60n), undefined);
    assert.equal(postings.creditOf(61n, 60n), 1n);
  });
});
