// GET /payoff/info: each field is there, in the type that the official client's classes ask for.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { OTHER_USER, USER } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { NOBODY } from "../../../test/orders.ts";
import { pauseRail, payouts, SBER } from "../../../test/payouts.ts";

const { gateway, trade } = await openOneGateway();
const user = payouts(gateway, trade);
await pauseRail(gateway);
await user.earn(10);
await pauseRail(gateway);
afterEach(() => assertBooksAreRight(gateway));

const ask = (query: string, { id, secret } = USER) =>
  gateway.call(`/payoff/info?user_id=${id}&${query}`, {
    headers: { "x-api-signature-sha256": secret },
  });

/** What the official client and the Go client declare, each key always there; a type or null. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  payoff_id: ["string"],
  status: ["string"],
  order_id: ["string"],
  service: ["string"],
  type: ["string"],
  subtract: ["string"],
  wallet: ["string", "null"],
  comment: ["string", "null"],
  amount: ["number"],
  amount_withdraw_rub: ["number"],
  commission_rub: ["number"],
  receive_currency: ["string"],
  amount_receive: ["string"],
  created_at: ["string"],
  paid_at: ["string", "null"],
  error_message: ["string", "null"],
};

const typeOf = (value: unknown): string => (value === null ? "null" : typeof value);

it("200: the official client's expectations, field by field, of a payout in each wire state", async () => {
  const held = await user.made({ amount: 60, order_id: "", comment: undefined });
  const canceled = await user.made({ amount: 61 });
  assert.equal((await user.cancel(canceled)).status, 200);
  for (const id of [held, canceled]) {
    const { status, body } = await user.info(id);
    assert.equal(status, 200);
    for (const [field, types] of Object.entries(EXPECTED)) {
      assert.ok(field in body.data, field);
      assert.ok(types.includes(typeOf(body.data[field])), `${field}: ${body.data[field]}`);
    }
    assert.ok(["wait", "success", "fail"].includes(body.data.status));
  }
  const { data } = (await user.info(held)).body;
  assert.deepEqual(
    [data.order_id, data.comment, data.paid_at, data.error_message],
    ["", null, null, null],
  );
});

it("200: the worked example of the documentation: 10 from the balance, with a fee, arrives as 10", async () => {
  const wish = { amount: 10, subtract: "balance", comment: "for tea", order_id: 77 };
  const { data } = (await user.info(await user.made(wish))).body;
  assert.deepEqual(data, {
    payoff_id: data.payoff_id,
    status: "wait",
    order_id: "77",
    service: "card",
    type: "api",
    subtract: "balance",
    wallet: "220000******0400",
    comment: "for tea",
    amount: 10,
    amount_withdraw_rub: 10.2,
    commission_rub: 0.2,
    receive_currency: "RUB",
    amount_receive: "10.00",
    created_at: data.created_at,
    paid_at: null,
    error_message: null,
    state: "queued",
    held_reason: null,
    bank_reference: null,
    sequence: 0,
  });
  assert.match(data.created_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  const sbp = {
    service: "sbp",
    wallet_to: "8 (916) 123-45-67",
    payoff_data: { sbp_bank_type: SBER },
  };
  const phone = (await user.info(await user.made({ ...sbp, amount: 100 }))).body.data;
  assert.deepEqual([phone.wallet, phone.amount_receive], ["79*****4567", "89.50"]);
  assert.deepEqual(
    [phone.amount_withdraw_rub, phone.commission_rub, phone.subtract],
    [100, 10.5, "amount"],
  );
});

it("200: by the order id, compared to the letter", async () => {
  const id = await user.made({ order_id: "Заказ №1" });
  const named = await ask(`order_id=${encodeURIComponent("Заказ №1")}`);
  assert.equal(named.body.data.payoff_id, id);
  assert.equal((await ask(`order_id=${encodeURIComponent("заказ №1")}`)).status, 404);
});

it("case 32: another user's payout is not there, by its id or by its order id", async () => {
  const order_id = "mine";
  const id = await user.made({ order_id });
  const notFound = [404, "The payout was not found."];
  for (const [query, who] of [
    [`id=${id}`, OTHER_USER],
    [`order_id=${order_id}`, OTHER_USER],
    [`id=${NOBODY}`, USER],
  ] as const) {
    const { status, body } = await ask(query, who);
    assert.deepEqual([status, body.error], notFound, query);
  }
});

it("404: several names that are not of one payout, in whatever order they stand", async () => {
  const [id, other] = [await user.made({ order_id: "one" }), await user.made({ order_id: "two" })];
  for (const query of [
    `id=${id}&order_id=two`,
    `order_id=one&id=${other}`,
    `id=${id}&order_id=none`,
    `id=${NOBODY}&order_id=one`,
    `id=${id}&payoff_id=${other}`,
    `payoff_id=${id}&order_id=two`,
  ]) {
    assert.equal((await ask(query)).status, 404, query);
  }
  const whole = `payoff_id=${id.toUpperCase()}&id=${id}&order_id=one`;
  assert.equal((await ask(whole)).body.data.payoff_id, id);
});

it("422: without a name, or with what is no id", async () => {
  for (const query of ["", "id=7", "order_id=", `order_id=${"x".repeat(256)}`]) {
    assert.equal((await ask(query)).status, 422, query);
  }
});
