// POST /cabinet/shops/{shop_id}/test-event: heard by the shop's own receiver, signed, and by nothing else in the house.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, it } from "node:test";
import { SHOP } from "../../../test/cast.ts";
import { hire, owners } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { openReceiver } from "../../../test/receiver.ts";
import { watchWaitingJob } from "../overview/watch-waiting.job.ts";

const { gateway, own } = await openOneGateway();
const receiver = await openReceiver();
after(() => receiver.close());
const { mine } = await owners(gateway);
const path = `shops/${SHOP.id}/test-event`;
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text);
const SECRET = Buffer.from("c2FuZGJveF93ZWJob29rX2tleV8wMDAwMDA=", "base64");

it("200: without an address nothing is sent, and it says so", async () => {
  const { status, error, hook_url } = await mine.post(path);
  assert.deepEqual([status, error, hook_url], [null, "no address", null]);
});

it("200: a test event is signed, names no payment, and is in no list, feed, figure or balance", async () => {
  await mine.post(`shops/${SHOP.id}`, { hook_url: receiver.url });
  const seen = async () => {
    const [feed, events, health, balance, metrics] = await Promise.all([
      gateway.call(`/shops/${SHOP.id}/events`, { headers: { "x-api-key": SHOP.key } }),
      ...["events", "waiting"].map((door) => own.ask(door)),
      mine.ask("balance"),
      gateway.call("/metrics"),
    ]);
    const counted = metrics?.text.match(/^kopeck_(?:deliveries|events)\w*.*$/gm);
    return [
      feed.text.replace(/"next":"[^"]*"/, ""),
      events?.text,
      health?.text,
      balance,
      counted,
    ].map((one) =>
      JSON.stringify(one && typeof one === "object" && "text" in one ? one.text : one),
    );
  };
  // A job tells of what waits for the first time a while after the start.
  await watchWaitingJob.run(gateway.app);
  const before = await seen();
  gateway.clock.advance(1);
  const { own: developer } = await hire(gateway, "developer");
  const answer = await developer.post(path);
  assert.deepEqual([answer.status, answer.error, answer.hook_url], [200, null, receiver.url]);
  const [heard, ...more] = receiver.received;
  assert.ok(heard);
  assert.equal(more.length, 0);
  assert.equal(heard.raw, answer.body);
  const { headers, raw, body: event } = heard;
  const { "webhook-id": id, "webhook-timestamp": at } = headers;
  assert.equal(headers["x-api-sha256-signature"], hmac("sandbox_webhook_key", raw).digest("hex"));
  const standard = hmac(SECRET, `${id}.${at}.${raw}`).digest("base64");
  assert.equal(headers["webhook-signature"], `v1,${standard}`);
  assert.deepEqual([event.status, event.type, event.code], ["test", 0, 0]);
  assert.equal(id, event.event_id);
  for (const name of ["invoice_id", "order_id", "amount", "sequence"]) assert.ok(!(name in event));
  assert.deepEqual(await seen(), before);
  const { items } = await mine.get("audit?limit=1");
  assert.deepEqual([items[0].act, items[0].after.event_id], ["event.test", event.event_id]);
});

it("200: what the receiver refuses is told once, and never sent again", async () => {
  receiver.answer(500);
  const heard = receiver.received.length;
  const { status, error } = await mine.post(path);
  assert.deepEqual([status, error], [500, null]);
  gateway.clock.advance(60 * 60);
  await own.get("events");
  assert.equal(receiver.received.length, heard + 1);
});

it("429: nobody knocks at a door without an end", async () => {
  const statuses: number[] = [];
  for (let knock = 0; knock < 12; knock += 1) statuses.push((await mine.ask(path, {})).status);
  assert.ok(statuses.includes(429));
  gateway.clock.advance(6);
  assert.equal((await mine.ask(path, {})).status, 200);
});

it("200: while keys change, a receiver that has the new one takes the only request there is", async () => {
  gateway.clock.advance(60);
  const { webhook_key: key } = await mine.post(`shops/${SHOP.id}/rotate-webhook-keys`);
  receiver.answer(200);
  const { body } = await mine.post(path);
  const { raw, headers } = receiver.received.at(-1) ?? assert.fail("Nothing was heard.");
  assert.equal(raw, body);
  assert.equal(headers["x-api-sha256-signature"], hmac(key, raw).digest("hex"));
  const old = hmac("sandbox_webhook_key", raw).digest("hex");
  assert.equal(headers["x-api-sha256-signature-other"], old);
});
