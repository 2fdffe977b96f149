// Payments through /manage: found by what a bank statement shows.

import assert from "node:assert/strict";
import { it } from "node:test";
import { createH2h, OTHER_SHOP, SHOP } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { MINUTE, NOBODY } from "../../../test/orders.ts";

const { gateway, own, trade } = await openOneGateway();
const paid = await trade.order({ amount: 1000 });
await trade.pay(paid);
// Twice, for two banks: the first details end with the second.
const live = await trade.order({ amount: 2000, order_id: "ünï cödé & more" });
await createH2h(gateway, live.id, { payment_data: { bank: "tinkoff" } });
const other = await trade.order({ amount: 1000 }, OTHER_SHOP);

const found = async (query: string): Promise<string[]> =>
  (await own.get(`payments?${query}`)).items.map((one: { payment_id: string }) => one.payment_id);

it("200: shows what was asked for, what came and what it cost", async () => {
  const { items } = await own.get(`payments?invoice_id=${paid.id.toUpperCase()}`);
  assert.deepEqual(items, [
    {
      payment_id: paid.paymentId,
      invoice_id: paid.id,
      order_id: paid.orderId,
      shop_id: SHOP.id,
      requisite_id: items[0].requisite_id,
      service: "p2p_card",
      state: "paid",
      to_pay: 1020,
      currency: "RUB",
      fee: 60,
      received: 1020,
      credited: 960,
      refunded: 0,
      late: false,
      created_at: items[0].created_at,
      ends_at: new Date(Date.parse(items[0].created_at) + 20 * MINUTE * 1000).toISOString(),
      paid_at: items[0].paid_at,
      payer_word: null,
    },
  ]);
});

it("200: is found by shop, order, state, amount, requisite and last digits, all at once", async () => {
  const [second = ""] = await found(`invoice_id=${live.id}&state=live`);
  assert.notEqual(second, live.paymentId);
  assert.deepEqual(await found("state=live"), [other.paymentId, second]);
  assert.deepEqual(await found("state=lapsed"), [live.paymentId]);
  assert.deepEqual(await found("amount=1020"), [other.paymentId, paid.paymentId]);
  assert.deepEqual(await found(`amount=1020&shop_id=${SHOP.id}`), [paid.paymentId]);
  assert.deepEqual(await found(`shop_id=${OTHER_SHOP.id}`), [other.paymentId]);
  const byOrder = await found(`order_id=${encodeURIComponent("ünï cödé & more")}`);
  assert.deepEqual(byOrder.toSorted(), [live.paymentId, second].toSorted());
  assert.deepEqual(await found(`order_id=${paid.orderId}&state=live`), []);
  assert.deepEqual(await found(`order_id=${paid.orderId}&shop_id=${OTHER_SHOP.id}`), []);
  const { items } = await own.get(`payments?invoice_id=${paid.id}`);
  const [{ requisite_id }] = items;
  assert.deepEqual(await found(`requisite_id=${requisite_id}`), [paid.paymentId]);
  assert.deepEqual(await found(`wallet=${paid.wallet.slice(-4)}`), [paid.paymentId]);
  const wallet = other.wallet.slice(-4);
  assert.deepEqual(await found(`requisite_id=${requisite_id}&wallet=${wallet}`), []);
  assert.deepEqual(await found(`wallet=${wallet}&amount=1020&state=live`), [other.paymentId]);
  assert.deepEqual(await found(`wallet=${wallet}&order_id=${paid.orderId}`), []);
  for (const nobody of ["shop_id", "invoice_id", "requisite_id"]) {
    assert.deepEqual(await found(`${nobody}=${NOBODY}`), []);
  }
  assert.deepEqual(await found("wallet=9876"), []);
});
