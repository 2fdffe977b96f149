// What a user is told of payouts: by the same way as what shops are told, with keys of the user's own, and in
// the user's feed.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { SHOP, USER } from "../../../test/cast.ts";
import { feedOf, feedOfUser } from "../../../test/feed.ts";
import { onEachEngine, openTestGateway, type TestGateway } from "../../../test/gateway.ts";
import { manage } from "../../../test/manage.ts";
import { orders } from "../../../test/orders.ts";
import { openReceiver, type Receiver } from "../../../test/receiver.ts";
import { type EventFact, recordEvents } from "./events.ts";

onEachEngine("events of users", (engine) => {
  let gateway: TestGateway;
  let receiver: Receiver;
  before(async () => {
    gateway = await openTestGateway(engine);
    receiver = await openReceiver();
  });
  after(async () => {
    await assertBooksAreRight(gateway);
    await gateway.stop();
    await receiver.close();
  });

  const payout = (sequence: number, more: Partial<EventFact> = {}): EventFact => ({
    ...{ payoutId: gateway.app.newId(), userId: USER.id, sequence, hookUrl: receiver.url },
    fields: { amount: "763.46", status: "success", type: 3, code: 1 },
    ...more,
  });
  const record = (...facts: EventFact[]): Promise<void> =>
    gateway.app.db.transaction((tx) => recordEvents(tx, gateway.app, facts));

  it("are told, and are in the feed of their user alone", async () => {
    const { order, pay, pass } = orders(gateway);
    const fact = payout(1);
    await record(fact);
    const paid = await order({ hook_url: receiver.url });
    await pay(paid);
    await record({ ...fact, sequence: 2 });
    await pass(1);
    assert.equal(receiver.received.length, 3);
    const told = (await feedOfUser(gateway).read()).events;
    assert.deepEqual(
      told.map(({ shop_id, invoice_id, payout_id, sequence }) => [
        shop_id,
        invoice_id,
        payout_id,
        sequence,
      ]),
      [
        [null, null, "payoutId" in fact && fact.payoutId, 1],
        [SHOP.id, paid.id, null, 1],
        [null, null, "payoutId" in fact && fact.payoutId, 2],
      ],
    );
    assert.deepEqual(
      (await feedOf(gateway).read()).events.map(({ invoice_id }) => invoice_id),
      [paid.id],
    );
    const { items } = await manage(gateway).get(`events?payout_id=${told[0]?.payout_id}`);
    assert.equal(items.length, 2);
  });
});
