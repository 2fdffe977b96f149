// A transfer says who told of it and why it is whose it is.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { NOBODY } from "../../../test/orders.ts";

const { own, trade } = await openOneGateway();

it("200: what was matched names its slot, what waits its reason, what a person settled the person", async () => {
  const order = await trade.order();
  const paid = await own.get(`transfers/${(await trade.pay(order)).transfer_id}`);
  assert.deepEqual([paid.slot.payment_id, paid.evidence.length], [order.paymentId, 1]);
  assert.match(paid.why, /nobody else had this requisite and this amount\.$/);
  assert.deepEqual([paid.evidence[0].channel, paid.evidence[0].key], ["hand", paid.reference]);
  const other = await trade.order();
  const stray = await trade.pay(other, { amount: 1.11 });
  const path = `transfers/${stray.transfer_id}`;
  assert.deepEqual(
    (await own.get(path)).why,
    "One teller has told of it; it waits: nobody_expected.",
  );
  await own.post(`${path}/return`, { reason: "nobody knows it" });
  const back = await own.get(path);
  assert.equal(back.why, "One teller has told of it; sandbox settled it: nobody knows it.");
  assert.equal(back.slot, null);
  assert.equal((await own.refused(`transfers/${NOBODY}`))[0], 404);
});
