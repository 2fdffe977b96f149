// /my/events: what was told, what the receiver did in words, and telling it once more.

import assert from "node:assert/strict";
import { after, it } from "node:test";
import { SHOP } from "../../../test/cast.ts";
import { manage } from "../../../test/manage.ts";
import { OWNER_TOKEN } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, unescaped, wordsIn } from "../../../test/people.ts";
import { openReceiver } from "../../../test/receiver.ts";

const { gateway, trade } = await openOneGateway();
const receiver = await openReceiver();
after(() => receiver.close());

it("200: body, signature, the line for a terminal with its ids; nobody sends what has no address", async () => {
  const order = await trade.order();
  await trade.pay(order);
  const { items } = await manage(gateway, OWNER_TOKEN, "cabinet").get(
    `events?invoice_id=${order.id}`,
  );
  const id = items[0].event_id;
  const owner = await anna(gateway);
  assert.match(
    wordsIn(await owner.open("/my/events")),
    /by the day of what they tell Nothing to draw/,
  );
  assert.ok((await owner.open("/my/events")).includes(`/my/events/${id}`));
  const text = await owner.open(`/my/events/${id}`);
  assert.ok(
    text.includes(`kopeck listen --shop ${SHOP.id} --to http://localhost:3000/hook --since`),
  );
  const words = wordsIn(text);
  assert.match(words, /No address/);
  assert.ok(words.includes(`"order_id":"${order.orderId}"`));
  assert.match(words, /x-api-sha256-signature is HMAC-SHA256/);
  assert.equal((await owner.post(`/my/events/${id}/send`)).status, 422);
  assert.ok((await owner.open("/my/events/listen")).includes(`--shop ${SHOP.id}`));
});

it("200: how webhooks were heard, day by day, each with the way to its events; not beside one invoice's", async () => {
  const order = await trade.order({ hook_url: receiver.url });
  await trade.pay(order);
  await trade.pass(120);
  const owner = await anna(gateway);
  const text = await owner.open("/my/events");
  const words = wordsIn(text);
  assert.match(words, /1.Mar so far 1 0 0/);
  assert.match(words, /How long your server took.*\d+.ms/);
  const [, path = ""] = /href="(\/my\/events\?from=2026-03-01[^"]*)"/.exec(text) ?? [];
  assert.ok((await owner.open(path.replace("&amp;", "&"))).includes(order.id));
  assert.match(wordsIn(await owner.open("/my/events?about=payouts")), /Nothing to draw/);
  assert.doesNotMatch(await owner.open(`/my/events?invoice_id=${order.id}`), /class="chart"/);
  const atDesk = wordsIn(await owner.open(`/desk/events?shop_id=${SHOP.id}`));
  assert.match(atDesk, /1.Mar so far 1 0 0.*How long receivers took/);
});

it("200: behind a day are the events that it counts: what had no address is not among them", async () => {
  const owner = await anna(gateway);
  const all = (await owner.get("/my/events.csv")).text;
  assert.equal(all.trim().split("\r\n").length, 1 + 2);
  for (const page of ["/my/events", `/desk/events?shop_id=${SHOP.id}`]) {
    const links = [...(await owner.open(page)).matchAll(/href="([^"]*events\?[^"]*)"/g)];
    const days = links.map(([, href = ""]) => unescaped(href)).filter((one) => /from=/.test(one));
    const [day = ""] = days.filter((one) => one.includes("from=2026-03-01"));
    const { text } = await owner.get(day.replace("?", ".csv?"));
    assert.equal(text.trim().split("\r\n").length, 1 + 1, `${page}: ${text}`);
    assert.ok(all.includes(text.trim().split("\r\n")[1]?.split(",")[0] ?? ""));
  }
});
