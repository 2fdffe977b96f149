// Invoices through /manage: found by whatever a complaint names, and the whole story of each.

import assert from "node:assert/strict";
import { after, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { createH2h, createInvoice, OTHER_SHOP, SHOP } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, MINUTE, NOBODY } from "../../../test/orders.ts";
import { openReceiver } from "../../../test/receiver.ts";

const { gateway, own, trade } = await openOneGateway();
const receiver = await openReceiver();
after(() => receiver.close());

const found = async (query: string): Promise<string[]> =>
  (await own.get(`invoices?${query}`)).items.map((one: { invoice_id: string }) => one.invoice_id);
const whatHappened = async (id: string): Promise<string[]> => {
  const { timeline } = await own.get(`invoices/${id}`);
  const moments = timeline.map((step: Step) => step.at);
  assert.deepEqual(moments, moments.toSorted(), "in the order that it happened");
  return timeline.map(({ what, detail }: Step) => `${what}: ${detail}`);
};

it("200: is searched by order, amount, last digits, state, period and shop, all at once", async () => {
  const from = trade.now();
  const paid = await trade.order({ amount: 1500 });
  await trade.pay(paid);
  const to = new Date(Date.parse(trade.now()) + 1000).toISOString();
  const open = await trade.order({ amount: 1500, order_id: "the same order" });
  const other = await trade.order({ amount: 900, order_id: "the same order" }, OTHER_SHOP);
  trade.tick();
  const bare = (await createInvoice(gateway, { amount: 77_000 })).body.data.id;

  assert.deepEqual(await found(`from=${from}`), [bare, other.id, open.id, paid.id]);
  assert.deepEqual(await found(`from=${from}&to=${to}`), [paid.id]);
  assert.deepEqual(await found(`from=${to}&to=${from}`), []);
  assert.deepEqual(await found("order_id=the%20same%20order"), [other.id, open.id]);
  const mine = `order_id=the%20same%20order&shop_id=${SHOP.id}`;
  assert.deepEqual(await found(mine), [open.id]);
  assert.deepEqual(await found(`${mine}&amount=900`), []);
  assert.deepEqual(await found("amount=1500"), [open.id, paid.id]);
  assert.deepEqual(await found("amount=1500&state=paid"), [paid.id]);
  assert.deepEqual(await found(`state=pending&shop_id=${OTHER_SHOP.id}`), [other.id]);
  assert.deepEqual(await found(`from=${from}&state=created`), [bare]);
  assert.deepEqual(await found(`shop_id=${OTHER_SHOP.id.toUpperCase()}`), [other.id]);
  const wallet = `wallet=${paid.wallet.slice(-4)}`;
  assert.deepEqual(await found(wallet), [paid.id]);
  assert.deepEqual(await found(`${wallet}&state=paid&amount=1500&shop_id=${SHOP.id}`), [paid.id]);
  assert.deepEqual(await found(`${wallet}&state=pending`), []);
  assert.deepEqual(await found(`${wallet}&amount=900`), []);
  assert.deepEqual(await found(`${wallet}&order_id=${paid.orderId}`), [paid.id]);
  assert.deepEqual(await found(`${wallet}&from=${from}&to=${to}`), [paid.id]);
  assert.deepEqual(await found(`${wallet}&from=${to}`), []);
  assert.deepEqual(await found("wallet=9876"), []);
  assert.deepEqual(await found(`shop_id=${NOBODY}`), []);
  const [one] = (await own.get(`invoices?order_id=${paid.orderId}`)).items;
  assert.deepEqual(one, {
    invoice_id: paid.id,
    shop_id: SHOP.id,
    order_id: paid.orderId,
    type: "direct",
    state: "paid",
    amount: 1500,
    currency: "RUB",
    services: ["p2p_card"],
    created_at: one.created_at,
    expires_at: new Date(Date.parse(one.created_at) + 300 * MINUTE * 1000).toISOString(),
    paid_at: one.paid_at,
  });
});

it("200: of a card in a period: invoices of these days, whenever they got their details", async () => {
  trade.tick();
  const day = trade.now();
  const { id } = (await createInvoice(gateway, { amount: 660, expire: 7200 })).body.data;
  const page = { from: day, to: new Date(Date.parse(day) + DAY * 1000).toISOString() };
  await trade.pass(DAY + MINUTE);
  const { wallet } = (await createH2h(gateway, id)).body.data;
  const asked = (of: object): string => new URLSearchParams({ ...of }).toString();
  const last = wallet.slice(-4);
  assert.deepEqual(await found(asked({ ...page, wallet: last })), [id]);
  assert.deepEqual(await found(asked({ wallet: last, amount: 660, from: page.to })), []);
});

it("200: no page ends between two payments of an invoice: it is not told again", async () => {
  await trade.pass(2 * DAY);
  const from = trade.now();
  const { items } = await own.get("requisites?bank=tinkoff&enabled=true");
  for (const { requisite_id } of items.slice(1)) {
    await own.post(`requisites/${requisite_id}`, { enabled: false });
  }
  const tinkoff = { payment_data: { bank: "tinkoff" } };
  const ids = [];
  for (const amount of [4000, 4001]) {
    trade.tick();
    const { id } = (await createInvoice(gateway, { amount })).body.data;
    for (let turn = 0; turn < 3; turn += 1) {
      assert.equal((await createH2h(gateway, id, tinkoff)).status, 200);
      await trade.pass(21 * MINUTE);
    }
    ids.unshift(id);
  }
  const wallet = items[0].card.slice(-4);
  for (const limit of [1, 2, 3]) {
    const seen = [];
    for (let next: string | null = ""; next !== null; ) {
      const query = `invoices?wallet=${wallet}&from=${from}&limit=${limit}&after=${next}`;
      const page = await own.get(query);
      seen.push(...page.items.map((one: { invoice_id: string }) => one.invoice_id));
      next = page.next;
    }
    assert.deepEqual(seen, ids, `in pages of ${limit}`);
  }
});

it("200: paid and refunded: everything in order, with every webhook", async () => {
  await trade.pass(2 * DAY);
  const order = await trade.order({ hook_url: receiver.url });
  const { fresh, joined, ...transfer } = await trade.pay(order, { reference: "bank-7" });
  assert.deepEqual([fresh, joined], [true, false]);
  await trade.pass(DAY);
  await own.post("refunds", { invoice_id: order.id, amount: 960, reason: "came back" });
  await trade.pass(1);
  const whole = await own.get(`invoices/${order.id.toUpperCase()}`);
  assert.equal(whole.invoice.state, "refunded");
  assert.deepEqual(
    whole.payments.map((one: { payment_id: string }) => one.payment_id),
    [order.paymentId],
  );
  assert.deepEqual(whole.transfers, [transfer]);
  assert.equal(whole.refunds[0].amount, 960);
  assert.deepEqual(await whatHappened(order.id), [
    `invoice created: order ${order.orderId}, 1000.00 RUB`,
    "details issued: 1020.00 RUB by p2p_card",
    "money arrived: 1020.00 RUB, reference bank-7",
    "paid: credited 960.00 RUB",
    "event recorded: 1: success, delivered",
    "webhook sent: attempt 1: 200",
    "freeze ended: 960.00 RUB",
    "refunded: 960.00 RUB by sandbox: came back",
    "event recorded: 2: refund, delivered",
    "webhook sent: attempt 1: 200",
  ]);
  await assertBooksAreRight(gateway);
});

it("200: assigned by hand: who and why", async () => {
  await trade.pass(2 * DAY);
  const order = await trade.order();
  const { transfer_id } = await trade.pay(order, { amount: 900, reference: "odd" });
  trade.tick();
  const wish = { payment_id: order.paymentId, reason: "a screenshot" };
  await own.post(`transfers/${transfer_id}/assign`, wish);
  assert.deepEqual((await whatHappened(order.id)).slice(2, 5), [
    "money arrived: 900.00 RUB, reference odd",
    "transfer assigned: by sandbox: a screenshot",
    "paid: credited 840.00 RUB",
  ]);
});

it("200: expired, and paid by late money: both are part of the story", async () => {
  await trade.pass(2 * DAY);
  const order = await trade.order({ expire: 30 });
  await trade.pass(40 * MINUTE);
  assert.equal((await whatHappened(order.id)).at(-2), "invoice expired: not paid");
  await trade.pay(order, { reference: "very late" });
  assert.deepEqual(await whatHappened(order.id), [
    `invoice created: order ${order.orderId}, 1000.00 RUB`,
    "details issued: 1020.00 RUB by p2p_card",
    "details lapsed: not paid in time",
    "invoice expired: not paid",
    "event recorded: 1: expired, no_address",
    "money arrived: 1020.00 RUB, reference very late",
    "paid: credited 960.00 RUB, late",
    "event recorded: 2: success, no_address",
    "freeze ends: 960.00 RUB",
  ]);
});

it("422 for what cannot be searched for", async () => {
  const queries = [
    "shop_id=1",
    "state=gone",
    "order_id=%00",
    `order_id=${"x".repeat(256)}`,
    "amount=0",
    "amount=1.005",
    "amount=NaN",
    "amount=1e13",
    "wallet=1",
    "wallet=abcd",
    "from=yesterday",
    "to=2026-13-01",
    "from=1969-12-31",
    "from=2026-01-01T00:00",
    "limit=0",
  ];
  for (const query of queries) {
    assert.equal((await own.refused(`invoices?${query}`))[0], 422, query);
  }
  for (const id of ["42", "%00", `${NOBODY}0`]) {
    assert.equal((await own.refused(`invoices/${id}`))[0], 422, id);
  }
});

interface Step {
  readonly at: string;
  readonly what: string;
  readonly detail: string;
}
