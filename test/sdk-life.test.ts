// A payment's whole life, driven by the SDK alone: an operator's software sets up a user, a shop and a
// card, the shop's takes orders, and there is nothing between them but HTTP. Time is the sandbox's.

import assert from "node:assert/strict";
import { after, it } from "node:test";
import {
  type MerchantOptions,
  managementClient,
  merchantClient,
  verifyWebhook,
} from "../sdk/src/index.ts";
import { eventually } from "../torture/eventually.ts";
import { assertBooksAreRight } from "./books.ts";
import { openOneGateway } from "./one-gateway.ts";
import { openReceiver, type Received } from "./receiver.ts";

const DAY_SECONDS = 24 * 60 * 60;
const LIFETIME_SECONDS = 300 * 60;
const CARD = "2202200000000990";

const { gateway } = await openOneGateway();
const receiver = await openReceiver();
const baseUrl = gateway.url;
const operator = managementClient({ baseUrl, token: "sandbox_operator_token" });
// Only the card that is added here is given out, and none of the sandbox's.
for await (const { requisite_id } of operator.items("/manage/requisites")) {
  await operator.post("/manage/requisites/{requisite_id}", { requisite_id, enabled: false });
}
const added = { bank: "sber", receiver_name: "Нина Н.", card: CARD } as const;
await operator.post("/manage/requisites", added);
const { user, secret: userSecret } = await operator.post("/manage/users", { name: "Acme" });
const { user_id } = user;
const made = await operator.post("/manage/shops", {
  user_id,
  name: "Store",
  h2h_enabled: true,
  hook_url: receiver.url,
  success_url: "https://shop.example/ok",
});
await operator.post("/manage/tariffs", {
  service: "p2p_card",
  shop_percent: 4,
  user_percent: 2,
  min_sum: 100,
  max_sum: 5000,
});
const webhookKeys = { key: made.webhook_key, secret: made.webhook_secret };
const shopId = made.shop.shop_id;
const own = { baseUrl, shopId, shopKey: made.api_key, userId: user_id, userSecret };
const client = (changes: Partial<MerchantOptions> = {}) => merchantClient({ ...own, ...changes });
const shop = client();
after(() => receiver.close());

const order = async (order_id: string) => {
  const { id } = await shop.createInvoice({
    amount: 1000,
    order_id,
    include_service: ["p2p_card"],
    type: "direct",
    custom_fields: { cart: order_id },
  });
  const details = await shop.createH2hPayment({ invoice_id: id, payment_data: { bank: "sber" } });
  return { id, ...details };
};
/** What the gateway tells of an invoice, as the receiver's own software would believe it; it may be on its way. */
const told = async (invoiceId: string, status: string) => {
  const isIt = ({ raw }: Received): boolean => {
    const body = JSON.parse(raw);
    return body.invoice_id === invoiceId && body.status === status;
  };
  await eventually(`${status} of ${invoiceId}`, () => receiver.received.some(isIt));
  const { raw, headers } = receiver.received.findLast(isIt) ?? assert.fail();
  const now = () => gateway.app.clock.now();
  await assert.rejects(verifyWebhook({ body: `${raw} `, headers, ...webhookKeys, now }), {
    problem: "wrong_signature",
  });
  return await verifyWebhook({ body: raw, headers, ...webhookKeys, now });
};

it("is paid, told, frozen and released", async () => {
  const { id, wallet, amount } = await order("paid");
  assert.equal((await shop.invoiceInfo({ invoice_id: id })).status, "created");
  assert.equal(wallet, CARD);
  const arrival = { wallet, amount: Number(amount), payer: "Иван П.", reference: "bank-1" };
  const first = await operator.post("/manage/transfers", arrival);
  assert.deepEqual([first.state, first.invoice_id, first.fresh], ["matched", id, true]);
  const again = await operator.post("/manage/transfers", arrival);
  assert.deepEqual(again, { ...first, fresh: false });
  const listed = await operator.post("/manage/transfers", {
    items: [arrival, { ...arrival, amount: 5 }],
  });
  const [known, refused] = listed.items;
  assert.deepEqual(known, again);
  assert.ok(refused && "error" in refused);
  assert.deepEqual([refused.code, refused.status], ["transfer_reference_taken", 422]);
  await assert.rejects(operator.post("/manage/transfers", { ...arrival, amount: 5 }), {
    kind: "refusal",
    status: 422,
    message: /belongs to another transfer, with another amount/,
  });

  await operator.post("/sandbox/clock", { advance_seconds: 0 });
  const event = await told(id, "success");
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

it("comes short, waits in suspense, is assigned, and goes back", async () => {
  const { id, wallet } = await order("short");
  const arrival = { wallet, amount: 1000, reference: "bank-2" };
  const { transfer_id, state } = await operator.post("/manage/transfers", arrival);
  assert.equal(state, "suspense");
  const { payments } = await operator.get("/manage/invoices/{invoice_id}", { invoice_id: id });
  const payment_id = payments[0]?.payment_id ?? "";
  const reason = "the payer sent a receipt";
  const assign = "/manage/transfers/{transfer_id}/assign";
  await operator.post(assign, { transfer_id, payment_id, reason });
  await operator.post("/sandbox/clock", { advance_seconds: 0 });
  assert.ok((await told(id, "success")).status === "success");
  await operator.post("/sandbox/clock", { advance_seconds: DAY_SECONDS });
  assert.equal((await shop.balance()).active_balance, 960 + 940);

  await operator.post("/manage/refunds", { invoice_id: id, amount: 940, reason: "not sent" });
  await operator.post("/sandbox/clock", { advance_seconds: 0 });
  const event = await told(id, "refund");
  assert.ok(event.status === "refund");
  assert.deepEqual([event.refund_amount, event.refund_reason], ["940.00", "not sent"]);
  assert.equal((await shop.invoiceInfo({ invoice_id: id })).status, "refund");
  assert.equal((await shop.balance()).active_balance, 960);
  const whole = await operator.get("/manage/invoices/{invoice_id}", { invoice_id: id });
  const story = whole.timeline.map(({ what }) => what).filter((what) => !what.startsWith("event"));
  assert.deepEqual(story.slice(0, 5), [
    "invoice created",
    "details issued",
    "money arrived",
    "transfer assigned",
    "paid",
  ]);
  assert.equal(story.filter((what) => what === "webhook sent").length, 2);
  await assertBooksAreRight(gateway);
});

it("is not paid, and expires", async () => {
  const { id } = await order("forgotten");
  await operator.post("/sandbox/clock", { advance_seconds: LIFETIME_SECONDS });
  const event = await told(id, "expired");
  assert.ok(event.status === "expired");
  assert.deepEqual([event.invoice_id, event.type, event.code], [id, 1, 31]);
  assert.match(event.reject_time, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  assert.equal((await shop.invoiceInfo({ invoice_id: id })).status, "expired");
});

it("is canceled by the shop itself, once", async () => {
  const { id } = await order("canceled");
  const canceled = await shop.cancelInvoice({ invoice_id: id });
  assert.deepEqual([canceled.invoice_id, canceled.status], [id, "fail"]);
  assert.deepEqual(await shop.cancelInvoice({ invoice_id: id }), canceled);
  assert.equal((await told(id, "fail")).code, 32);
});

it("goes out as a payout, comes back or is taken back", async () => {
  const percents = { percent: 2, min_sum: 10, max_sum: 500, hold_over: 200, hold_first: false };
  await operator.post("/manage/payout-tariffs", { service: "card", user_id, ...percents });
  const { tariffs } = await shop.payoutTariffs();
  const cards = tariffs.filter(({ service }) => service === "card");
  assert.deepEqual([cards[0]?.percent, cards[0]?.max_sum], [2, 500]);
  const wish = { service: "card", wallet_to: "2200000000000806", amount: 100 } as const;
  const named = { ...wish, order_id: "out-1", hook_url: receiver.url };
  const asked = await shop.createPayout(named);
  assert.deepEqual([asked.amount_withdraw_rub, asked.balance], ["100.00", "860.00"]);
  assert.deepEqual(await shop.createPayout(named), asked);
  await operator.post("/sandbox/clock", { advance_seconds: 1 });
  const info = await shop.payoutInfo({ order_id: "out-1" });
  assert.deepEqual([info.status, info.amount_receive, info.sequence], ["success", "98.00", 1]);
  // What ends in 06 comes back an hour later.
  await operator.post("/sandbox/clock", { advance_seconds: 3_601 });
  const back = await shop.payoutInfo({ id: asked.payoff_id });
  assert.deepEqual([back.status, back.state, back.sequence], ["fail", "returned", 2]);

  const large = await shop.createPayout({ ...wish, amount: 300 });
  const canceled = await shop.cancelPayout({ id: large.payoff_id });
  assert.deepEqual([canceled.state, canceled.error_message], ["canceled", "canceled_by_user"]);
  assert.deepEqual(await shop.cancelPayout({ id: large.payoff_id }), canceled);
  const first = await shop.payouts({ limit: 1 });
  const rest = await shop.payouts({ after: first.next ?? "" });
  assert.deepEqual([first.items, rest.items], [[canceled], [back]]);
  assert.equal(rest.next, null);
  await assert.rejects(client({ userSecret: undefined }).createPayout(wish), TypeError);
  await assert.rejects(shop.createPayout({ ...wish, amount: 501 }), {
    kind: "refusal",
    status: 422,
  });
  await assertBooksAreRight(gateway);
});
