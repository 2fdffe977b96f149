// A transfer says who told of it, and which slot it was matched by.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { NOBODY } from "../../../test/orders.ts";

const { own, trade } = await openOneGateway();

it("200: what was matched names its slot and who told of it; what waits or went back has none", async () => {
  const order = await trade.order();
  const paid = await own.get(`transfers/${(await trade.pay(order)).transfer_id}`);
  assert.deepEqual([paid.slot.payment_id, paid.evidence.length], [order.paymentId, 1]);
  assert.deepEqual([paid.evidence[0].channel, paid.evidence[0].key], ["hand", paid.reference]);
  // The API repeats what was told.
  const minute = `${trade.now().slice(0, 16)}Z`;
  trade.tick();
  const told = await trade.pay(await trade.order(), { made_at: minute });
  const { made_at } = await own.get(`transfers/${told.transfer_id}`);
  assert.equal(made_at, minute);
  const other = await trade.order();
  const stray = await trade.pay(other, { amount: 1.11 });
  const path = `transfers/${stray.transfer_id}`;
  assert.deepEqual((await own.get(path)).slot, null);
  await own.post(`${path}/return`, { reason: "nobody knows it" });
  const back = await own.get(path);
  assert.equal(back.slot, null);
  assert.equal((await own.refused(`transfers/${NOBODY}`))[0], 404);
});
