// The ledger through /manage: every statement adds up to its balance, and what is on the cards is what all
// others have.

import assert from "node:assert/strict";
import { it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { OTHER_USER, USER } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, NOBODY } from "../../../test/orders.ts";

const { gateway, own, trade } = await openOneGateway();
const order = await trade.order();
await trade.pay(order);
await trade.pass(DAY);
trade.tick();
const refundedFrom = trade.now();
await own.post("refunds", { invoice_id: order.id, amount: 100.01, reason: "came back" });
const more = await trade.order();
await trade.pay(more);
await trade.pay(more, { amount: 5.5 });
const { transfer_id } = await trade.pay(more, { amount: 0.25 });
await own.post(`transfers/${transfer_id}/return`, { reason: "not ours" });
await assertBooksAreRight(gateway);

const accounts = async (query: string): Promise<Account[]> =>
  (await own.get(`accounts?${query}`)).items;
const statement = async (id: string, query = ""): Promise<Entry[]> =>
  (await own.get(`accounts/${id}/entries?limit=200${query}`)).items;
const kopecks = (sums: readonly (number | null)[]): number =>
  sums.reduce<number>((total, sum) => total + Math.round((sum ?? 0) * 100), 0);

it("200: every statement adds up to its balance, and what is on the cards is what all others have", async () => {
  const all = await accounts("limit=200");
  const [cards, others]: [number[], number[]] = [[], []];
  for (const { account_id, kind, balance } of all) {
    const shown = await own.get(`accounts/${account_id}`);
    const entries = await statement(account_id);
    assert.equal(kopecks(entries.map(({ amount }) => amount)), kopecks([shown.balance]));
    assert.ok(balance === null || balance === shown.balance);
    (kind === "bank" ? cards : others).push(shown.balance);
  }
  // What was paid, 5.50 that waits, and 0.25 that goes back and was seen by no statement yet.
  assert.equal(kopecks(cards), 2 * 102_000 + 550 + 25);
  assert.equal(kopecks(others), kopecks(cards));
  assert.ok([...cards, ...others].every((balance) => balance >= 0));
});

it("200: a user's accounts say what their balance says; shared ones are summed up one by one", async () => {
  const mine = await accounts(`user_id=${USER.id}`);
  const balances = Object.fromEntries(mine.map(({ kind, balance }) => [kind, balance]));
  const [all, available, frozen] = await trade.balance();
  assert.deepEqual(balances, { available: 859.99, frozen: 960, reserved: 0 });
  assert.deepEqual([all, available, frozen], [181_999, 85_999, 96_000]);
  const [suspense] = await accounts("kind=suspense");
  assert.deepEqual(suspense, {
    account_id: "suspense.RUB",
    kind: "suspense",
    currency: "RUB",
    user_id: null,
    requisite_id: null,
    balance: null,
  });
  assert.equal((await own.get(`accounts/${suspense?.account_id}`)).balance, 5.5);
  const [fees] = await accounts("kind=fees");
  assert.equal((await own.get(`accounts/${fees?.account_id}`)).balance, 120);
  for (const { account_id, requisite_id } of await accounts("kind=bank")) {
    assert.equal(account_id, `bank.RUB.${requisite_id}`);
    const shouted = account_id.replace(String(requisite_id), (id) => id.toUpperCase());
    assert.equal((await own.get(`accounts/${shouted}`)).account_id, account_id);
  }
  const others = await accounts(`user_id=${OTHER_USER.id}&kind=frozen`);
  assert.deepEqual(
    others.map(({ user_id, kind, balance }) => [user_id, kind, balance]),
    [[OTHER_USER.id, "frozen", 0]],
  );
  assert.deepEqual(await accounts(`user_id=${NOBODY}`), []);
});

it("200: a statement is told the newest first, in pages and for a period", async () => {
  const [available] = await accounts(`user_id=${USER.id}&kind=available`);
  const id = available?.account_id ?? "";
  const entries = await statement(id);
  assert.deepEqual(
    entries.map(({ kind, amount }) => [kind, amount]),
    [
      ["refund", -100.01],
      ["freeze_over", 960],
    ],
  );
  assert.deepEqual(await statement(id, `&from=${refundedFrom}`), entries.slice(0, 1));
  assert.deepEqual(await statement(id, `&to=${refundedFrom}`), entries.slice(1));
  const page = await own.get(`accounts/${id}/entries?limit=1`);
  assert.deepEqual(page, { items: entries.slice(0, 1), next: entries[0]?.posting_id });
  assert.deepEqual(await statement(id, `&after=${page.next}`), entries.slice(1));
});

it("404: an account that nobody knows, and its statement", async () => {
  for (const id of UNKNOWN) {
    for (const path of [`accounts/${id}`, `accounts/${id}/entries`]) {
      assert.deepEqual(await own.refused(path), [404, "The account was not found."]);
    }
  }
});

/** Nobody's, in a currency that nobody has, and a kind that no money has been to. */
const UNKNOWN = [
  `frozen.RUB.${NOBODY}`,
  `available.EUR.${USER.id}`,
  `bank.RUB.${NOBODY}`,
  "fees.EUR",
  "suspense.USD",
  "bank_out.EUR",
];

interface Account {
  readonly account_id: string;
  readonly kind: string;
  readonly user_id: string | null;
  readonly requisite_id: string | null;
  readonly balance: number | null;
}

interface Entry {
  readonly posting_id: string;
  readonly kind: string;
  readonly amount: number;
}
