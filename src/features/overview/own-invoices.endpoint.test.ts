// /cabinet/invoices: the merchant's own, found by what they are, with who paid only for who may know it; and a
// payment link that is made by hand.

import assert from "node:assert/strict";
import { it } from "node:test";
import { LINK_SHOP, OTHER_SHOP, SHOP } from "../../../test/cast.ts";
import { hire, owners } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { NOBODY } from "../../../test/orders.ts";

const { gateway, own, trade } = await openOneGateway();
const { mine, theirs } = await owners(gateway);
const order = await trade.order({ amount: 1234.56 });
const reference = "a bank's own reference";
await trade.pay(order, { payer: "Ivan P. 2202200000000007", reference });
const others = await trade.order({}, OTHER_SHOP);

it("200: found by shop, state, order and amount, and never among another merchant's", async () => {
  for (const query of [
    ...["", `shop_id=${SHOP.id}`, "state=paid", `order_id=${order.orderId}`, "amount=1234.56"],
  ]) {
    const { items } = await mine.get(`invoices?${query}`);
    assert.deepEqual(
      items.map((one: { invoice_id: string }) => one.invoice_id),
      [order.id],
      query,
    );
  }
  const strange = await mine.get(`invoices?order_id=${others.orderId}`);
  assert.deepEqual(strange.items, []);
  assert.equal((await theirs.get("invoices")).items[0].invoice_id, others.id);
});

it("200: who paid is told to support, and not to a developer; what is the operator's to nobody", async () => {
  const { own: support } = await hire(gateway, "support");
  const { own: developer } = await hire(gateway, "developer");
  const [seen, hidden] = [
    await support.get(`invoices/${order.id}`),
    await developer.get(`invoices/${order.id}`),
  ];
  assert.equal(seen.transfers[0].payer, "Ivan P. 220220******0007");
  assert.equal(hidden.transfers[0].payer, null);
  const steps = hidden.timeline.map(({ what }: { what: string }) => what);
  assert.ok(steps.includes("money arrived") && steps.includes("paid"));
  const { payments } = await own.get(`invoices/${order.id}`);
  for (const text of [JSON.stringify(seen), JSON.stringify(hidden)]) {
    assert.ok(!text.includes(payments[0].requisite_id));
    assert.ok(!text.includes(reference));
  }
});

it("404: another merchant's, in the words of one that nobody has", async () => {
  const other = await mine.ask(`invoices/${others.id}`);
  assert.deepEqual([other.status, other.text], [404, (await mine.ask(`invoices/${NOBODY}`)).text]);
  for (const shop_id of [OTHER_SHOP.id, NOBODY]) {
    assert.equal((await mine.ask(`invoices?shop_id=${shop_id}`)).status, 404);
    assert.equal((await mine.ask("invoices", { shop_id, amount: 1000 })).status, 404);
  }
});

it("200: a payment link with the methods that hold the amount, once for an order id", async () => {
  const wish = { shop_id: LINK_SHOP.id, amount: 1000, order_id: "by hand" };
  const made = await mine.post("invoices", wish);
  assert.equal(made.url, `${gateway.app.config.baseUrl}/pay/${made.invoice_id}`);
  assert.deepEqual(await mine.post("invoices", wish), made);
  const { items } = await mine.get("audit?act=invoice.create");
  assert.deepEqual([items.length, items[0].subject], [1, made.invoice_id]);
  const { invoice } = await mine.get(`invoices/${made.invoice_id}`);
  assert.deepEqual([invoice.type, invoice.services], ["link", ["p2p_card", "p2p_sbp"]]);
  const unnamed = await mine.post("invoices", { ...wish, order_id: undefined });
  assert.match(unnamed.order_id, /^link-/);
  const taken = await mine.refused("invoices", { ...wish, amount: 2000 });
  assert.equal(taken[0], 422);
});
