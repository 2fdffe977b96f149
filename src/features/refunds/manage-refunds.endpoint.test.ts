// Refunds through /manage: never more than was credited, never what is not there.

import assert from "node:assert/strict";
import { after, afterEach, beforeEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { OTHER_SHOP, OTHER_USER, SHOP } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, NOBODY, type Order } from "../../../test/orders.ts";
import { openReceiver } from "../../../test/receiver.ts";

const reason = "goods came back";

const { gateway, own, trade } = await openOneGateway();
const receiver = await openReceiver();
after(() => receiver.close());
// Past every quarantine: each test finds all slots free.
beforeEach(() => trade.pass(2 * DAY));
afterEach(() => assertBooksAreRight(gateway));

/** An order whose credit of 960.00 is free. */
const paidOrder = async (changes: Record<string, unknown> = {}): Promise<Order> => {
  const order = await trade.order(changes);
  await trade.pay(order);
  await trade.pass(DAY);
  return order;
};
const stateOf = async ({ id }: Order) => {
  const { invoice, payments } = await own.get(`invoices/${id}`);
  return [invoice.state, payments[0].refunded];
};

it("200: in parts until nothing is left; the shop is told of each", async () => {
  const order = await paidOrder({ hook_url: receiver.url });
  const [, available = 0] = await trade.balance();
  const wish = { invoice_id: order.id.toUpperCase(), amount: 360.01, reason };
  const { answer, logged } = await trade.audited(() => own.post("refunds", wish));
  assert.deepEqual(answer, {
    refund_id: answer.refund_id,
    invoice_id: order.id,
    amount: 360.01,
  });
  assert.deepEqual(logged, [
    "refund.create",
    order.id,
    null,
    { ...answer, reason, reference: null },
  ]);
  assert.deepEqual(await stateOf(order), ["paid", 360.01]);
  assert.equal((await trade.balance())[1], available - 36_001);
  const rest = { invoice_id: order.id, amount: 600, reason };
  assert.deepEqual(await own.refused("refunds", rest), [
    422,
    ["The refund must be at most 599.99, what was credited and not refunded."],
  ]);
  trade.tick();
  await own.post("refunds", { ...rest, amount: 599.99 });
  assert.deepEqual(await stateOf(order), ["refunded", 960]);
  assert.equal((await trade.balance())[1], available - 96_000);
  await trade.pass(0);
  const told = receiver.received.filter(({ body }) => body.status === "refund");
  assert.deepEqual(
    told.map(({ body }) => [body.sequence, body.refund_amount, body.refund_reason]).toSorted(),
    [
      [2, "360.01", reason],
      [3, "599.99", reason],
    ],
  );
});

it("200: once for a reference, however often it is asked for, also when nothing is left", async () => {
  const order = await paidOrder({ hook_url: receiver.url });
  const [, available = 0] = await trade.balance();
  const part = { invoice_id: order.id, amount: 360, reason, reference: "ticket 17" };
  const rest = { ...part, amount: 600, reference: "ticket 18" };
  const first = await own.post("refunds", part);
  trade.tick();
  const second = await own.post("refunds", rest);
  for (const [wish, done] of [[part, first] as const, [rest, second] as const]) {
    trade.tick();
    const row = await own.lastAudit();
    assert.deepEqual(await own.post("refunds", wish), done);
    assert.deepEqual(await own.lastAudit(), row, "a repeated call leaves no row");
  }
  assert.deepEqual(await stateOf(order), ["refunded", 960]);
  assert.equal((await trade.balance())[1], available - 96_000);
  const { refunds } = await own.get(`invoices/${order.id}`);
  assert.deepEqual(
    refunds.map((one: { reference: string }) => one.reference),
    ["ticket 17", "ticket 18"],
  );
  await trade.pass(0);
  const told = receiver.received.filter(
    ({ body }) => body.status === "refund" && body.invoice_id === order.id,
  );
  assert.equal(told.length, 2);
});

it("200: the same reference on another invoice is another refund", async () => {
  const [one, other] = [await paidOrder(), await paidOrder()];
  for (const { id } of [one, other]) {
    await own.post("refunds", { invoice_id: id, amount: 1, reason, reference: "ticket 19" });
  }
  assert.deepEqual([await stateOf(one), await stateOf(other)].flat(), ["paid", 1, "paid", 1]);
});

it("200: lists a shop's refunds, the newest first, in a period", async () => {
  const first = await paidOrder();
  const second = await trade.order({}, OTHER_SHOP);
  await trade.pay(second);
  await trade.pass(DAY);
  const from = trade.now();
  for (const { id } of [first, second, first]) {
    trade.tick();
    await own.post("refunds", { invoice_id: id, amount: 1, reason });
  }
  const found = async (query: string) =>
    (await own.get(`refunds?from=${from}${query}`)).items.map(
      (one: { invoice_id: string }) => one.invoice_id,
    );
  assert.deepEqual(await found(""), [first.id, second.id, first.id]);
  assert.deepEqual(await found(`&shop_id=${OTHER_SHOP.id}`), [second.id]);
  assert.deepEqual(await found(`&shop_id=${SHOP.id}&limit=1`), [first.id]);
  assert.deepEqual(await found(`&shop_id=${NOBODY}`), []);
  assert.deepEqual(await found(`&to=${from}`), []);
  const [one] = (await own.get("refunds?limit=1")).items;
  assert.deepEqual(one, {
    refund_id: one.refund_id,
    invoice_id: first.id,
    payment_id: first.paymentId,
    shop_id: SHOP.id,
    amount: 1,
    currency: "RUB",
    reference: null,
    reason,
    author: "sandbox",
    created_at: trade.now(),
  });
  assert.deepEqual((await trade.balance(OTHER_USER))[1], 95_900);
});

it("404 for an invoice that nobody knows, without a trace", async () => {
  await trade.refusedWithoutTrace(404, [["refunds", { invoice_id: NOBODY, amount: 1, reason }]]);
});

it("422: money that is still frozen, refunded or never came is not there to give", async () => {
  const whole = await paidOrder();
  await own.post("refunds", { invoice_id: whole.id, amount: 960, reason });
  // What other orders left is taken out, so that only frozen money is there.
  const { user, secret } = await own.post("users", { name: "Frozen" });
  const wish = { user_id: user.user_id, name: "Frozen", h2h_enabled: true };
  const { shop, api_key } = await own.post("shops", wish);
  const rates = { shop_percent: 4, user_percent: 2, min_sum: 1, max_sum: 9999 };
  await own.post("tariffs", { shop_id: shop.shop_id, service: "p2p_card", ...rates });
  const credentials = { id: shop.shop_id, key: api_key };
  const frozen = await trade.order({}, credentials);
  const unpaid = await trade.order({}, credentials);
  await trade.pay(frozen);
  assert.deepEqual(await trade.balance({ id: user.user_id, secret }), [96_000, 0, 96_000]);
  const refuse = (invoice_id: string, amount: number) =>
    own.refused("refunds", { invoice_id, amount, reason });
  assert.deepEqual(await refuse(frozen.id, 0.01), [422, ["The available balance is too small."]]);
  assert.deepEqual(await refuse(unpaid.id, 1), [422, ["The invoice has not been paid."]]);
  await trade.refusedWithoutTrace(422, [
    ["refunds", { invoice_id: frozen.id, amount: 960, reason }],
    ["refunds", { invoice_id: unpaid.id, amount: 1, reason }],
    ["refunds", { invoice_id: whole.id, amount: 0.01, reason }],
  ]);
});

it("422: a reference that belongs to a refund of other content, without a trace", async () => {
  const { id: invoice_id } = await paidOrder();
  const good = { invoice_id, amount: 1, reason, reference: "ticket 20" };
  await own.post("refunds", good);
  assert.deepEqual(await own.refused("refunds", { ...good, amount: 2 }), [
    422,
    ["The reference field belongs to another refund of this invoice with other content."],
  ]);
  await trade.refusedWithoutTrace(422, [
    ["refunds", { ...good, amount: 2 }],
    ["refunds", { ...good, reason: "something else" }],
  ]);
});

it("422: an amount and a reason are what they are called, without a trace", async () => {
  const { id: invoice_id } = await paidOrder();
  const good = { invoice_id, amount: 1, reason };
  const wrong = [
    ...[0, -1, 970, 1.005, 1e13, "1", null, true].map((amount) => ({ amount })),
    ...[null, "", 7, "a\0b", "x".repeat(501)].map((why) => ({ reason: why })),
    ...[null, "order", 7].map((id) => ({ invoice_id: id })),
    ...[7, "a\0b", "x".repeat(256)].map((reference) => ({ reference })),
  ];
  await trade.refusedWithoutTrace(
    422,
    wrong.map((changes) => ["refunds", { ...good, ...changes }] as const),
  );
});
