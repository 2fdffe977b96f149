// What a user is told of payouts: by the same way as what shops are told, with keys of the user's own, and in
// the user's feed alone.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, it } from "node:test";
import { verifyWebhook } from "../sdk/src/index.ts";
import { recordEvents } from "../src/features/webhooks/events.ts";
import { assertBooksAreRight } from "./books.ts";
import { OTHER_USER, SHOP, USER } from "./cast.ts";
import { feedOf, feedOfUser } from "./feed.ts";
import { onOneEngine, openTestGateway, type TestGateway } from "./gateway.ts";
import { manage } from "./manage.ts";
import { type Orders, orders } from "./orders.ts";
import { openReceiver, type Received, type Receiver } from "./receiver.ts";
import { keeping } from "./retention.ts";

const FIELDS = { amount: "763.46", status: "success", type: 3, code: 1 };

interface Keys {
  readonly webhook_key: string;
  readonly webhook_secret: string;
}

/** Both signatures, by the standard's library's rule and by plain HMAC. */
async function isSignedWith({ headers, raw }: Received, keys: Keys): Promise<boolean> {
  const hmac = createHmac("sha256", keys.webhook_key).update(raw).digest("hex");
  const now = () => new Date(Number(headers["webhook-timestamp"]) * 1000);
  const { webhook_secret: secret } = keys;
  const verified = verifyWebhook({ body: raw, headers, secret, now });
  const isVerified = await verified.then(Boolean, () => false);
  return isVerified && headers["x-api-sha256-signature"] === hmac;
}

onOneEngine("events of users", (engine) => {
  let gateway: TestGateway;
  let own: ReturnType<typeof manage>;
  let trade: Orders;
  let receiver: Receiver;
  before(async () => {
    gateway = await openTestGateway(engine, keeping({ eventBodies: 30, deliveries: 10 }));
    own = manage(gateway);
    trade = orders(gateway);
    receiver = await openReceiver();
  });
  after(async () => {
    await assertBooksAreRight(gateway);
    await gateway.stop();
    await receiver.close();
  });

  interface Payout {
    readonly payoutId: string;
    readonly userId: string;
    readonly hookUrl: string | null;
  }
  const payoutOf = (userId: string, hookUrl: string | null = receiver.url): Payout => ({
    payoutId: gateway.app.newId(),
    userId,
    hookUrl,
  });
  const record = (...facts: readonly (Payout & { readonly sequence?: number })[]): Promise<void> =>
    gateway.app.db.transaction((tx) => {
      trade.tick();
      const told = facts.map((fact) => ({ sequence: 1, fields: FIELDS, ...fact }));
      return recordEvents(tx, gateway.app, told);
    });
  const eventOf = async ({ payoutId }: Payout) => {
    const { items } = await own.get(`events?payout_id=${payoutId}`);
    return own.get(`events/${items[0].event_id}`);
  };
  const heardSince = async (count: number, seconds: number): Promise<Received[]> => {
    await trade.pass(seconds);
    return receiver.received.slice(count);
  };

  it("are told with the user's own keys, and again when somebody asks for it", async () => {
    const { user, ...keys } = await own.post("users", { name: "Told" });
    const payout = payoutOf(user.user_id);
    const before = receiver.received.length;
    await record(payout);
    const [told = assert.fail("nothing was told"), ...more] = await heardSince(before, 1);
    assert.deepEqual(more, []);
    const { event, body } = await eventOf(payout);
    const { event_id, created_at, ...rest } = event;
    assert.deepEqual(rest, {
      shop_id: null,
      invoice_id: null,
      user_id: user.user_id,
      payout_id: payout.payoutId,
      sequence: 1,
      state: "delivered",
      hook_url: receiver.url,
      attempts: 1,
      next_attempt_at: null,
    });
    const text = `{"amount":"763.46","code":1,"event_id":"${event_id}","sequence":1,"status":"success","type":3}`;
    assert.deepEqual([told.raw, body, told.headers["webhook-id"]], [text, text, event_id]);
    const sandbox = { webhook_key: "sandbox_webhook_key", webhook_secret: keys.webhook_secret };
    assert.deepEqual(
      [await isSignedWith(told, keys), await isSignedWith(told, sandbox)],
      [true, false],
    );
    await own.post(`events/${event_id}/send`);
    const again = (await heardSince(before, 1)).map(({ raw }) => raw);
    assert.deepEqual(again, [text, text]);
  });

  it("stand in their user's feed between those of shops, and in no shop's", async () => {
    const [mine, others] = [payoutOf(USER.id), payoutOf(OTHER_USER.id)];
    const silent = payoutOf(USER.id, null);
    trade.tick();
    const since = trade.now();
    await record(mine, others);
    const paid = await trade.order({ hook_url: receiver.url });
    await trade.pay(paid);
    await record({ ...mine, sequence: 2 }, silent);
    await trade.pass(1);
    const feed = feedOfUser(gateway);
    const { events } = await feed.read({ since });
    assert.deepEqual(
      events.map((one) => [one.shop_id, one.invoice_id, one.payout_id, one.sequence]),
      [
        [null, null, mine.payoutId, 1],
        [SHOP.id, paid.id, null, 1],
        [null, null, mine.payoutId, 2],
        [null, null, silent.payoutId, 1],
      ],
    );
    const rest = await feed.read({ after: events[1]?.cursor ?? "" });
    assert.deepEqual(rest.events, events.slice(2));
    const later = events[2]?.created_at ?? "";
    assert.deepEqual((await feed.read({ since: later })).events.at(-1), events[3]);
    const ofShop = (await feedOf(gateway).read({ since })).events;
    assert.deepEqual(
      ofShop.map(({ event_id }) => event_id),
      [events[1]?.event_id],
    );
    const ofOther = (await feedOfUser(gateway, OTHER_USER).read()).events;
    assert.deepEqual(
      ofOther.map(({ payout_id }) => payout_id),
      [others.payoutId],
    );
    const { event } = await eventOf(silent);
    assert.equal(event.state, "no_address");
  });
});
