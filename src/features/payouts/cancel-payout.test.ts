// POST /payoff/cancel: what nobody has begun to send is the user's again, once.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { OTHER_USER, USER } from "../../../test/cast.ts";
import { feedOfUser } from "../../../test/feed.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { pauseRail, payouts } from "../../../test/payouts.ts";
import { openReceiver } from "../../../test/receiver.ts";

const { gateway, own, trade } = await openOneGateway();
const user = payouts(gateway, trade);
await pauseRail(gateway);
await user.earn(10);
await pauseRail(gateway);
const receiver = await openReceiver();
afterEach(() => assertBooksAreRight(gateway));

it("200: the money is back, the user is told once, and repeating it changes nothing", async (test) => {
  test.after(() => receiver.close());
  const before = await trade.balance();
  const id = await user.made({ hook_url: receiver.url, order_id: "taken back" });
  const canceled = await user.cancel(id);
  const { status, state, error_message, sequence } = canceled.body.data;
  assert.deepEqual(
    [status, state, error_message, sequence],
    ["fail", "canceled", "canceled_by_user", 1],
  );
  assert.equal((await user.cancel(id)).text, canceled.text);
  assert.deepEqual(await trade.balance(), before);
  await trade.pass(0);
  assert.equal(receiver.received.length, 1);
  const [told] = receiver.received;
  const { event_id, ...body } = told?.body ?? {};
  assert.deepEqual(body, {
    payoff_id: id,
    status: "fail",
    amount: "100.00",
    amount_receive: "98.00",
    commission: "2.00",
    wallet: "220000******0400",
    service: "card",
    order_id: "taken back",
    type: 3,
    code: 42,
    paid_at: null,
    error_message: "canceled_by_user",
    sequence: 1,
  });
});

it("200: its order id stays what it was: no second payout under it", async () => {
  const id = await user.made({ order_id: "once" });
  await user.cancel(id);
  const before = await trade.balance();
  assert.equal(await user.made({ order_id: "once" }), id);
  assert.deepEqual(await trade.balance(), before);
});

it("case 31: whose receiver is dead finds the event in the feed, with the webhook's own bytes", async () => {
  const { read } = feedOfUser(gateway);
  const { next } = await read({ after: "end" });
  const id = await user.made({ hook_url: "http://127.0.0.1:1/" });
  await user.cancel(id);
  await trade.pass(0);
  const { events } = await read({ after: next });
  assert.deepEqual(
    events.map((one) => [one.payout_id, one.sequence]),
    [[id, 1]],
  );
  const { body, event } = await own.get(`events/${events[0]?.event_id}`);
  assert.equal(events[0]?.body, body);
  assert.equal(event.state, "waiting", "and it is still tried");
});

it("404 for another user's, 422 without a name", async () => {
  const id = await user.made();
  const other = payouts(gateway, trade, OTHER_USER);
  assert.equal((await other.cancel(id)).status, 404);
  assert.equal(await user.state(id), "queued");
  assert.equal((await user.cancel(undefined as unknown as string)).status, 422);
});

const cancelBy = (names: object | string) => {
  const body = typeof names === "string" ? names : { user_id: USER.id, ...names };
  return gateway.call("/payoff/cancel", {
    body,
    headers: { "x-api-signature-sha256": USER.secret },
  });
};

it("404: several names that are not of one payout, and none of them is canceled", async () => {
  const ids = [await user.made({ order_id: "one" }), await user.made({ order_id: "two" })];
  const [id, other] = ids;
  for (const names of [
    { id, order_id: "two" },
    { id: other, order_id: "one" },
    { id, order_id: "none" },
    { id, payoff_id: other },
    { payoff_id: other, order_id: "one" },
  ]) {
    assert.equal((await cancelBy(names)).status, 404, JSON.stringify(names));
  }
  for (const one of ids) assert.equal(await user.state(one ?? ""), "queued");
  assert.equal((await cancelBy({ id, payoff_id: id, order_id: "one" })).status, 200);
});

it("200: by an integer, where it was asked for by one", async () => {
  for (const number of ["987654321", "-7", "98765432109876543210"]) {
    const id = await user.made({ order_id: number });
    const answer = await cancelBy(`{"user_id":"${USER.id}","order_id":${number}}`);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.data.payoff_id, id);
  }
  assert.equal((await cancelBy({ order_id: 1.5 })).status, 422);
});
