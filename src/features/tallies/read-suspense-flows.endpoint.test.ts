// GET /manage/suspense-flows: what came and went adds up to what waits.

import assert from "node:assert/strict";
import { it } from "node:test";
import { ENGINES } from "../../../test/gateway.ts";
import { ownHand } from "../../../test/manage.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY } from "../../../test/orders.ts";

const { own, trade } = await openOneGateway();

interface Flow {
  readonly day: string;
  readonly came: number;
  readonly came_amount: number;
  readonly assigned_amount: number;
  readonly left_amount: number;
}

it("200: by day what came, was assigned and was returned; together what waits", async () => {
  const wait = async (less: number) => {
    const order = await trade.order();
    const paid = await trade.pay(order, { amount: order.amount - less });
    return { ...paid, order };
  };
  const [first, second] = [await wait(1), await wait(2)];
  await wait(3);
  await trade.pass(DAY);
  const assigned = { payment_id: first.order.paymentId, reason: "seen" };
  await own.post(`transfers/${first.transfer_id}/assign`, assigned);
  await own.post(`transfers/${second.transfer_id}/return`, { reason: "nobody's" });
  trade.tick();
  const { items } = await own.get("suspense-flows?from=2026-03-01");
  assert.deepEqual(
    items.map((one: Flow) => [one.day, one.came, one.came_amount]),
    [
      ["2026-03-01", 3, 3054],
      ["2026-03-02", 0, 0],
    ],
  );
  const [, today]: Flow[] = items;
  assert.deepEqual([today?.assigned_amount, today?.left_amount], [1019, 1018]);
  const left = items.reduce(
    (sum: number, one: Flow) => sum + one.came_amount - one.assigned_amount - one.left_amount,
    0,
  );
  assert.equal(left, (await own.get("accounts/suspense.RUB")).balance);
});

const skip = !ENGINES.includes("postgres") && "live mode needs PostgreSQL";
it("200: where no requisite takes roubles, every door's figures are of what they take", {
  skip,
}, async () => {
  const { gateway } = await openOneGateway({ mode: "live", baseUrl: "https://pay.example" });
  const hand = await ownHand(gateway, "Anna", "operator");
  const dollars = { bank: "sber", receiver_name: "Dollars", currency: "USD" };
  await hand.post("requisites", { ...dollars, card: "4111111111111111" });
  await hand.post("transfers", { wallet: "4111111111111111", amount: 70, reference: "D-1" });
  gateway.clock.advance(1);
  assert.equal((await hand.get("tallies")).currency, "USD");
  assert.equal((await hand.get("suspense-flows")).items.at(-1).came_amount, 70);
  assert.equal((await hand.get("suspense-flows?currency=RUB")).items.at(-1).came_amount, 0);
});
