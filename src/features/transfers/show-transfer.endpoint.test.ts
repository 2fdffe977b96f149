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
  // The API repeats what was told; for people it is the service's clock, as exact as it was.
  const minute = `${trade.now().slice(0, 16)}Z`;
  const at = new Date(Date.parse(minute) + 3 * 60 * 60 * 1000).toISOString();
  trade.tick();
  const told = await trade.pay(await trade.order(), { made_at: minute });
  const { made_at, why } = await own.get(`transfers/${told.transfer_id}`);
  assert.equal(made_at, minute);
  assert.match(why, new RegExp(`It was paid at ${at.slice(0, 10)} ${at.slice(11, 16)}, and from`));
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
