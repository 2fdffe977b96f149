// What is left of events that were delivered long ago: the event, what it said and how often it was tried.
// Nothing of one that was not delivered is removed, and the database itself refuses it.

import assert from "node:assert/strict";
import { after, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { feedOf } from "../../../test/feed.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, type Order } from "../../../test/orders.ts";
import { pauseRail, payouts } from "../../../test/payouts.ts";
import { openReceiver } from "../../../test/receiver.ts";
import { forget, keeping } from "../../../test/retention.ts";

const { gateway, own, trade } = await openOneGateway(keeping({ eventBodies: 30, deliveries: 10 }));
const receiver = await openReceiver();
const deaf = await openReceiver();
deaf.answer(500);
const told = await trade.order({ hook_url: receiver.url });
await trade.pay(told);
const untold = await trade.order({ hook_url: deaf.url });
await trade.pay(untold);
await trade.pass(1);
after(async () => {
  await receiver.close();
  await deaf.close();
});

const forgetAll = async () => {
  await forget(gateway, "forget-event-bodies");
  await forget(gateway, "forget-deliveries");
  await assertBooksAreRight(gateway);
};
const eventOf = async ({ id }: Order) => {
  const { items } = await own.get(`events?invoice_id=${id}`);
  return own.get(`events/${items.at(-1).event_id}`);
};
const storyOf = async ({ id }: Order): Promise<string[]> =>
  (await own.get(`invoices/${id}`)).timeline
    .filter(({ what }: { what: string }) => what === "event recorded")
    .map(({ detail }: { detail: string }) => detail);

it("leaves everything as it is until its time", async () => {
  await trade.pass(9 * DAY);
  await forgetAll();
  const whole = await eventOf(told);
  assert.equal(whole.attempts_removed, 0);
  assert.equal(whole.deliveries.length, 1);
  assert.equal(JSON.parse(whole.body).status, "success");
  assert.deepEqual(await storyOf(told), ["1: success, delivered"]);
});

it("removes the attempts, and says how many there were", async () => {
  await trade.pass(2 * DAY);
  await forgetAll();
  const whole = await eventOf(told);
  assert.equal(whole.attempts_removed, 1);
  assert.deepEqual(whole.deliveries, []);
  assert.equal(whole.event.state, "delivered");
  assert.equal(whole.event.attempts, 1);
  assert.deepEqual(await storyOf(told), ["1: success, delivered, 1 attempt removed"]);
});

it("sends it again all the same, and goes on counting", async () => {
  const { event } = await eventOf(told);
  await own.post(`events/${event.event_id}/send`);
  await trade.pass(1);
  const whole = await eventOf(told);
  assert.equal(whole.event.state, "delivered");
  assert.equal(whole.event.attempts, 2);
  assert.deepEqual(
    whole.deliveries.map(({ attempt, status }: Record<string, number>) => [attempt, status]),
    [[2, 200]],
  );
  await forgetAll();
  assert.equal((await eventOf(told)).deliveries.length, 1, "it was tried a moment ago");
});

it("removes the body, and refuses to send what it no longer has", async () => {
  await trade.pass(20 * DAY);
  await forgetAll();
  const whole = await eventOf(told);
  assert.equal(whole.body, null);
  assert.equal(whole.attempts_removed, 2);
  assert.deepEqual(await storyOf(told), [
    "1: success, delivered, body removed, 2 attempts removed",
  ]);
  const [status, words] = await own.refused(`events/${whole.event.event_id}/send`, {});
  assert.equal(status, 422);
  assert.match(String(words), /body was removed/);
  // In the feed it keeps its place, and says which invoice to ask for.
  const [first] = (await feedOf(gateway).read()).events;
  assert.deepEqual([first?.invoice_id, first?.body], [told.id, null]);
});

it("still refunds, and tells of it as the second event", async () => {
  await own.post("refunds", { invoice_id: told.id, amount: 1, reason: "test" });
  await trade.pass(1);
  assert.deepEqual(
    receiver.received.at(-1)?.body,
    JSON.parse((await own.get(`events/${await newestOf(told)}`)).body),
  );
  assert.deepEqual(await storyOf(told), [
    "1: success, delivered, body removed, 2 attempts removed",
    "2: refund, delivered",
  ]);
  await assertBooksAreRight(gateway);
});
const newestOf = async ({ id }: Order): Promise<string> =>
  (await own.get(`events?invoice_id=${id}`)).items[0].event_id;

it("keeps all of what no receiver took, however old", async () => {
  const whole = await eventOf(untold);
  assert.equal(whole.event.state, "exhausted");
  assert.equal(whole.attempts_removed, 0);
  assert.equal(whole.deliveries.length, whole.event.attempts);
  assert.equal(JSON.parse(whole.body).status, "success");
});

it("is refused by the database where the event was not delivered, or something else goes", async () => {
  const { db } = gateway.app;
  const { event } = await eventOf(untold);
  for (const change of [
    "update events set status = 'success', body = null where id = $1",
    "update events set attempts_removed = 1 where id = $1",
    "update events set hook_url = 'https://other.example' where id = $1",
    "delete from deliveries where event_id = $1",
    "delete from events where id = $1",
  ]) {
    await assert.rejects(db.query(change, [event.event_id]), /append-only/, change);
  }
  const delivered = await newestOf(told);
  for (const change of [
    "update events set body = '{}' where id = $1",
    "update events set status = 'expired', body = null where id = $1",
    "update events set attempts_removed = 7 where id = $1",
    "update events set sequence = 7 where id = $1",
    "delete from events where id = $1",
  ]) {
    await assert.rejects(db.query(change, [delivered]), /append-only/, change);
  }
  await db.query("update events set status = 'refund', body = null where id = $1", [delivered]);
  await assertBooksAreRight(gateway);
});

it("the books know what a user was told of a payout, also when the body is gone", async () => {
  const user = payouts(gateway, trade);
  await pauseRail(gateway);
  await user.earn(2);
  const made = (amount: number) => user.made({ amount, hook_url: receiver.url });
  const say = async (id: string, ...acts: readonly [act: string, body?: object][]) => {
    for (const [act, body = {}] of acts) await own.post(`payouts/${id}/${act}`, body);
  };
  const sent = { bank_reference: "B0000000000000000000000000000077" };
  const reason = "The bank says so";
  const [done, failed, returned] = [await made(100), await made(101), await made(102)];
  await say(done, ["take"], ["sent", sent]);
  await say(failed, ["take"], ["not-sent", { reason }]);
  const other = { bank_reference: "B0000000000000000000000000000078" };
  await say(returned, ["take"], ["sent", other], ["return", { reason }]);
  await user.cancel(await made(103));
  await trade.pass(31 * DAY);
  await forgetAll();
  const { items } = await own.get(`events?payout_id=${returned}`);
  assert.equal(items.length, 2);
  for (const { event_id } of items) assert.equal((await own.get(`events/${event_id}`)).body, null);
  // A status that is another's is no telling.
  await gateway.app.db.query("alter table events disable trigger user", []);
  const wrong = "update events set status = 'success' where payout_id = $1";
  await gateway.app.db.query(wrong, [failed]);
  const found = await gateway.app.db.query(
    "select invariant, detail from violations($1) where invariant = 18",
    [gateway.clock.now()],
  );
  assert.deepEqual(found, [
    { invariant: 18, detail: `payout ${failed} is failed and its user was not told` },
  ]);
});
