// GET /manage/pay-speeds: how long payers took, within what counts by speed can tell.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, NOBODY } from "../../../test/orders.ts";

const { own, trade } = await openOneGateway();

it("200: half of a day's payments, and nine of ten, within 12 %; a day without any has none", async () => {
  for (const [nth, seconds] of [10, 20, 60, 200, 900].entries()) {
    const order = await trade.order({ amount: 1000 + nth });
    await trade.pass(seconds);
    await trade.pay(order);
  }
  await trade.pass(DAY);
  const { items } = await own.get("pay-speeds?from=2026-03-01&to=2026-03-03");
  const [first, second] = items;
  assert.deepEqual([first.day, first.paid], ["2026-03-01", 5]);
  assert.ok(Math.abs(first.p50_seconds / 61 - 1) < 0.13, String(first.p50_seconds));
  assert.ok(Math.abs(first.p90_seconds / 901 - 1) < 0.13, String(first.p90_seconds));
  const none = { paid: 0, p50_seconds: null, p90_seconds: null };
  assert.deepEqual(second, { day: "2026-03-02", ...none });
  const nobody = await own.get(`pay-speeds?from=2026-03-01&to=2026-03-02&shop_id=${NOBODY}`);
  assert.deepEqual(nobody.items, [{ day: "2026-03-01", ...none }]);
});
