// The feed as a merchant reads it: the bytes of webhooks, in an order that can be gone on from.

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { once } from "node:events";
import { get } from "node:http";
import { after, describe, it } from "node:test";
import fc from "fast-check";
import { assertBooksAreRight } from "../../../test/books.ts";
import {
  createInvoice,
  FAMILY_SHOP,
  OTHER_SHOP,
  OTHER_USER,
  SHOP,
  URLS_SHOP,
  USER,
} from "../../../test/cast.ts";
import { feedOf, feedOfUser, feedWaiting } from "../../../test/feed.ts";
import { onPostgres, openTestGateway } from "../../../test/gateway.ts";
import { ONE_ENGINE, openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, orders } from "../../../test/orders.ts";
import { mayTakeLong } from "../../../test/patience.ts";
import { SEED_VARIABLE } from "../../../test/property.ts";
import { openReceiver } from "../../../test/receiver.ts";
import { openRoom } from "../../../test/webhook-room.ts";
import { eventually } from "../../../torture/eventually.ts";
import { lockEnd, placeEvents } from "./event-queries.ts";
import { recordEvents } from "./events.ts";
import { type FeedWish, pageOfFeed } from "./read-feed.endpoint.ts";
import { stampEventsJob } from "./stamp-events.job.ts";

const { gateway, own, trade } = await openOneGateway();
const receiver = await openReceiver();
after(() => receiver.close());
const shop = feedOf(gateway);

function cursorAt(position: bigint): string {
  const digest = hash("sha256", `shop ${SHOP.id} ${position}`, "buffer").subarray(0, 6);
  const place = Buffer.from(position.toString(16).padStart(16, "0"), "hex");
  return Buffer.concat([place, digest]).toString("base64url");
}

describe("200", () => {
  it("tells exactly what webhooks tell, also what had nowhere to go", async () => {
    const told = await trade.order({ hook_url: receiver.url });
    await trade.pay(told);
    await trade.pass(DAY);
    const silent = await trade.order();
    await trade.pay(silent);
    trade.tick();
    await own.post("refunds", { invoice_id: told.id, amount: 1, reason: "a broken cup" });
    await trade.pass(1);
    const { events, next, more } = await shop.read();
    assert.deepEqual(
      events.map(({ invoice_id, sequence }) => [invoice_id, sequence]),
      [
        [told.id, 1],
        [silent.id, 1],
        [told.id, 2],
      ],
    );
    const bodies = events
      .filter(({ invoice_id }) => invoice_id === told.id)
      .map(({ body }) => body);
    assert.deepEqual(
      receiver.received.map(({ raw }) => raw),
      bodies,
    );
    for (const { event_id, shop_id, sequence, created_at, body } of events) {
      const said = JSON.parse(body ?? "");
      assert.deepEqual([said.event_id, said.sequence], [event_id, sequence]);
      assert.equal(shop_id, SHOP.id);
      assert.match(created_at, /^2026-03-0[12]T09:00:\d\d\.000Z$/);
    }
    assert.deepEqual([next, more], [events.at(-1)?.cursor, false]);
  });

  it("goes on from wherever somebody was, and there is always a place to go on from", async () => {
    const all = await shop.read();
    const paged: string[] = [];
    let after: string | undefined;
    for (let more = true; more; ) {
      const page = await shop.read({ after, limit: 1 });
      paged.push(...page.events.map(({ event_id }) => event_id));
      ({ next: after, more } = page);
    }
    assert.deepEqual(
      paged,
      all.events.map(({ event_id }) => event_id),
    );
    const nothing = await shop.read({ after });
    assert.deepEqual(nothing, { events: [], next: all.next, more: false });
    assert.deepEqual(await shop.read({ after: "end" }), nothing);
    const rest = await shop.read({ after: all.events[0]?.cursor });
    assert.deepEqual(rest.events, all.events.slice(1));
    const { next } = await feedOf(gateway, URLS_SHOP).read();
    assert.deepEqual((await feedOf(gateway, URLS_SHOP).read({ after: next })).next, next);
  });

  it("tells a user of all shops, and nobody of others'", async () => {
    const ours = await trade.order({}, FAMILY_SHOP);
    await trade.pay(ours);
    const theirs = await trade.order({}, OTHER_SHOP);
    await trade.pay(theirs);
    await trade.pass(1);
    const invoices = async (feed: typeof shop) =>
      (await feed.read()).events.map(({ invoice_id }) => invoice_id);
    assert.deepEqual(await invoices(feedOf(gateway, FAMILY_SHOP)), [ours.id]);
    assert.deepEqual(await invoices(feedOf(gateway, OTHER_SHOP)), [theirs.id]);
    assert.deepEqual(await invoices(feedOfUser(gateway, OTHER_USER)), [theirs.id]);
    const mine = await invoices(feedOfUser(gateway, USER));
    assert.deepEqual(mine, [...(await invoices(shop)), ours.id]);
  });

  it("waits for the next event, and no longer than was asked for", async () => {
    const { next } = await shop.read();
    const placed = await trade.order();
    const waiting = [shop.read({ after: next, wait: 25 }), shop.read({ after: "end", wait: 25 })];
    // Where the end is looked at after the money has come, there is nothing to hear of.
    await eventually("both wait", async () => (await feedWaiting(gateway)) === 2);
    await trade.pay(placed);
    for (const { events } of await Promise.all(waiting)) {
      assert.deepEqual(
        events.map(({ invoice_id }) => invoice_id),
        [placed.id],
      );
    }
    const { next: end } = await shop.read();
    const startedAt = performance.now();
    assert.deepEqual((await shop.read({ after: end, wait: 1 })).events, []);
    assert.ok(performance.now() - startedAt > 900);
    // What is there already is not waited with.
    assert.equal((await shop.read({ after: next, wait: 25 })).next, end);
    await assertBooksAreRight(gateway);
  });
});

describe("422", () => {
  it("72. a cursor of somebody else's feed, or none at all, is refused, and so is who calls for another", async () => {
    const { next } = await shop.read();
    const { next: others } = await feedOf(gateway, OTHER_SHOP).read();
    const { next: users } = await feedOfUser(gateway).read();
    const known = ["garbage", "AAAA", `${next}A`, next.slice(1), others, users, "е".repeat(19)];
    // The digest in it has no key: whoever has read how it is made makes one of any place.
    const bad = [...known, cursorAt(2n ** 63n), cursorAt(2n ** 64n - 1n)];
    for (const after of bad) {
      const answer = await shop.ask({ after });
      assert.equal(answer.status, 422, `${after}: ${answer.text}`);
      assert.equal(answer.body.error, "The after field is not a cursor of this feed.");
      assert.equal(answer.headers.get("x-kopeck-field"), "after");
    }
    const inRussian = await feedOf(gateway, FAMILY_SHOP).ask({ after: next });
    assert.equal(inRussian.body.error, "Поле after не является курсором этой ленты.");
    for (const fields of [{ limit: 0 }, { limit: 501 }, { wait: 26 }, { since: "yesterday" }]) {
      assert.equal((await shop.ask(fields)).status, 422, JSON.stringify(fields));
    }
    const path = `/shops/${SHOP.id}/events?after=${next}`;
    const stranger = await gateway.call(path, { headers: { "x-api-key": OTHER_SHOP.key } });
    assert.equal(stranger.status, 401);
  });
});

describe("503", () => {
  it("so many of one owner wait at once; who hangs up makes room, and a gateway that stops lets all go", async () => {
    const busy = await openTestGateway(ONE_ENGINE);
    const feed = feedOf(busy);
    const waiting = Array.from({ length: 21 }, () => feed.ask({ wait: 25 }));
    const refused = await Promise.race(waiting);
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "1"]);
    assert.deepEqual((await feed.read()).events, [], "who does not wait is answered");
    const theirs = Array.from({ length: 21 }, () =>
      get(`${busy.url}/shops/${OTHER_SHOP.id}/events?wait=25`, {
        headers: { "x-api-key": OTHER_SHOP.key },
        agent: false,
      }),
    );
    const [first] = await Promise.race(theirs.map((one) => once(one, "response")));
    assert.equal(first.statusCode, 503);
    for (const one of theirs) one.on("error", () => {}).destroy();
    while ((await feedOf(busy, OTHER_SHOP).ask({ wait: 1 })).status === 503);
    const startedAt = performance.now();
    await busy.stop();
    const answers = (await Promise.all(waiting)).filter(({ status }) => status !== 503);
    assert.deepEqual(
      answers.map(({ status, headers, body }) => [
        status,
        headers.get("connection"),
        body.data.events,
      ]),
      // Nobody sends another one over a connection that is about to be closed.
      Array.from({ length: 20 }, () => [200, "close", []]),
    );
    // With the end of its database; they would have waited for longer.
    assert.ok(performance.now() - startedAt < 20_000);
  });
});

onPostgres("while others write", () => {
  it("69. two transactions commit against the order of their ids while a reader pages: both are read, once", async () => {
    const busy = await openTestGateway("postgres");
    const feed = feedOf(busy);
    const first = (await createInvoice(busy)).body.data.id;
    const second = (await createInvoice(busy)).body.data.id;
    const record = (invoiceId: string, hold: Promise<unknown>) => {
      const written = Promise.withResolvers<void>();
      const committed = busy.app.db.transaction(async (tx) => {
        await mayTakeLong(tx);
        const fields = { invoice_id: invoiceId };
        const fact = { invoiceId, shopId: SHOP.id, sequence: 1, hookUrl: null, fields };
        await recordEvents(tx, busy.app, [fact]);
        written.resolve();
        await hold;
      });
      return { written: written.promise, committed };
    };
    const release = Promise.withResolvers<void>();
    const early = record(first, release.promise);
    await early.written;
    busy.clock.advance(1);
    await record(second, Promise.resolve()).committed;
    const one = await feed.read({ wait: 25 });
    assert.deepEqual(
      one.events.map(({ invoice_id }) => invoice_id),
      [second],
    );
    const waiting = feed.read({ after: one.next, wait: 25 });
    release.resolve();
    await early.committed;
    const two = await waiting;
    assert.deepEqual(
      two.events.map(({ invoice_id }) => invoice_id),
      [first],
    );
    assert.ok((two.events[0]?.event_id ?? "") < (one.events[0]?.event_id ?? ""));
    assert.deepEqual((await feed.read({ after: two.next })).events, []);
    await busy.stop();
  });

  it("70. whoever gives positions is killed half-way: nothing of it is seen, and the next one goes on, without a gap and without a double", async () => {
    const busy = await openTestGateway("postgres");
    const feed = feedOf(busy);
    const { order, pay } = orders(busy);
    const paid: string[] = [];
    // Nobody else gives positions while this one has begun. On a busy machine it may begin twice.
    const killed = busy.app.db.transaction(async (tx) => {
      await mayTakeLong(tx);
      const end = (await lockEnd(tx)) ?? assert.fail("somebody else is at it");
      for (let count = 0; count < 5; count += 1) {
        const placed = await order();
        await pay(placed);
        paid.push(placed.id);
      }
      assert.equal(await placeEvents(tx, end, 3, busy.app.clock.now()), 3);
      assert.deepEqual((await feed.read({ wait: 1 })).events, []);
      await tx.query("select pg_terminate_backend(pg_backend_pid())");
    });
    await assert.rejects(killed);
    const seen: string[] = [];
    for (let after: string | undefined; seen.length < paid.length; ) {
      const page = await feed.read({ after, limit: 2, wait: 25 });
      seen.push(...page.events.map(({ invoice_id }) => invoice_id ?? ""));
      after = page.next;
    }
    assert.deepEqual(seen, paid);
    const positions = await busy.app.db.query("select position from event_feed order by position");
    assert.deepEqual(
      positions,
      paid.map((_, index) => ({ position: BigInt(index + 1) })),
    );
    await assertBooksAreRight(busy);
    await busy.stop();
  });
});

/** Sets of events in the order of their commits, each made so many seconds before its commit, or by a clock ahead. */
const sets = fc.array(
  fc.record({
    size: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 1_000 })),
    openSeconds: fc.integer({ min: -4, max: 12 }),
  }),
  { minLength: 1, maxLength: 6 },
);

it("a reader from any moment reads every event of that moment or later", async () => {
  const room = await openRoom(ONE_ENGINE);
  const made = new Map<string, Date>();
  const readSince = async (since: Date): Promise<ReadonlySet<string>> => {
    const read = new Set<string>();
    let wish: FeedWish | undefined = { since: since.toISOString(), limit: 10_000 };
    while (wish !== undefined) {
      const page = await pageOfFeed(room.app.db, { kind: "shop", id: SHOP.id }, wish);
      for (const { event_id } of page.events) read.add(event_id);
      wish = page.more ? { after: page.next, limit: 10_000 } : undefined;
    }
    return read;
  };
  const property = fc.asyncProperty(sets, async (committed) => {
    const moments: Date[] = [];
    for (const { size, openSeconds } of committed) {
      room.clock.advance(3 - openSeconds);
      const now = room.clock.now();
      moments.push(now);
      for (const id of await room.record(Array(size).fill(null))) made.set(id, now);
      room.clock.advance(openSeconds);
      await stampEventsJob.due?.settle(room.app);
    }
    for (const since of moments) {
      const read = await readSince(since);
      for (const [id, at] of made) assert.ok(at < since || read.has(id), "an event is skipped");
    }
  });
  const seed = process.env[SEED_VARIABLE];
  const [paid, expired] = [
    { size: 1, openSeconds: 0 },
    { size: 150, openSeconds: 4 },
  ];
  await fc.assert(property, {
    numRuns: 6,
    examples: [[[paid, expired]]],
    ...(seed === undefined ? {} : { seed: Number(seed) }),
  });
  await room.close();
});
