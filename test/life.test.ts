// A payment's whole life over HTTP, on both engines: from the order to the money, the webhook, the balance
// and the refund, and the same for money that is late. What a door says besides is tested beside that door.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, afterEach, before, beforeEach, it } from "node:test";
import { Webhook } from "standardwebhooks";
import { refundInvoice } from "../src/features/refunds/refund.ts";
import { assertBooksAreRight } from "./books.ts";
import { createH2h, SHOP } from "./cast.ts";
import { onEachEngine, openTestGateway, type TestGateway } from "./gateway.ts";
import { manage } from "./manage.ts";
import { DAY, MINUTE, type Orders, orders } from "./orders.ts";
import { openReceiver, type Received, type Receiver } from "./receiver.ts";

const WEBHOOK_KEY = "sandbox_webhook_key";
const WEBHOOK_SECRET = "whsec_c2FuZGJveF93ZWJob29rX2tleV8wMDAwMDA=";

onEachEngine("a payment's life", (engine) => {
  let gateway: TestGateway;
  let receiver: Receiver;
  let trade: Orders;
  before(async () => {
    gateway = await openTestGateway(engine);
    receiver = await openReceiver();
    trade = orders(gateway);
  });
  after(async () => {
    await gateway.stop();
    await receiver.close();
  });
  // Past every quarantine: each test finds all slots free.
  beforeEach(() => trade.pass(2 * DAY));
  afterEach(() => assertBooksAreRight(gateway));

  const info = async (query: string) => {
    const path = `/invoice/info?shop_id=${SHOP.id}&${query}`;
    const answer = await gateway.call(path, { headers: { "x-api-key": SHOP.key } });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  };
  /** How the three balances change while something happens, in kopecks. */
  const change = async (work: () => Promise<unknown>): Promise<number[]> => {
    const old = await trade.balance();
    await work();
    return (await trade.balance()).map((now, index) => now - (old[index] ?? 0));
  };
  const order = (changes: Record<string, unknown> = {}) =>
    trade.order({ hook_url: receiver.url, ...changes });
  /** Everything that this invoice's shop was told, each with both of its signatures. */
  const told = async (invoiceId: string): Promise<Received[]> => {
    await trade.pass(0);
    const all = receiver.received.filter(({ body }) => body.invoice_id === invoiceId);
    for (const one of all) verify(one);
    return all.toSorted((left, right) => left.body.sequence - right.body.sequence);
  };

  it("from the order to the balance", async () => {
    const paid = await order({
      order_id: "whole life",
      custom_fields: '{"b":{"z":1,"a":2},"a":"ä"}',
    });
    const { created_at, expired_at, ...open } = await info(`invoice_id=${paid.id}`);
    assert.deepEqual(open, {
      invoice_id: paid.id,
      order_id: "whole life",
      shop_id: SHOP.id,
      status: "created",
      invoice_amount: 1000,
      credited: null,
      currency: "RUB",
      pay_service: "p2p_card",
      payer_details: null,
      commission_amount: 60,
      commission_percent: 6,
      shop_commission_amount: 40,
      user_commission_amount: 20,
      user_commission_percent: 2,
      custom_field: { b: { z: 1, a: 2 }, a: "ä" },
      paid_at: null,
    });

    const frozen = await change(async () => {
      const arrived = await trade.pay(paid, { payer: "Иван П. 2202200212345678" });
      assert.deepEqual([arrived.state, arrived.invoice_id], ["matched", paid.id]);
    });
    assert.deepEqual(frozen, [96000, 0, 96000]);

    const [{ body, raw }] = (await told(paid.id)) as [Received];
    const known = await info("order_id=whole%20life");
    const { paid_at } = known;
    const payer_details = "Иван П. 220220******5678";
    const success = { status: "success", credited: 960, payer_details, paid_at };
    assert.deepEqual(known, { ...open, ...success, created_at, expired_at });
    assert.deepEqual(body, {
      amount: "1000.00",
      amount_received: "1020.00",
      code: 1,
      credited: "960.00",
      currency: "RUB",
      custom_fields: { a: "ä", b: { a: 2, z: 1 } },
      event_id: body.event_id,
      invoice_id: paid.id,
      late: false,
      order_id: "whole life",
      pay_service: "p2p_card",
      pay_time: paid_at,
      payer_details,
      sequence: 1,
      status: "success",
      type: 1,
    });
    assert.equal(raw, JSON.stringify(body), "compact, and the keys sorted at every level");

    assert.deepEqual(await change(() => trade.pass(DAY - MINUTE)), [0, 0, 0]);
    assert.deepEqual(await change(() => trade.pass(MINUTE)), [0, 96000, -96000]);
    assert.deepEqual(await change(() => trade.pass(DAY)), [0, 0, 0], "released once");
  });

  it("expired, paid late and refunded in parts: told of each, by numbers without a gap", async () => {
    const late = await order({ expire: 30 });
    await trade.pass(30 * MINUTE - 1);
    assert.equal((await info(`invoice_id=${late.id}`)).status, "created");
    await trade.pass(1);
    assert.equal((await info(`invoice_id=${late.id}`)).status, "expired");
    assert.deepEqual(await change(() => trade.pay(late)), [96000, 0, 96000]);
    assert.equal((await info(`invoice_id=${late.id}`)).status, "success");
    await trade.pass(DAY);

    const refund = (amount: number) =>
      manage(gateway).post("refunds", { invoice_id: late.id, amount, reason: "test" });
    assert.deepEqual(await change(() => refund(10)), [-1000, -1000, 0]);
    const wish = { invoiceId: late.id, amountMinor: 1_000n, reason: "test", author: "test" };
    const undone = gateway.app.db.transaction(async (tx) => {
      await refundInvoice(tx, gateway.app, wish);
      throw new Error("changed my mind");
    });
    await assert.rejects(undone, /changed my mind/);
    await Promise.all([refund(20), refund(30), refund(40)]);
    assert.equal((await info(`invoice_id=${late.id}`)).status, "success");
    await refund(860);
    assert.equal((await info(`invoice_id=${late.id}`)).status, "refund");

    const all = (await told(late.id)).map(({ body }) => body);
    assert.deepEqual(
      all.map((body) => [body.sequence, body.status, body.type, body.code]),
      [
        [1, "expired", 1, 31],
        [2, "success", 1, 1],
        ...[3, 4, 5, 6, 7].map((sequence) => [sequence, "refund", 2, 20]),
      ],
    );
    assert.equal(all[0].reject_time, (await info(`invoice_id=${late.id}`)).expired_at);
    assert.equal(all[1].late, true);
    const sums = all.slice(2).map((body) => body.refund_amount);
    assert.deepEqual(sums.toSorted(), ["10.00", "20.00", "30.00", "40.00", "860.00"]);
  });

  it("details that lapse are followed by new ones, and money for either pays the invoice", async () => {
    const first = await order();
    await trade.pass(20 * MINUTE);
    const { wallet, amount } = (await createH2h(gateway, first.id)).body.data;
    assert.notEqual(`${wallet} ${amount}`, `${first.wallet} ${first.amount}`);
    const late = await trade.pay(first);
    assert.deepEqual([late.state, late.invoice_id], ["matched", first.id]);
    const other = await trade.pay({ ...first, wallet, amount: Number(amount) });
    assert.equal(other.state, "suspense", "the invoice is paid already");
    await trade.pass(20 * MINUTE);
  });

  it("money that waits: held because it is late, then assigned; of an odd amount, then returned", async () => {
    const own = manage(gateway);
    const reason = "the payer sent a screenshot";
    await own.post(`shops/${SHOP.id}`, { late_policy: "hold" });
    const late = await order();
    await trade.pass(20 * MINUTE);
    const held = await trade.pay(late);
    await own.post(`shops/${SHOP.id}`, { late_policy: "credit" });
    const odd = await trade.pay(late, { amount: late.amount + 1 });
    assert.deepEqual([held.state, odd.state], ["suspense", "suspense"]);
    const assign = () =>
      own.post(`transfers/${held.transfer_id}/assign`, { payment_id: late.paymentId, reason });
    assert.deepEqual(await change(assign), [96000, 0, 96000]);
    assert.equal((await told(late.id))[0]?.body.late, true);
    const giveBack = () => own.post(`transfers/${odd.transfer_id}/return`, { reason });
    assert.deepEqual(await change(giveBack), [0, 0, 0]);
    await own.refused(`transfers/${odd.transfer_id}/return`, { reason });
  });

  function verify({ headers, raw, body }: Received): void {
    const hmac = createHmac("sha256", WEBHOOK_KEY).update(raw).digest("hex");
    assert.equal(headers["x-api-sha256-signature"], hmac);
    // The package compares the timestamp with the machine's clock; the sandbox's runs ahead.
    const { now } = Date;
    Date.now = () => Number(headers["webhook-timestamp"]) * 1000;
    try {
      const verified = new Webhook(WEBHOOK_SECRET).verify(raw, headers as Record<string, string>);
      assert.deepEqual(verified, body);
    } finally {
      Date.now = now;
    }
  }
});
