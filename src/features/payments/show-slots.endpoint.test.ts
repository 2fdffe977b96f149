// The slots of a requisite: live, in quarantine, free again.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, MINUTE } from "../../../test/orders.ts";

const { gateway, own, trade } = await openOneGateway();

it("200: an amount is held, then in quarantine, then free", async () => {
  const order = await trade.order({ amount: 1500 });
  const [{ requisite_id, shop_id }] = (await own.get(`payments?invoice_id=${order.id}`)).items;
  const slots = (query = "") => own.get(`requisites/${requisite_id}/slots${query}`);
  const { items, next, asked } = await slots();
  const [{ ends_at, held_until, ...slot }] = items;
  assert.deepEqual([items.length, next, asked.amount], [1, null, null]);
  assert.deepEqual(slot, {
    amount: order.amount,
    phase: "live",
    payment_id: order.paymentId,
    payment_state: "live",
    invoice_id: order.id,
    shop_id,
  });
  assert.ok(ends_at < held_until);
  assert.deepEqual((await slots(`?amount=${order.amount}`)).asked, {
    amount: order.amount,
    free_at: held_until,
    payment_id: order.paymentId,
  });
  const free = { amount: 1, free_at: null, payment_id: null };
  assert.deepEqual((await slots("?amount=1")).asked, free);
  await trade.pass(21 * MINUTE);
  assert.equal((await slots()).items[0].phase, "quarantine");
  await trade.pass(DAY);
  assert.deepEqual((await slots(`?amount=${order.amount}`)).items, []);
});

it("200: page by page, in the order of the amounts", async () => {
  const { requisite_id } = (await own.get("requisites")).items[0];
  const order = await trade.order({ amount: 900 });
  const held = new Date(Date.parse(trade.now()) + 3_600_000);
  await gateway.app.db.query(
    `insert into slots (requisite_id, amount_minor, payment_id, held_until, shop_id, user_id)
     select $1, 500000 + n, id, $3, shop_id, user_id from payments, generate_series(1, 600) n
     where id = $2`,
    [requisite_id, order.paymentId, held],
  );
  const path = `requisites/${requisite_id}/slots`;
  const first = await own.get(`${path}?after=5000`);
  assert.deepEqual([first.items.length, first.next], [500, 5005]);
  const second = await own.get(`${path}?after=${first.next}`);
  assert.deepEqual([second.items.length, second.next], [100, null]);
});
