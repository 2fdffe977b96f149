// Postings: every one sums to zero, and the parts are what fees say, for all amounts.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { checkProperty } from "../../test/property.ts";
import * as postings from "./posting.ts";
import {
  ACCOUNT_ID,
  ACCOUNT_KINDS,
  type AccountKind,
  accountId,
  accountOf,
  isUserAccount,
} from "./posting.ts";
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

function sum({ gains }: postings.Posting): bigint {
  return Object.values(gains).reduce((total, amountMinor) => total + amountMinor, 0n);
}

/** The accounts that gain or lose something. */
function moved({ gains }: postings.Posting): string[] {
  return Object.keys(gains).filter((kind) => gains[kind as AccountKind] !== 0n);
}

it("postings of a credit sum to zero and book net and fee, from the bank or from suspense", () => {
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
        const { [from]: lost, frozen, fees, ...others } = posting.gains;
        assert.deepEqual([lost, frozen, fees], [-receivedMinor, creditedMinor, fee.totalMinor]);
        assert.deepEqual(others, {});
      }
    }),
  );
});

it("postings that only move money sum to zero and move all of it", () => {
  checkProperty(
    fc.property(money, (amountMinor) => {
      const money = { ...ids, amountMinor };
      for (const [posting, from, to] of [
        [postings.transferToSuspense(money), "bank", "suspense"],
        [postings.suspenseReturned(money), "suspense", "bank_out"],
        [postings.suspenseUndone(money), "suspense", "bank"],
        [postings.suspenseCleared(money), "suspense", "bank_out"],
        [postings.suspenseOwned(money), "suspense", "own"],
        [postings.ownOpening(money), "bank", "own"],
        [postings.ownOpeningBack(money), "own", "bank"],
        [postings.withdrawn(money, "own"), "own", "bank_out"],
        [postings.withdrawn(money, "fees"), "fees", "bank_out"],
        [
          postings.movementSeen({ ...money, direction: "out", kind: "outflow" }),
          "bank_out",
          "bank",
        ],
        [postings.movementSeen({ ...money, direction: "out", kind: "charge" }), "fees", "bank"],
        [postings.movementSeen({ ...money, direction: "out", kind: "own" }), "own", "bank"],
        [
          postings.movementSeen({ ...money, direction: "out", kind: "internal" }),
          "bank_out",
          "bank",
        ],
        [
          postings.movementSeen({ ...money, direction: "in", kind: "internal" }),
          "bank",
          "bank_out",
        ],
        [postings.freezeOver(money), "frozen", "available"],
        [postings.refunded(money), "available", "bank_out"],
      ] as const) {
        assert.equal(sum(posting), 0n);
        assert.deepEqual(posting.gains, { [from]: -amountMinor, [to]: amountMinor });
      }
    }),
  );
});

it("a movement that is taken out of the ledger leaves every account as it was", () => {
  const kinds = fc.constantFrom(...postings.MOVEMENT_KINDS);
  const directions = fc.constantFrom("in" as const, "out" as const);
  checkProperty(
    fc.property(money, directions, kinds, (amountMinor, direction, kind) => {
      const movement = { ...ids, amountMinor, direction, kind };
      const { gains } = postings.movementSeen(movement);
      const undone = Object.entries(gains).map(([account, gain]) => [account, -gain]);
      assert.deepEqual(postings.movementUndone(movement).gains, Object.fromEntries(undone));
    }),
  );
});

it("postings name a user where a user's accounts move, and a requisite where a bank account does", () => {
  const credit = { ...ids, amountMinor: 100n, feeMinor: 6n };
  for (const posting of [
    postings.transferMatched(credit),
    postings.transferToSuspense(credit),
    postings.suspenseAssigned(credit),
    postings.suspenseReturned(credit),
    postings.suspenseUndone(credit),
    postings.suspenseCleared(credit),
    postings.suspenseOwned(credit),
    postings.freezeOver(credit),
    postings.refunded(credit),
    postings.ownOpening(credit),
    postings.ownOpeningBack(credit),
    postings.withdrawn(credit, "fees"),
    postings.movementSeen({ ...credit, direction: "out", kind: "charge" }),
    postings.movementUndone({ ...credit, direction: "out", kind: "charge" }),
  ]) {
    const kinds = moved(posting) as AccountKind[];
    assert.equal(posting.userId, kinds.some(isUserAccount) ? "user" : null);
    assert.equal(posting.requisiteId, kinds.includes("bank") ? "requisite" : null);
  }
});

it("postings give nothing to fees where there is no fee", () => {
  const credit = { ...ids, amountMinor: 100n, feeMinor: 0n };
  assert.deepEqual(moved(postings.transferMatched(credit)), ["bank", "frozen"]);
  assert.deepEqual(moved(postings.suspenseAssigned(credit)), ["suspense", "frozen"]);
});

it("postings never credit what does not cover the fee", () => {
  assert.equal(postings.creditOf(60n, 60n), undefined);
  assert.equal(postings.creditOf(59n, 60n), undefined);
  assert.equal(postings.creditOf(61n, 60n), 1n);
});

const OWNER = "00000000-0000-4000-8000-00000000000a";
const isId = (id: string): boolean => new RegExp(ACCOUNT_ID).test(id);

it("an account's id is its kind, its currency and its owner", () => {
  assert.equal(
    accountId({ kind: "frozen", currency: "RUB", ownerId: OWNER }),
    `frozen.RUB.${OWNER}`,
  );
  assert.equal(accountId({ kind: "fees", currency: "EUR", ownerId: null }), "fees.EUR");
});

it("an account's id leads back to the account, for every kind", () => {
  for (const kind of ACCOUNT_KINDS) {
    const ownerId = isUserAccount(kind) || kind === "bank" ? OWNER : null;
    const account = { kind, currency: "USD", ownerId };
    assert.ok(isId(accountId(account)));
    assert.deepEqual(accountOf(accountId(account)), account);
  }
  const upper = accountOf(`bank.RUB.${OWNER.toUpperCase()}`);
  assert.equal(upper.ownerId, OWNER);
});

it("an account's id has an owner where the kind has one, and only there", () => {
  for (const id of [
    "frozen.RUB",
    `fees.RUB.${OWNER}`,
    "cash.RUB",
    "fees.rub",
    "",
    `frozen.RUB.${OWNER}x`,
    `frozen.RUB.42`,
    "fees.RUB\n",
  ]) {
    assert.equal(isId(id), false, id);
  }
});

it("a user's accounts are what is free, frozen or reserved", () => {
  assert.deepEqual(ACCOUNT_KINDS.filter(isUserAccount), ["available", "frozen", "reserved"]);
});
