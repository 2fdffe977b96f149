// A payment's whole life, driven by the SDK alone: a shop's software and an operator's, and nothing
// between them but HTTP.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import {
  type ManagementClient,
  type MerchantClient,
  managementClient,
  merchantClient,
  verifyWebhook,
} from "../sdk/src/index.ts";
import { assertBooksAreRight } from "./books.ts";
import { SHOP, USER } from "./cast.ts";
import { onEachEngine, openTestGateway, type TestGateway } from "./gateway.ts";
import { openReceiver, type Receiver } from "./receiver.ts";

const DAY_SECONDS = 24 * 60 * 60;
const LIFETIME_SECONDS = 300 * 60;
const WEBHOOK_KEYS = {
  key: "sandbox_webhook_key",
  secret: "whsec_c2FuZGJveF93ZWJob29rX2tleV8wMDAwMDA=",
};

onEachEngine("a payment's life through the SDK", (engine) => {
  let gateway: TestGateway;
  let receiver: Receiver;
  let shop: MerchantClient;
  let operator: ManagementClient;
  before(async () => {
    receiver = await openReceiver();
    gateway = await openTestGateway(engine);
    const baseUrl = gateway.url;
    shop = merchantClient({
      ...{ baseUrl, shopId: SHOP.id, shopKey: SHOP.key },
      ...{ userId: USER.id, userSecret: USER.secret },
    });
    operator = managementClient({ baseUrl, token: "sandbox_operator_token" });
  });
  after(async () => {
    await gateway.stop();
    await receiver.close();
  });

  const order = async (order_id: string) => {
    const { id } = await shop.createInvoice({
      ...{ amount: 1000, order_id, include_service: ["p2p_card"], type: "direct" },
      ...{ success_url: "https://shop.example/ok", hook_url: receiver.url },
      custom_fields: { cart: order_id },
    });
    const details = await shop.createH2hPayment({ invoice_id: id, payment_data: { bank: "sber" } });
    return { id, ...details };
  };
  /** What the gateway told last, as the receiver's own software would believe it. */
  const told = async () => {
    const { raw, headers } = receiver.received.at(-1) ?? { raw: "", headers: {} };
    const now = () => gateway.app.clock.now();
    await assert.rejects(verifyWebhook({ body: `${raw} `, headers, ...WEBHOOK_KEYS, now }), {
      problem: "wrong_signature",
    });
    return await verifyWebhook({ body: raw, headers, ...WEBHOOK_KEYS, now });
  };

  it("is paid, told, frozen and released", async () => {
    const { id, wallet, amount } = await order("paid");
    assert.equal((await shop.invoiceInfo({ invoice_id: id })).status, "created");
    const arrival = { wallet, amount: Number(amount), payer: "Иван П.", reference: "bank-1" };
    const { state, invoice_id } = await operator.post("/sandbox/transfers", arrival);
    assert.deepEqual([state, invoice_id], ["matched", id]);

    await operator.post("/sandbox/clock", { advance_seconds: 0 });
    const event = await told();
    assert.equal(event.status, "success");
    assert.ok(event.status === "success");
    assert.deepEqual([event.invoice_id, event.order_id], [id, "paid"]);
    assert.deepEqual([event.credited, event.amount_received], ["960.00", "1020.00"]);
    assert.deepEqual([event.sequence, event.late, event.payer_details], [1, false, "Иван П."]);
    assert.deepEqual(event.custom_fields, { cart: "paid" });

    const info = await shop.invoiceInfo({ order_id: "paid" });
    assert.deepEqual([info.status, info.credited, info.paid_at], ["success", 960, event.pay_time]);
    const frozen = { balance: 960, active_balance: 0, freeze_balance: 960 };
    assert.deepEqual(await shop.balance(), frozen);
    const { now } = await operator.post("/sandbox/clock", { advance_seconds: DAY_SECONDS });
    assert.deepEqual(await operator.get("/sandbox/clock"), { now });
    const active = { balance: 960, active_balance: 960, freeze_balance: 0 };
    assert.deepEqual(await shop.balance(), active);
    await assertBooksAreRight(gateway);
  });

  it("is not paid, and expires", async () => {
    const { id } = await order("forgotten");
    await operator.post("/sandbox/clock", { advance_seconds: LIFETIME_SECONDS });
    const event = await told();
    assert.ok(event.status === "expired");
    assert.deepEqual([event.invoice_id, event.type, event.code], [id, 1, 31]);
    assert.match(event.reject_time, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    assert.equal((await shop.invoiceInfo({ invoice_id: id })).status, "expired");
  });
});
