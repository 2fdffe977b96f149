// Ids of accounts: each says which account it is, and nothing else is one.

import assert from "node:assert/strict";
import { it } from "node:test";
import { ACCOUNT_ID, ACCOUNT_KINDS, accountId, accountOf, isUserAccount } from "./account.ts";

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
    "bank.RUB",
    `fees.RUB.${OWNER}`,
    "cash.RUB",
    "fees.rub",
    "fees",
    "fees.",
    OWNER,
    "42",
    "",
    `frozen.RUB.${OWNER}x`,
    ` fees.RUB`,
    `frozen.RUB.42`,
    "fees.RUB\n",
  ]) {
    assert.equal(isId(id), false, id);
  }
});

it("a user's accounts are what is free, frozen or reserved", () => {
  assert.deepEqual(ACCOUNT_KINDS.filter(isUserAccount), ["available", "frozen", "reserved"]);
});
