// Who waits for events with a key that is revoked meanwhile: what happens afterwards is not told any more.

import assert from "node:assert/strict";
import { it } from "node:test";
import { eventually } from "../torture/eventually.ts";
import { SHOP } from "./cast.ts";
import { feedOf, feedWaiting } from "./feed.ts";
import { openOneGateway } from "./one-gateway.ts";

const { gateway, own, trade } = await openOneGateway();

it("a long poll tells nothing to whose key was revoked while it waited", async () => {
  const placed = await trade.order();
  const { key, secret } = await own.post("keys", { shop_id: SHOP.id });
  const feed = feedOf(gateway, { ...SHOP, key: secret });
  const { next } = await feed.read();
  const waiting = feed.ask({ after: next, wait: 25 });
  await eventually("it waits", async () => (await feedWaiting(gateway)) === 1);
  await own.post(`keys/${key.key_id}/revoke`);
  await trade.pay(placed);
  const { status, text } = await waiting;
  assert.equal(status, 401, text);
  assert.equal((await feedOf(gateway).read({ after: next })).events.length, 1);
});
