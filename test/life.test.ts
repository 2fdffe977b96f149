// A payment's whole life over HTTP, on both engines: from the order to the money, the webhook and the
// balance; and the same for money that is late, doubled, unknown, second or assigned by hand.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { Webhook } from "standardwebhooks";
import { refundInvoice } from "../src/features/refunds/refund.ts";
import { assignTransfer, returnTransfer } from "../src/features/transfers/transfers.ts";
import { assertBooksAreRight } from "./books.ts";
import { createH2h, createInvoice, SHOP, USER } from "./cast.ts";
import { type Answer, onEachEngine, openTestGateway, type TestGateway } from "./gateway.ts";
import { openReceiver, type Received, type Receiver } from "./receiver.ts";

const OPERATOR = { authorization: "Bearer sandbox_operator_token" };
const WEBHOOK_KEY = "sandbox_webhook_key";
const WEBHOOK_SECRET = "whsec_c2FuZGJveF93ZWJob29rX2tleV8wMDAwMDA=";
const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

onEachEngine("a payment's life", (engine) => {
  let gateway: TestGateway;
  let receiver: Receiver;
  before(async () => {
    gateway = await openTestGateway(engine);
  });
  after(() => gateway.stop());
  beforeEach(async () => {
    receiver = await openReceiver();
    // Past every quarantine: each test finds all slots free.
    await pass(2 * DAY);
  });
  afterEach(async () => {
    await pass(0);
    await receiver.close();
    await assertBooksAreRight(gateway);
  });

  const sandbox = (path: string, body: unknown): Promise<Answer> =>
    gateway.call(`/sandbox/${path}`, { body, headers: OPERATOR });
  const pass = (advance_seconds: number): Promise<Answer> => sandbox("clock", { advance_seconds });
  const transfer = async (body: Record<string, unknown>) => {
    const answer = await sandbox("transfers", body);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data as {
      transfer_id: string;
      state: string;
      invoice_id: string | null;
      fresh: boolean;
    };
  };
  const info = async (query: string) => {
    const path = `/invoice/info?shop_id=${SHOP.id}&${query}`;
    const answer = await gateway.call(path, { headers: { "x-api-key": SHOP.key } });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  };
  const balance = async (): Promise<[number, number, number]> => {
    const answer = await gateway.call(`/account/users/${USER.id}/balance`, {
      headers: { "x-api-signature-sha256": USER.secret },
    });
    const { balance: all, active_balance, freeze_balance } = answer.body.data;
    return [all, active_balance, freeze_balance];
  };
  /** How the three balances change while something happens, in kopecks to stay exact. */
  const change = async (work: () => Promise<unknown>): Promise<number[]> => {
    const old = await balance();
    await work();
    return (await balance()).map((now, index) => Math.round((now - (old[index] ?? 0)) * 100));
  };
  const order = async (changes: Record<string, unknown> = {}) => {
    const created = await createInvoice(gateway, { hook_url: receiver.url, ...changes });
    assert.equal(created.status, 200, created.text);
    const id: string = created.body.data.id;
    const details = (await createH2h(gateway, id)).body.data;
    return { id, wallet: details.wallet as string, amount: Number(details.amount) };
  };
  const paymentOf = async (invoiceId: string): Promise<string> => {
    const rows = await gateway.app.db.query<{ id: string }>(
      "select id from payments where invoice_id = $1 order by created_at desc limit 1",
      [invoiceId],
    );
    return rows[0]?.id ?? "";
  };
  const told = async (status: string): Promise<Received> => {
    await pass(0);
    const one = receiver.received.find(({ body }) => body.status === status);
    assert.ok(one, `a webhook that says ${status}`);
    verify(one);
    return one;
  };
  const operator = { author: "test", reason: "the payer sent a screenshot" };

  it("from the order to the balance", async () => {
    const { id, wallet, amount } = await order({
      order_id: "whole life",
      custom_fields: '{"b":{"z":1,"a":2},"a":"ä"}',
    });
    assert.deepEqual(await info(`invoice_id=${id}`), {
      invoice_id: id,
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
      created_at: (await info(`invoice_id=${id}`)).created_at,
      expired_at: (await info(`invoice_id=${id}`)).expired_at,
      paid_at: null,
    });

    const frozen = await change(async () => {
      const arrived = await transfer({ wallet, amount, payer: "Иван П. 2202200212345678" });
      assert.equal(arrived.state, "matched");
      assert.equal(arrived.invoice_id, id);
    });
    assert.deepEqual(frozen, [96000, 0, 96000]);

    const { body, raw } = await told("success");
    const { paid_at, ...paid } = await info("order_id=whole%20life");
    assert.equal(paid.status, "success");
    assert.equal(paid.credited, 960);
    assert.equal(paid.payer_details, "Иван П. 220220******5678");
    assert.deepEqual(body, {
      amount: "1000.00",
      amount_received: "1020.00",
      code: 1,
      credited: "960.00",
      currency: "RUB",
      custom_fields: { a: "ä", b: { a: 2, z: 1 } },
      event_id: body.event_id,
      invoice_id: id,
      late: false,
      order_id: "whole life",
      pay_service: "p2p_card",
      pay_time: paid_at,
      payer_details: "Иван П. 220220******5678",
      sequence: 1,
      status: "success",
      type: 1,
    });
    assert.equal(raw, JSON.stringify(body), "compact, and the keys sorted at every level");

    assert.deepEqual(await change(() => pass(DAY - MINUTE)), [0, 0, 0]);
    assert.deepEqual(await change(() => pass(MINUTE)), [0, 96000, -96000]);
    assert.deepEqual(await change(() => pass(DAY)), [0, 0, 0], "released once");
  });

  it("the same transfer again changes nothing and gets the same answer", async () => {
    const { wallet, amount } = await order();
    const arrival = { wallet, amount, reference: "bank-1" };
    const first = await transfer(arrival);
    assert.equal(first.fresh, true);
    const repeated = { ...first, fresh: false };
    const again = await change(async () => assert.deepEqual(await transfer(arrival), repeated));
    assert.deepEqual(again, [0, 0, 0]);
    const both = await Promise.all([transfer(arrival), transfer(arrival)]);
    assert.deepEqual(both, [repeated, repeated]);
  });

  it("a second transfer to a paid payment waits in suspense", async () => {
    const { wallet, amount } = await order();
    await transfer({ wallet, amount });
    const second = await change(async () => {
      const arrived = await transfer({ wallet, amount });
      assert.deepEqual([arrived.state, arrived.invoice_id], ["suspense", null]);
    });
    assert.deepEqual(second, [0, 0, 0]);
  });

  it("an amount that no slot has waits in suspense, until it is assigned by hand", async () => {
    const { id, wallet, amount } = await order();
    const odd = await transfer({ wallet, amount: amount - 100 });
    assert.deepEqual([odd.state, odd.invoice_id], ["suspense", null]);
    const paymentId = await paymentOf(id);
    const assign = () =>
      gateway.app.db.transaction((tx) =>
        assignTransfer(tx, gateway.app, { transferId: odd.transfer_id, paymentId, ...operator }),
      );
    assert.deepEqual(await change(assign), [86000, 0, 86000]);
    const { body } = await told("success");
    assert.equal(body.amount, "1000.00");
    assert.equal(body.amount_received, "920.00");
    assert.equal(body.credited, "860.00");
    await assert.rejects(assign(), { code: "transfer_settled" });
  });

  it("what waits in suspense is returned once, and then no longer assigned", async () => {
    const { id, wallet, amount } = await order();
    const { transfer_id: transferId } = await transfer({ wallet, amount: amount + 1 });
    const giveBack = () =>
      gateway.app.db.transaction((tx) =>
        returnTransfer(tx, gateway.app, { transferId, ...operator }),
      );
    assert.deepEqual(await change(giveBack), [0, 0, 0]);
    await assert.rejects(giveBack(), { code: "transfer_settled" });
    const paymentId = await paymentOf(id);
    await assert.rejects(
      gateway.app.db.transaction((tx) =>
        assignTransfer(tx, gateway.app, { transferId, paymentId, ...operator }),
      ),
      { code: "transfer_settled" },
    );
  });

  it("refuses to assign what does not cover the fee, or to a payment that cannot be paid", async () => {
    const { id, wallet, amount } = await order();
    const small = await transfer({ wallet, amount: 60 });
    const paymentId = await paymentOf(id);
    const assign = (transferId: string, to = paymentId) =>
      gateway.app.db.transaction((tx) =>
        assignTransfer(tx, gateway.app, { transferId, paymentId: to, ...operator }),
      );
    await assert.rejects(assign(small.transfer_id), { code: "transfer_too_small" });
    await assert.rejects(assign(small.transfer_id, id), { code: "payment_not_found" });
    await assert.rejects(assign(id), { code: "transfer_not_found" });
    await transfer({ wallet, amount });
    const more = await transfer({ wallet, amount: amount + 2 });
    await assert.rejects(assign(more.transfer_id), { code: "payment_not_payable" });
  });

  it("money that comes late, in the quarantine, is credited where the shop says so", async () => {
    const { id, wallet, amount } = await order({ expire: 30 });
    await pass(31 * MINUTE);
    assert.equal((await info(`invoice_id=${id}`)).status, "expired");
    const expired = await told("expired");
    assert.equal(expired.body.code, 31);
    assert.equal(expired.body.sequence, 1);
    const gained = await change(async () => {
      const arrived = await transfer({ wallet, amount });
      assert.deepEqual([arrived.state, arrived.invoice_id], ["matched", id]);
    });
    assert.deepEqual(gained, [96000, 0, 96000]);
    const { body } = await told("success");
    assert.equal(body.late, true);
    assert.equal(body.sequence, 2);
    assert.equal((await info(`invoice_id=${id}`)).status, "success");
  });

  it("money that comes late is held in suspense where the shop says so", async () => {
    await gateway.app.db.query("update shops set late_policy = 'hold'");
    const { id, wallet, amount } = await order();
    await pass(20 * MINUTE);
    const arrived = await transfer({ wallet, amount });
    await gateway.app.db.query("update shops set late_policy = 'credit'");
    assert.deepEqual([arrived.state, arrived.invoice_id], ["suspense", null]);
    assert.equal((await info(`invoice_id=${id}`)).status, "created");
  });

  it("money that comes after the quarantine belongs to nobody", async () => {
    const { wallet, amount } = await order();
    await pass(DAY + 20 * MINUTE);
    assert.equal((await transfer({ wallet, amount })).state, "suspense");
  });

  it("an invoice that nobody pays expires at its end, and its shop is told", async () => {
    const { id } = await order({ expire: 45 });
    await pass(45 * MINUTE - 1);
    assert.equal((await info(`invoice_id=${id}`)).status, "created");
    const { body: clock } = await pass(1);
    const { body } = await told("expired");
    assert.equal(body.reject_time, clock.data.now);
    assert.equal(body.type, 1);
  });

  it("details that lapse are followed by new ones, and money for either pays the invoice", async () => {
    const first = await order();
    await pass(20 * MINUTE);
    const second = (await createH2h(gateway, first.id)).body.data;
    assert.notEqual(`${second.wallet} ${second.amount}`, `${first.wallet} ${first.amount}`);
    const late = await transfer({ wallet: first.wallet, amount: first.amount });
    assert.deepEqual([late.state, late.invoice_id], ["matched", first.id]);
    const other = await transfer({ wallet: second.wallet, amount: Number(second.amount) });
    assert.equal(other.state, "suspense", "the invoice is paid already");
    await pass(20 * MINUTE);
  });

  it("a wallet that is nobody's is refused, and nothing is stored", async () => {
    const answer = await sandbox("transfers", { wallet: "4000000000000002", amount: 100 });
    assert.equal(answer.status, 422);
    assert.match(answer.body.error, /wallet/);
  });

  describe("a refund", () => {
    const refund = (invoiceId: string, amountMinor: bigint) =>
      gateway.app.db.transaction((tx) =>
        refundInvoice(tx, gateway.app, { invoiceId, amountMinor, ...operator }),
      );

    it("in parts, from the available balance, never more than was credited", async () => {
      const { id, wallet, amount } = await order();
      await transfer({ wallet, amount });
      await pass(DAY);
      assert.deepEqual(await change(() => refund(id, 36_000n)), [-36000, -36000, 0]);
      assert.equal((await info(`invoice_id=${id}`)).status, "success");
      await assert.rejects(refund(id, 60_001n), { code: "refund_too_large" });
      assert.deepEqual(await change(() => refund(id, 60_000n)), [-60000, -60000, 0]);
      assert.equal((await info(`invoice_id=${id}`)).status, "refund");
      await assert.rejects(refund(id, 1n), { code: "refund_too_large" });
      await pass(0);
      const refunds = receiver.received.filter(({ body }) => body.status === "refund");
      assert.deepEqual(
        refunds
          .map(({ body }) => [body.sequence, body.refund_amount, body.type, body.code])
          .toSorted(),
        [
          [2, "360.00", 2, 20],
          [3, "600.00", 2, 20],
        ],
      );
      assert.equal(refunds[0]?.body.refund_reason, operator.reason);
    });

    it("of what is still frozen, or was never paid, is refused", async () => {
      const unpaid = await order();
      await assert.rejects(refund(unpaid.id, 1n), { code: "invoice_not_paid" });
      await transfer({ wallet: unpaid.wallet, amount: unpaid.amount });
      const [, available] = await balance();
      // Whatever earlier payments left free is not this invoice's to give.
      if (available < 960)
        await assert.rejects(refund(unpaid.id, 96_000n), { code: "balance_too_small" });
      await assert.rejects(refund(USER.id, 1n), { code: "invoice_not_found" });
    });
  });

  it("webhooks wait for a receiver that is down, by the schedule, with the same body", async () => {
    receiver.answer(500);
    const { wallet, amount } = await order();
    await transfer({ wallet, amount });
    await pass(0);
    assert.equal(receiver.received.length, 1);
    await pass(4);
    assert.equal(receiver.received.length, 1);
    await pass(1);
    assert.equal(receiver.received.length, 2);
    receiver.answer(204);
    await pass(5 * MINUTE);
    assert.equal(receiver.received.length, 3);
    await pass(DAY);
    assert.equal(receiver.received.length, 3);
    const [first, ...later] = receiver.received;
    for (const one of later) {
      assert.equal(one.raw, first?.raw);
      assert.equal(one.headers["webhook-id"], first?.headers["webhook-id"]);
      assert.notEqual(one.headers["webhook-timestamp"], first?.headers["webhook-timestamp"]);
    }
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
