// GET /manage/transfers/:transfer_id/candidates: money that waits, beside the payments it may be meant for.

import assert from "node:assert/strict";
import { it } from "node:test";
import { cancelInvoice, OTHER_SHOP } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, HOUR, MINUTE, NOBODY } from "../../../test/orders.ts";

const { gateway, own, trade } = await openOneGateway();

const candidates = async (transfer: { transfer_id: string }) =>
  (await own.get(`transfers/${transfer.transfer_id}/candidates`)).items;
const seen = async (transfer: { transfer_id: string }): Promise<[string, string, number][]> =>
  (await candidates(transfer)).map((one: { order_id: string; off: string; difference: number }) => [
    one.order_id,
    one.off,
    one.difference,
  ]);

it("200: the payment that money missed by an amount, and its payer's word beside it", async () => {
  const meant = await trade.order({ amount: 1_490 });
  await gateway.app.db.query(
    `insert into payer_words (payment_id, paid_said_at, told_at, times, amount_minor, bank, sent_when)
     values ($1, $2, $2, 1, 149000, 'Сбер', '12:05')`,
    [meant.paymentId, gateway.app.clock.now()],
  );
  const money = await trade.pay(meant, { amount: 1_490 });
  assert.equal(money.suspense_reason, "nobody_expected");
  const [one, ...others] = await candidates(money);
  assert.deepEqual(others, []);
  const expected = {
    payment_id: meant.paymentId,
    invoice_id: meant.id,
    order_id: meant.orderId,
    off: "amount",
    difference: -29.8,
    to_pay: 1_519.8,
    state: "live",
    payer_said_amount: 1_490,
    payer_said_bank: "Сбер",
    payer_said_when: "12:05",
  };
  for (const [name, value] of Object.entries(expected)) assert.deepEqual(one[name], value, name);
  const { items } = await own.get("transfers?state=suspense");
  const listed = items.find(
    (row: { transfer_id: string }) => row.transfer_id === money.transfer_id,
  );
  assert.deepEqual([listed.nearest_payment_id, listed.nearest_off], [meant.paymentId, "amount"]);
  const settled = await own.post(`transfers/${money.transfer_id}/assign`, {
    payment_id: one.payment_id,
    reason: "the payer left the fee out",
  });
  assert.equal(settled.state, "matched");
});

it("200: canceled, and not paid already, also past the end of its details", async () => {
  await trade.pass(10 * DAY);
  const canceled = await trade.order({ amount: 1_700 });
  await cancelInvoice(gateway, canceled.id);
  for (const seconds of [MINUTE, HOUR]) {
    await trade.pass(seconds);
    const money = await trade.pay(canceled);
    assert.equal(money.suspense_reason, "invoice_closed");
    assert.deepEqual(await seen(money), [[canceled.orderId, "canceled", 0]]);
  }
});

it("200: paid twice, late, and to another card; the nearest first", async () => {
  await trade.pass(10 * DAY);
  const twice = await trade.order({ amount: 2_000 });
  await trade.pay(twice);
  const again = await trade.pay(twice);
  assert.deepEqual(await seen(again), [[twice.orderId, "paid_already", 0]]);

  const late = await trade.order({ amount: 3_000 });
  await trade.pass(2 * DAY);
  const money = await trade.pay(late);
  assert.deepEqual(await seen(money), [[late.orderId, "ended", 0]]);

  const elsewhere = await trade.order({ amount: 4_000 }, OTHER_SHOP);
  const { items } = await own.get("requisites");
  const { requisite_id } = items.find(
    (one: { bank: string; card: string }) =>
      one.bank === "sber" && !one.card.endsWith(elsewhere.wallet.slice(-4)),
  );
  const wrong = await own.post("transfers", {
    requisite_id,
    amount: elsewhere.amount,
    reference: "to another card",
  });
  assert.deepEqual(await seen(wrong), [[elsewhere.orderId, "other_card", 0]]);
});

it("200: of many on one card at most twenty, by how near their amounts are", async () => {
  await trade.pass(10 * DAY);
  const { items } = await own.get("requisites");
  const [only, ...rest] = items.filter((one: { bank: string }) => one.bank === "sber");
  for (const { requisite_id } of rest) {
    await own.post(`requisites/${requisite_id}`, { enabled: false });
  }
  const orders = [];
  for (let many = 0; many < 24; many += 1) {
    orders.push(await trade.order({ amount: 5_000 + 10 * many }));
  }
  const { requisite_id } = only;
  const amount = (orders[3]?.amount ?? 0) + 0.5;
  const money = await own.post("transfers", { requisite_id, amount, reference: "near many" });
  const found = await seen(money);
  assert.equal(found.length, 20);
  assert.deepEqual(found[0], [orders[3]?.orderId, "amount", 0.5]);
  const distances = found.map(([, , difference]) => Math.abs(Number(difference)));
  assert.deepEqual(
    distances,
    distances.toSorted((one, other) => one - other),
  );
  await trade.pass(HOUR + MINUTE);
  const old = await own.post("transfers", { requisite_id, amount, reference: "after all" });
  assert.deepEqual(await seen(old), []);
});

it("200: money that came late is its own payment's before another's that it misses by a kopeck", async () => {
  const late = await trade.order({ amount: 900 });
  await trade.pass(21 * MINUTE);
  const other = await trade.order({ amount: 900 });
  assert.deepEqual([late.amount, other.amount], [918, 918.01]);
  const money = await trade.pay(late);
  assert.equal(money.suspense_reason, "contested");
  assert.deepEqual(await seen(money), [
    [late.orderId, "ended", 0],
    [other.orderId, "amount", -0.01],
  ]);
});

it("404 for a transfer that nobody knows; nothing for one whose money has found its payment", async () => {
  assert.equal((await own.ask(`transfers/${NOBODY}/candidates`)).status, 404);
  const paid = await trade.pay(await trade.order({ amount: 700 }));
  assert.deepEqual([paid.state, await candidates(paid)], ["matched", []]);
});
