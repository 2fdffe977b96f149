// Events through /manage: what shops were told, every attempt, and the same once more.

import assert from "node:assert/strict";
import { after, it } from "node:test";
import { OTHER_SHOP, SHOP } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { openReceiver } from "../../../test/receiver.ts";

const { own, trade } = await openOneGateway();
const receiver = await openReceiver();
const told = await trade.order({ hook_url: receiver.url });
await trade.pay(told);
const untold = await trade.order({}, OTHER_SHOP);
await trade.pay(untold);
await trade.pass(1);
after(() => receiver.close());

const eventsOf = async (query: string) => (await own.get(`events?${query}`)).items;

it("200: shows the body as it was sent, and every delivery", async () => {
  const [event] = await eventsOf(`invoice_id=${told.id}`);
  const whole = await own.get(`events/${event.event_id.toUpperCase()}`);
  assert.deepEqual(whole.event, {
    event_id: event.event_id,
    shop_id: SHOP.id,
    invoice_id: told.id,
    user_id: null,
    payout_id: null,
    sequence: 1,
    state: "delivered",
    hook_url: receiver.url,
    attempts: 1,
    next_attempt_at: null,
    created_at: event.created_at,
  });
  assert.equal(whole.body, receiver.received[0]?.raw);
  const [{ started_at, duration_ms, ...delivery }] = whole.deliveries;
  assert.deepEqual(delivery, { attempt: 1, status: 200, error: null });
  assert.ok(started_at >= event.created_at && duration_ms >= 0);
});

it("200: sends a delivered one again: the same id and body, and one more delivery", async () => {
  const [before] = await eventsOf(`invoice_id=${told.id}`);
  const count = receiver.received.length;
  const path = `events/${before.event_id}`;
  const { answer, logged } = await trade.audited(() => own.post(`${path}/send`));
  assert.deepEqual(answer, { ...before, state: "waiting", next_attempt_at: trade.now() });
  assert.deepEqual(logged, ["event.send", before.event_id, before, answer]);
  await trade.pass(0);
  assert.equal(receiver.received.length, count + 1);
  const [first, again] = [receiver.received[0], receiver.received.at(-1)];
  assert.equal(again?.raw, first?.raw);
  assert.equal(again?.headers["webhook-id"], first?.headers["webhook-id"]);
  const { event, deliveries } = await own.get(path);
  assert.deepEqual([event.state, event.attempts], ["delivered", 2]);
  assert.deepEqual(
    deliveries.map((one: { attempt: number; status: number }) => [one.attempt, one.status]),
    [
      [1, 200],
      [2, 200],
    ],
  );
});

it("422: one that waits already, or has no address, is not sent, without a trace", async () => {
  const [silent] = await eventsOf(`invoice_id=${untold.id}`);
  receiver.answer(500);
  const order = await trade.order({ hook_url: receiver.url });
  await trade.pay(order);
  await trade.pass(0);
  receiver.answer(200);
  const [waiting] = await eventsOf(`invoice_id=${order.id}`);
  assert.equal(waiting.state, "waiting");
  await trade.refusedWithoutTrace(422, [
    [`events/${silent.event_id}/send`, {}],
    [`events/${waiting.event_id}/send`, {}],
    ["events/42/send", {}],
  ]);
  const why = async (id: string) => (await own.refused(`events/${id}/send`, {}))[1];
  assert.match(String(await why(silent.event_id)), /^There is no address/);
  assert.match(String(await why(waiting.event_id)), /^The event waits/);
});
