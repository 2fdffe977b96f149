// GET /manage/approvals: what people have approved, and what waits for another person.

import assert from "node:assert/strict";
import { it } from "node:test";
import { approveByOther } from "../../../test/approvals.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";

const { gateway, own, trade } = await openOneGateway();

const found = async (query: string): Promise<string[]> =>
  (await own.get(`approvals?${query}`)).items.map(
    ({ subject_id }: { subject_id: string }) => subject_id,
  );

it("200: lists approvals by their subject, and those that wait while their transfer does", async () => {
  const order = await trade.order();
  const { transfer_id } = await trade.pay(order, { amount: order.amount - 1 });
  await approveByOther(gateway, transfer_id, order.paymentId);
  assert.deepEqual(await found(`subject_id=${transfer_id}`), [transfer_id]);
  assert.deepEqual(await found("subject_type=transfer&waiting=true"), [transfer_id]);
  assert.deepEqual(await found("subject_type=payout&waiting=true"), []);
  await own.post(`transfers/${transfer_id}/return`, { reason: "not theirs" });
  assert.deepEqual(await found("waiting=true"), []);
  assert.deepEqual(await found("subject_type=transfer"), [transfer_id]);
});

it("422: names a filter that is wrong", async () => {
  const [status] = await own.refused("approvals?subject_type=invoice");
  assert.equal(status, 422);
});
