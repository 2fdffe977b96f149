// /desk/now: money that waits by its age, requisites by how full they are, and the way to each.

import assert from "node:assert/strict";
import { it } from "node:test";
import { createH2h, SHOP } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { MINUTE } from "../../../test/orders.ts";
import { anna, wordsIn } from "../../../test/people.ts";
import { noteDetails } from "../payments/details-count.ts";

const { gateway, own, trade } = await openOneGateway();
const visit = await anna(gateway);

it("200: where nothing waits it says so, and leads to the figures of days", async () => {
  const page = await visit.open("/desk/now");
  assert.match(wordsIn(page), /Nothing waits/);
  assert.match(wordsIn(page), /None was given up/);
  assert.match(wordsIn(page), /Why details were refused, by hour Nothing to draw yet/);
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

it("200: why details were refused, in the hour that it happened", async () => {
  const paid = await trade.order({ amount: 1000 });
  await trade.pay(paid);
  assert.equal((await createH2h(gateway, paid.id)).status, 422);
  noteDetails(gateway.app, SHOP.id, "limits");
  await trade.pass(2 * MINUTE);
  const words = wordsIn(await (await anna(gateway)).open("/desk/now"));
  assert.match(words, /so far 0 1 0 0.*too often\) and not drawn: 1\./);
});
