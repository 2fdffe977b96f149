// /desk/refunds: what went back; the form is tried on the invoice's page.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY } from "../../../test/orders.ts";
import { anna, wordsIn } from "../../../test/people.ts";

const { gateway, own, trade } = await openOneGateway();

it("200: none, and how they are made; then one, with why", async () => {
  assert.match(wordsIn(await (await anna(gateway)).open("/desk/refunds")), /Nothing was refunded/);
  const order = await trade.order();
  await trade.pay(order);
  await trade.pass(2 * DAY);
  await own.post("refunds", { invoice_id: order.id, amount: 10, reason: "<i>why</i>" });
  const page = await (await anna(gateway)).open("/desk/refunds");
  assert.match(wordsIn(page), /10\.00 ₽ .*<i>why<\/i>/);
  assert.ok(page.includes(`/desk/invoices/${order.id}`) && !page.includes("<i>why"));
});
