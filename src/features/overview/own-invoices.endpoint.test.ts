// /cabinet/invoices: the merchant's own, found by what they are, with who paid only for who may know it; and a
// payment link that is made by hand.

import assert from "node:assert/strict";
import { it } from "node:test";
import { LINK_SHOP, OTHER_SHOP, SHOP } from "../../../test/cast.ts";
import { hire, owners } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";

const { gateway, own, trade } = await openOneGateway();
const { mine, theirs } = await owners(gateway);
const order = await trade.order({ amount: 1234.56 });
const reference = "a bank's own reference";
await trade.pay(order, { payer: "Ivan P. 2202200000000007", reference });
const others = await trade.order({}, OTHER_SHOP);

it("200: found by shop, state, order and amount, and never among another merchant's", async () => {
  for (const query of [
    "",
    `shop_id=${SHOP.id}`,
    "state=paid",
    `order_id=${order.orderId}`,
    "amount=1234.56",
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

/** What one of the link shop's methods takes. */
const sbp = (changes: object) =>
  own.post("tariffs", {
    shop_id: LINK_SHOP.id,
    service: "p2p_sbp",
    currency: "RUB",
    shop_percent: 4,
    user_percent: 0,
    fix: 10,
    min_sum: 100,
    max_sum: 100_000,
    enabled: true,
    ...changes,
  });

it("order_taken: the same link again is the first one, whatever methods the shop has by then", async () => {
  const wish = { shop_id: LINK_SHOP.id, amount: 1000, order_id: "changed since" };
  const made = await mine.post("invoices", wish);
  for (const changes of [{ min_sum: 2000 }, { enabled: false }]) {
    await sbp(changes);
    assert.deepEqual(await mine.post("invoices", wish), made);
    assert.equal((await mine.ask("invoices", { ...wish, amount: 999 })).status, 422);
  }
  const { invoice } = await mine.get(`invoices/${made.invoice_id}`);
  assert.deepEqual(invoice.services, ["p2p_card", "p2p_sbp"]);
});

it("amount_too_small, currency_unavailable: a link's methods are those that take its amount in its currency", async () => {
  await sbp({ min_sum: 2000 });
  await sbp({ currency: "USD", min_sum: 50, max_sum: 5000 });
  const methods = async (wish: object): Promise<unknown> => {
    const { invoice_id } = await mine.post("invoices", { shop_id: LINK_SHOP.id, ...wish });
    const { invoice } = await mine.get(`invoices/${invoice_id}`);
    return [invoice.currency, invoice.services];
  };
  assert.deepEqual(await methods({ amount: 1000 }), ["RUB", ["p2p_card"]]);
  assert.deepEqual(await methods({ amount: 3000 }), ["RUB", ["p2p_card", "p2p_sbp"]]);
  assert.deepEqual(await methods({ amount: 1000, currency: "USD" }), ["USD", ["p2p_sbp"]]);
  const { status, headers } = await mine.ask("invoices", {
    shop_id: LINK_SHOP.id,
    amount: 1000,
    currency: "EUR",
  });
  assert.deepEqual([status, headers.get("x-kopeck-error")], [422, "currency_unavailable"]);
});
