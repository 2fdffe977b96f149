// /cabinet/events: what the merchant's shops were told, sent once more by who may, and what is told of payouts only to
// who may see payouts.

import assert from "node:assert/strict";
import { after, it } from "node:test";
import { SHOP } from "../../../test/cast.ts";
import { hire, owners } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY } from "../../../test/orders.ts";
import { payouts } from "../../../test/payouts.ts";
import { openReceiver } from "../../../test/receiver.ts";

const { gateway, trade } = await openOneGateway();
const receiver = await openReceiver();
after(() => receiver.close());
const { mine } = await owners(gateway);
const order = await trade.order({ hook_url: receiver.url });
await trade.pay(order);
await trade.pass(DAY);
await payouts(gateway, trade).made({ hook_url: receiver.url });
await trade.pass(DAY);

it("200: of invoices, by shop, invoice and state; a whole one with its deliveries", async () => {
  const { items } = await mine.get("events");
  assert.deepEqual(
    items.map((one: { invoice_id: string }) => one.invoice_id),
    [order.id],
  );
  const [{ event_id }] = items;
  for (const query of [`shop_id=${SHOP.id}`, `invoice_id=${order.id}`, "state=delivered"]) {
    assert.equal((await mine.get(`events?${query}`)).items[0]?.event_id, event_id, query);
  }
  assert.deepEqual((await mine.get("events?state=exhausted")).items, []);
  const { deliveries, body } = await mine.get(`events/${event_id}`);
  assert.equal(deliveries.length, 1);
  assert.match(body, /success/);
  const { own: support } = await hire(gateway, "support");
  assert.equal((await support.post(`events/${event_id}/send`)).state, "waiting");
});

it("200: of payouts where they are asked for; 403 for who may not see those", async () => {
  const { items } = await mine.get("events?about=payouts");
  assert.equal(items.length, 1);
  const [{ event_id, payout_id }] = items;
  const { own: developer } = await hire(gateway, "developer");
  for (const path of [
    "events?about=payouts",
    `events?payout_id=${payout_id}`,
    `events/${event_id}`,
  ]) {
    assert.equal((await mine.ask(path)).status, 200, path);
    assert.equal((await developer.ask(path)).status, 403, path);
  }
});
