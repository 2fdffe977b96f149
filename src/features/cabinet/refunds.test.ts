// /my/refunds: what went back, with why.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY } from "../../../test/orders.ts";
import { anna } from "../../../test/people.ts";

const { gateway, own, trade } = await openOneGateway();

it("200: each refund leads to its invoice, as a list and as a file", async () => {
  const order = await trade.order();
  await trade.pay(order);
  await trade.pass(DAY);
  await own.post("refunds", { invoice_id: order.id, amount: 10, reason: "A broken <cup>" });
  const owner = await anna(gateway);
  const text = await owner.open("/my/refunds");
  assert.ok(text.includes(`/my/invoices/${order.id}`) && text.includes("A broken &lt;cup&gt;"));
  assert.match(await owner.open("/my/refunds.csv"), /A broken <cup>/);
});
