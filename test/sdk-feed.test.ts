// The feed as a loop of the SDK's: typed, from wherever a program was, for as long as it wants.

import assert from "node:assert/strict";
import { after, it } from "node:test";
import { type FeedEvent, KopeckError, merchantClient } from "../sdk/src/index.ts";
import { eventually } from "../torture/eventually.ts";
import { OTHER_SHOP, SHOP, USER } from "./cast.ts";
import { feedWaiting } from "./feed.ts";
import { openOneGateway } from "./one-gateway.ts";
import { openScriptedServer } from "./scripted-server.ts";

const { gateway, trade } = await openOneGateway();
const server = await openScriptedServer();
after(() => server.close());

const own = { shopId: SHOP.id, shopKey: SHOP.key, userId: USER.id, userSecret: USER.secret };
const shop = merchantClient({ baseUrl: gateway.url, ...own });
const paid: string[] = [];
for (let count = 0; count < 3; count += 1) {
  const order = await trade.order();
  await trade.pay(order);
  paid.push(order.orderId);
}
await trade.pass(1);

const orderOf = ({ event }: FeedEvent): string => event?.order_id ?? "";

it("reads what is there, typed, and goes on from any of it", async () => {
  const events = await Array.fromAsync(shop.events({ wait: 0, limit: 1 }));
  assert.deepEqual(events.map(orderOf), paid);
  const [first] = events;
  assert.ok(first?.event?.status === "success" && first.event.type === 1);
  assert.equal(first.event.credited, "960.00");
  assert.equal(JSON.stringify(first.event), first.body);
  const rest = await Array.fromAsync(shop.events({ after: first.cursor, wait: 0 }));
  assert.deepEqual(rest, events.slice(1));
  const since = await Array.fromAsync(shop.events({ since: rest[0]?.created_at, wait: 0 }));
  assert.deepEqual(since, rest);
  assert.deepEqual((await Array.fromAsync(shop.events({ allShops: true, wait: 0 }))).length, 3);
});

it("hears of what happens next, until it is left", async () => {
  const order = await trade.order();
  const next = shop.events({ after: "end" }, { signal: AbortSignal.timeout(600_000) });
  const heard = next.next();
  // Where the end is looked at after the money has come, there is nothing to hear of.
  await eventually("it waits", async () => (await feedWaiting(gateway)) === 1);
  await trade.pay(order);
  const { value } = await heard;
  assert.equal(value && orderOf(value), order.orderId);
  await next.return();
});

it("hears from the end on, though an answer that tells of it is lost", async () => {
  const order = await trade.order();
  let isLost = false;
  const losing: typeof fetch = async (url, init) => {
    const answer = await fetch(url, init);
    if (isLost || !(await answer.clone().text()).includes(order.orderId)) return answer;
    isLost = true;
    throw new TypeError("The line was cut.");
  };
  const client = merchantClient({ baseUrl: gateway.url, ...own, fetch: losing });
  const next = client.events({ after: "end" }, { signal: AbortSignal.timeout(60_000) });
  const heard = next.next();
  await eventually("it waits", async () => (await feedWaiting(gateway)) === 1);
  await trade.pay(order);
  const { value } = await heard;
  assert.deepEqual([isLost, value && orderOf(value)], [true, order.orderId]);
  await next.return();
});

it("waits in each request, patiently, and rests where it is answered early with nothing", async () => {
  const restedMs: number[] = [];
  const ending = new AbortController();
  const wait = async (ms: number): Promise<void> => {
    restedMs.push(ms);
    if (restedMs.length === 2) ending.abort(new Error("enough"));
  };
  const patient = merchantClient({ baseUrl: server.url, timeoutMs: 50, ...own, wait });
  const page = { events: [], next: "here", more: false };
  server.plays({ body: { data: page, status: 200, status_check: true } });
  const loop = Array.fromAsync(patient.events({ since: "2026-01-01" }, ending));
  await assert.rejects(loop, /enough/);
  assert.deepEqual(
    server.asked.map(({ url }) => url.split("?")[1]),
    ["since=2026-01-01&wait=25", "since=2026-01-01&after=here&wait=25"],
  );
  assert.deepEqual(restedMs, [1_000, 1_000]);
});

it("throws what the gateway refuses", async () => {
  const others = merchantClient({ ...own, baseUrl: gateway.url, shopId: OTHER_SHOP.id });
  await assert.rejects(Array.fromAsync(others.events()), { status: 401 });
  await assert.rejects(Array.fromAsync(shop.events({ after: "garbage" })), (error) => {
    assert.ok(error instanceof KopeckError);
    assert.deepEqual([error.status, error.code], [422, "not_a_cursor_of_this_feed"]);
    return true;
  });
  const { userSecret: _, ...alone } = own;
  const noUser = merchantClient({ ...alone, baseUrl: gateway.url });
  await assert.rejects(Array.fromAsync(noUser.events({ allShops: true })), TypeError);
});
