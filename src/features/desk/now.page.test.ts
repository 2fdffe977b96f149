// /desk/now: money that waits by its age, requisites by how full they are, and the way to each.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, wordsIn } from "../../../test/people.ts";

const { gateway, own, trade } = await openOneGateway();
const visit = await anna(gateway);

it("200: where nothing waits it says so, and leads to the figures of days", async () => {
  const page = await visit.open("/desk/now");
  assert.match(wordsIn(page), /Nothing waits/);
  assert.match(wordsIn(page), /All were heard/);
  assert.match(page, /href="\/desk\/figures"/);
});

it("200: what waits is in the bar of its age; the requisite that is nearest to a limit stands first", async () => {
  const order = await trade.order({ amount: 2000 });
  await trade.pay(order, { amount: order.amount - 7 });
  const { items } = await own.get("requisites?enabled=true");
  const used = items.find(({ live_payments: live }: { live_payments: number }) => live > 0);
  assert.ok(used !== undefined && items.length > 1);
  const page = await visit.open("/desk/now");
  assert.match(wordsIn(page), /< 1 h: 1/);
  const [, first = ""] = /href="\/desk\/requisites\/([0-9a-f-]{36})"/.exec(page) ?? [];
  assert.equal(first, used.requisite_id);
});
