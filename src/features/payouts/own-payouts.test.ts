// /cabinet/payouts: asked for by the merchant's own people. An owner's leaves; an accountant's waits for somebody; and
// nobody's is told to another merchant.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { hire, owners } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, NOBODY } from "../../../test/orders.ts";
import { CARD, SBER } from "../../../test/payouts.ts";

const { gateway, own, trade } = await openOneGateway();
const { mine, theirs } = await owners(gateway);
afterEach(() => assertBooksAreRight(gateway));
await trade.pay(await trade.order());
await trade.pass(DAY);

const wish = (changes: object) => ({ service: "card", wallet_to: CARD, amount: 100, ...changes });

it("200: an owner's is in line at once, once for an order id, and leaves", async () => {
  const asked = await mine.post("payouts", wish({ order_id: "a" }));
  assert.deepEqual([asked.state, asked.origin, asked.held_reason], ["queued", "payoff", null]);
  assert.equal((await mine.post("payouts", wish({ order_id: "a" }))).payout_id, asked.payout_id);
  assert.equal((await mine.get("audit?act=payout.create")).items.length, 1);
  await trade.pass(0);
  const { payout, timeline } = await mine.get(`payouts/${asked.payout_id}`);
  assert.equal(payout.state, "done");
  assert.equal(timeline[0].what, "asked for");
  assert.ok(!("author_id" in payout));
  const other = await theirs.ask(`payouts/${asked.payout_id}`);
  const unknown = await theirs.ask(`payouts/${NOBODY}`);
  assert.deepEqual([other.status, other.text], [404, unknown.text]);
});

it("200: an accountant's waits for an operator, who is not named afterwards", async () => {
  const { own: accountant } = await hire(gateway, "accountant");
  const asked = await accountant.post("payouts", wish({ amount: 50 }));
  assert.deepEqual([asked.state, asked.held_reason], ["held", "by_hand"]);
  await trade.pass(0);
  assert.equal((await mine.get("payouts?state=held")).items[0].payout_id, asked.payout_id);
  await own.post(`payouts/${asked.payout_id}/approve`);
  await trade.pass(0);
  const { payout, timeline } = await accountant.get(`payouts/${asked.payout_id}`);
  assert.equal(payout.state, "done");
  assert.match(JSON.stringify(timeline), /by the operator/);
  assert.doesNotMatch(JSON.stringify(timeline), /by sandbox/);
});

it("200: what nobody has begun to send is taken back, by who may ask for one, and logged once", async () => {
  const before = await trade.balance();
  const { own: accountant } = await hire(gateway, "accountant");
  const asked = await accountant.post("payouts", wish({ amount: 30 }));
  const path = `payouts/${asked.payout_id}/cancel`;
  const { own: support } = await hire(gateway, "support");
  assert.equal((await support.ask(path, {})).status, 403);
  assert.equal((await theirs.ask(path, {})).status, 404);
  const { row } = await trade.audited(() => accountant.post(path, {}));
  assert.deepEqual(
    [row.act, row.before.state, row.after.state, row.after.error],
    ["payout.cancel", "held", "canceled", "canceled_by_user"],
  );
  assert.deepEqual(await trade.balance(), before);
  assert.equal((await mine.post(path, {})).state, "canceled");
  assert.equal((await mine.get("audit?act=payout.cancel")).items.length, 1);
  const { items } = await mine.get("payouts?state=done");
  const late = await mine.ask(`payouts/${items[0].payout_id}/cancel`, {});
  assert.equal(late.status, 422);
});

it("200: what they cost, and nothing of theirs to another merchant", async () => {
  const { items } = await mine.get("payout-tariffs");
  assert.deepEqual(
    items.map((one: { service: string; percent: number }) => [one.service, one.percent]),
    [
      ["card", 2],
      ["sbp", 0.5],
    ],
  );
  assert.deepEqual((await theirs.get("payouts")).items, []);
  assert.deepEqual((await theirs.get("payouts?order_id=a")).items, []);
});

it("payout_bank_id_required: the same order again is its payout, though its bank has left the directory", async () => {
  const order = { service: "sbp", wallet_to: "+79161234567", amount: 20, bank_id: SBER };
  const asked = await mine.post("payouts", { ...order, order_id: "bank left" });
  const { items: banks } = await own.get("sbp-banks");
  await own.post("sbp-banks", { banks: banks.filter(({ id }: { id: string }) => id !== SBER) });
  const again = await mine.post("payouts", { ...order, order_id: "bank left" });
  assert.equal(again.payout_id, asked.payout_id);
  for (const wish of [order, { ...order, order_id: "of today" }]) {
    const refused = await mine.ask("payouts", wish);
    assert.equal(refused.headers.get("x-kopeck-error"), "payout_bank_id_required");
    assert.equal(refused.headers.get("x-kopeck-field"), "bank_id");
  }
});
