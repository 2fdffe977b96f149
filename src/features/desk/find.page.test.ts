// Whatever somebody has in hand leads to its screen.

import assert from "node:assert/strict";
import { it } from "node:test";
import { SHOP, USER } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, wordsIn } from "../../../test/people.ts";

const { gateway, own, trade } = await openOneGateway();
const visit = await anna(gateway);

it("goes to the screen of an id, an order, the end of a card with an amount", async () => {
  const order = await trade.order({ amount: 1500, order_id: "Заказ 17" });
  const go = async (what: string) =>
    (await visit.get(`/desk/go/${encodeURIComponent(what)}`)).location;
  const invoice = `/desk/invoices/${order.id}`;
  assert.deepEqual(
    [
      await go(order.id),
      await go("Заказ 17"),
      await go(order.paymentId),
      await go(`${order.wallet.slice(-4)} ${order.amount}`),
    ],
    [invoice, invoice, invoice, invoice],
  );
  assert.deepEqual(
    [await go(SHOP.id), await go(USER.id)],
    [`/desk/shops/${SHOP.id}`, `/desk/merchants/${USER.id}`],
  );
  assert.equal(await go("<nobody>"), "/desk/find?q=%3Cnobody%3E");
});

it("tells what it has found in words, with the sum as it is written", async () => {
  const order = await trade.order({ amount: 1500, order_id: "to-cancel" });
  await own.post(`invoices/${order.id}/cancel`, { reason: "twice" });
  const told = wordsIn(await visit.open("/desk/find?q=to-cancel")).replaceAll("\u202f", " ");
  assert.match(told, /Invoice to-cancel Canceled, 1 500\.00.₽/);
  const story = wordsIn(await visit.open(`/desk/invoices/${order.id}`));
  assert.match(story, /Event recorded 1: canceled, /);
  const card = wordsIn(await visit.open(`/desk/find?q=${order.wallet.slice(-4)}`));
  assert.match(card, /Sberbank|T-Bank/);
});

it("finds pages and acts by their names", async () => {
  assert.match(await visit.open("/desk/find?q=merch"), /New merchant/);
  assert.match(wordsIn(await visit.open("/desk/find?q=%3Cb%3E")), /Nothing is called so/);
});

it("200: a text that would be cut in the middle of a character is cut before it", async () => {
  const visitor = visit;
  for (const length of [253, 254, 255, 1_000]) {
    const q = encodeURIComponent(`${"a".repeat(length)}😀😀`);
    assert.equal((await visitor.get(`/desk/find?q=${q}`)).status, 200, `${length}`);
  }
});
