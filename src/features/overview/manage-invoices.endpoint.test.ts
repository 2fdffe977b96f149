// Invoices through /manage: found by whatever a complaint names, and the whole story of each.

import assert from "node:assert/strict";
import { after, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { createH2h, createInvoice } from "../../../test/cast.ts";
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
    `order_id=${"x".repeat(256)}`,
    "amount=1.005",
    "wallet=abcd",
    "from=yesterday",
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
