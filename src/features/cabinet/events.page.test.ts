// /my/events: what was told, what the receiver did in words, and telling it once more.

import assert from "node:assert/strict";
import { after, it } from "node:test";
import { manage } from "../../../test/manage.ts";
import { OWNER_TOKEN } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, wordsIn } from "../../../test/people.ts";
import { openReceiver } from "../../../test/receiver.ts";

const { gateway, trade } = await openOneGateway();
const receiver = await openReceiver();
after(() => receiver.close());

it("200: the body of an event; one without an address is not sent again", async () => {
  const order = await trade.order();
  await trade.pay(order);
  const { items } = await manage(gateway, OWNER_TOKEN, "cabinet").get(
    `events?invoice_id=${order.id}`,
  );
  const id = items[0].event_id;
  const owner = await anna(gateway);
  assert.ok((await owner.open("/my/events")).includes(`/my/events/${id}`));
  const text = await owner.open(`/my/events/${id}`);
  const words = wordsIn(text);
  assert.match(words, /No address/);
  assert.ok(words.includes(`"order_id":"${order.orderId}"`));
  assert.equal((await owner.post(`/my/events/${id}/send`)).status, 422);
});

it("200: the filter of events that had an address leaves out the others", async () => {
  const order = await trade.order({ hook_url: receiver.url });
  await trade.pay(order);
  const owner = await anna(gateway);
  const rowsOf = async (path: string): Promise<string[]> =>
    (await owner.get(path)).text.trim().split("\r\n").slice(1);
  const all = await rowsOf("/my/events.csv");
  const [one = "", ...others] = await rowsOf("/my/events.csv?had_address=true");
  assert.deepEqual([all.length, others], [2, []]);
  const isOne = (row: string): boolean => row.split(",")[0] === one.split(",")[0];
  assert.ok(all.some(isOne));
});
