// POST /invoice/cancel: what nobody has paid is taken back, once; money that was sent all the same is nobody else's.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import {
  cancelInvoice,
  createH2h,
  createInvoice,
  FAMILY_SHOP,
  OTHER_SHOP,
  SHOP,
} from "../../../test/cast.ts";
import { owners } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, HOUR, MINUTE, NOBODY } from "../../../test/orders.ts";
import { openReceiver } from "../../../test/receiver.ts";

const { gateway, own, trade } = await openOneGateway();
const headers = { "x-api-key": SHOP.key };
const whole = (id: string) => own.get(`invoices/${id}`);
const info = async (id: string) => {
  const { body } = await gateway.call(`/invoice/info?shop_id=${SHOP.id}&invoice_id=${id}`, {
    headers,
  });
  return body.data;
};
afterEach(() => assertBooksAreRight(gateway));

it("200: its shop is told once, it stays so, and repeating it changes nothing", async (test) => {
  const receiver = await openReceiver();
  test.after(() => receiver.close());
  const { id, orderId } = await trade.order({ hook_url: receiver.url });
  const canceled = await cancelInvoice(gateway, id);
  assert.equal(canceled.status, 200, canceled.text);
  assert.deepEqual(canceled.body.data, { invoice_id: id, order_id: orderId, status: "fail" });
  const moment = gateway.app.clock.now();
  assert.equal((await cancelInvoice(gateway, id)).text, canceled.text);
  assert.equal((await info(id)).status, "fail");
  // Past its end, too.
  await trade.pass(2 * DAY);
  assert.equal((await cancelInvoice(gateway, id)).text, canceled.text);
  assert.equal((await info(id)).status, "fail");
  const [{ body: told }, ...others] = receiver.received as [(typeof receiver.received)[number]];
  assert.deepEqual(others, []);
  const { status, type, code, sequence, reject_time } = told;
  assert.deepEqual([status, type, code, sequence], ["fail", 1, 32, 1]);
  const inMoscow = new Date(moment.getTime() + 3 * HOUR * 1000).toISOString();
  assert.equal(reject_time, inMoscow.slice(0, 19).replace("T", " "));
});

it("200: by its order id; and the order id stays its own", async () => {
  const order_id = "taken back";
  const { body: made } = await createInvoice(gateway, { order_id });
  const body = { shop_id: SHOP.id, order_id };
  const { body: canceled } = await gateway.call("/invoice/cancel", { headers, body });
  assert.equal(canceled.data.invoice_id, made.data.id);
  const again = await createInvoice(gateway, { order_id });
  assert.equal(again.body.data.id, made.data.id);
  const refused = await createH2h(gateway, made.data.id);
  assert.deepEqual(
    [refused.status, refused.headers.get("x-kopeck-error")],
    [422, "invoice_closed"],
  );
});

it("200: by a number, as a shop of the family writes its order id, and for no other shop", async () => {
  for (const [number, order_id] of [
    [12_345, "12345"],
    ["12345678901234567890123", "12345678901234567890123"],
  ] as const) {
    const { body: made } = await createInvoice(gateway, { order_id }, FAMILY_SHOP);
    const cancel = ({ id, key }: typeof FAMILY_SHOP) =>
      gateway.call("/invoice/cancel", {
        headers: { "x-api-key": key },
        body: `{"shop_id":"${id}","order_id":${number}}`,
      });
    const canceled = await cancel(FAMILY_SHOP);
    assert.equal(canceled.status, 200, canceled.text);
    assert.deepEqual(canceled.body.data, { invoice_id: made.data.id, order_id, status: "fail" });
    const strict = await cancel(SHOP);
    assert.deepEqual(
      [strict.status, strict.body.error],
      [422, "The order id field must be a string."],
    );
  }
});

it("422 and 404: paid, expired, another shop's, nobody's, and none named", async () => {
  const paid = await trade.order();
  await trade.pay(paid);
  const { body: old } = await createInvoice(gateway, { expire: 1 });
  gateway.clock.advance(MINUTE);
  const open = await trade.order();
  const code = async (answer: ReturnType<typeof cancelInvoice>) => {
    const { status, headers: got } = await answer;
    return `${status} ${got.get("x-kopeck-error")}`;
  };
  assert.equal(await code(cancelInvoice(gateway, paid.id)), "422 invoice_paid");
  // Whether its row says so yet or not.
  assert.equal(await code(cancelInvoice(gateway, old.data.id)), "422 invoice_expired");
  await trade.pass(0);
  assert.equal(await code(cancelInvoice(gateway, old.data.id)), "422 invoice_expired");
  assert.equal(await code(cancelInvoice(gateway, open.id, OTHER_SHOP)), "404 invoice_not_found");
  assert.equal(await code(cancelInvoice(gateway, NOBODY)), "404 invoice_not_found");
  assert.equal(await code(cancelInvoice(gateway, undefined)), "422 invoice_id_required");
  const body = { shop_id: SHOP.id, invoice_id: open.id, order_id: "of another order" };
  assert.equal(
    await code(gateway.call("/invoice/cancel", { headers, body })),
    "404 invoice_not_found",
  );
  assert.equal((await info(open.id)).status, "created");
});

it("money that was sent for it waits for a person, also in its quarantine, and pays nobody else's order", async () => {
  const first = await trade.order({ amount: 4321 });
  gateway.clock.advance(MINUTE);
  await cancelInvoice(gateway, first.id);
  // Nobody else is told the same card and amount.
  const next = await trade.order({ amount: 4321 });
  assert.notDeepEqual([next.wallet, next.amount], [first.wallet, first.amount]);
  for (const seconds of [MINUTE, 2 * HOUR]) {
    await trade.pass(seconds);
    const { state, suspense_reason } = await trade.pay(first);
    assert.deepEqual([state, suspense_reason], ["suspense", "invoice_closed"]);
  }
  const { invoice, payments } = await whole(next.id);
  assert.deepEqual([invoice.state, payments.at(-1).received], ["pending", null]);
  // Sent before it was canceled, and told of after.
  const second = await trade.order({ amount: 4322 });
  const made_at = gateway.app.clock.now().toISOString();
  gateway.clock.advance(MINUTE);
  await cancelInvoice(gateway, second.id);
  const late = await trade.pay(second, { made_at });
  assert.equal(late.suspense_reason, "invoice_closed");
  const assigned = await own.ask(`transfers/${late.transfer_id}/assign`, {
    payment_id: second.paymentId,
    reason: "the shop has changed its mind",
  });
  assert.equal(assigned.headers.get("x-kopeck-error"), "payment_not_payable");
  await own.post(`transfers/${late.transfer_id}/return`, { reason: "canceled" });
});

it("its card has its place again at once", async () => {
  const live = async () => {
    const { items } = await own.get("requisites");
    return items.map((one: { live_payments: number }) => one.live_payments);
  };
  const before = await live();
  const { id } = await trade.order();
  assert.notDeepEqual(await live(), before);
  await cancelInvoice(gateway, id);
  assert.deepEqual(await live(), before);
});

it("an operator says why, a merchant's people need not; both leave one row in the log", async () => {
  const { mine } = await owners(gateway);
  const [one, two] = [await trade.order(), await trade.order()];
  const by = await trade.audited(() =>
    own.post(`invoices/${one.id}/cancel`, { reason: "the shop has asked for it" }),
  );
  const data = { invoice_id: one.id, order_id: one.orderId, state: "failed" };
  assert.deepEqual(by.answer, data);
  assert.deepEqual(by.logged, [
    "invoice.cancel",
    one.id,
    { ...data, state: "pending" },
    { ...data, reason: "the shop has asked for it" },
  ]);
  await own.post(`invoices/${one.id}/cancel`, { reason: "once more" });
  const { row } = await trade.audited(() => mine.post(`invoices/${two.id}/cancel`, {}));
  assert.deepEqual([row.act, row.subject], ["invoice.cancel", two.id]);
});

it("its story says who canceled it: a person, or the shop's program; of the operator's people no name to the merchant", async () => {
  const { mine } = await owners(gateway);
  const reason = "sold out: really, 5";
  const cases = [
    [(id: string) => cancelInvoice(gateway, id), "by the shop's program", "by the shop's program"],
    [
      (id: string) => own.post(`invoices/${id}/cancel`, { reason }),
      `by sandbox: ${reason}`,
      "by the operator",
    ],
    [
      (id: string) => mine.post(`invoices/${id}/cancel`, {}),
      "by Anna, who works for the merchant",
      "by Anna",
    ],
  ] as const;
  for (const [cancel, ...expected] of cases) {
    const { id } = await trade.order();
    await cancel(id);
    const told = [await whole(id), await mine.get(`invoices/${id}`)].map(
      ({ timeline }) =>
        timeline.find(({ what }: { what: string }) => what === "invoice canceled").detail,
    );
    assert.deepEqual(told, expected);
  }
});
