// Receivers that cost others something: hosts that are too long, thousands of origins, hosts that hang
// in many shops at once. Everybody else is told in time, and nothing is lost.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { deliverDue, deliverEventsJob } from "../src/features/webhooks/deliver-events.job.ts";
import type { App } from "../src/platform/app.ts";
import { openOutgoing } from "../src/platform/outgoing.ts";
import { assertBooksAreRight } from "./books.ts";
import { type CastShop, createInvoice, OTHER_SHOP, OTHER_USER, SHOP, USER } from "./cast.ts";
import { onEachEngine, onOneEngine, openTestGateway, type TestGateway } from "./gateway.ts";
import { manage } from "./manage.ts";
import { MINUTE, type Orders, orders } from "./orders.ts";
import { openOrigins, openRoom, type Room } from "./webhook-room.ts";

/** As many bytes in one host, in labels of 50. */
const hostOf = (bytes: number): string => `${"a".repeat(49)}.`.repeat(130).slice(-bytes);

onEachEngine("a hook_url with a long host", (engine) => {
  let gateway: TestGateway;
  let trade: Orders;
  before(async () => {
    gateway = await openTestGateway(engine);
    trade = orders(gateway);
  });
  after(() => gateway.stop());

  it("is refused in clear words at an invoice and in a shop's settings", async () => {
    const words = "The hook url field must have a host of at most 253 bytes.";
    const urls = [`https://${hostOf(254)}/hook`, `https://${"ы".repeat(60)}.${hostOf(200)}/`];
    for (const hook_url of urls) {
      const answer = await createInvoice(gateway, { hook_url });
      assert.deepEqual([answer.status, answer.body.error], [422, words]);
      const refused = await manage(gateway).refused(`shops/${SHOP.id}`, { hook_url });
      assert.deepEqual(refused, [422, [words]]);
    }
    const longest = await createInvoice(gateway, { hook_url: `https://${hostOf(253)}/hook` });
    assert.equal(longest.status, 200, longest.text);
  });

  it("that was stored before stops nobody's expiry and not its own money", async () => {
    const [paid, lapsing] = [await trade.order(), await trade.order({ expire: 10 })];
    const other = await createInvoice(gateway, { expire: 10 });
    await gateway.app.db.query("update invoices set hook_url = $2 where id = any($1::uuid[])", [
      [paid.id, lapsing.id],
      `https://${hostOf(6_000)}/hook`,
    ]);
    assert.equal((await trade.pay(paid)).state, "matched");
    await trade.pass(60 * MINUTE);
    for (const id of [lapsing.id, other.body.data.id]) {
      assert.equal((await manage(gateway).get(`invoices/${id}`)).invoice.state, "expired");
    }
    await assertBooksAreRight(gateway);
  });
});

onOneEngine("hosts that hang in several shops of several users", (engine) => {
  let gateway: TestGateway;
  const closing: (() => Promise<void>)[] = [];
  before(async () => {
    // Longer than any test: only the end of the test ends what hangs.
    const http = openOutgoing({ allowLoopback: true, allowedHosts: [], timeoutMs: 3_600_000 });
    gateway = await openTestGateway(engine, {}, http);
  });
  after(async () => {
    for (const close of closing) await close();
    await gateway.stop();
  });

  const openShop = async (userId: string): Promise<CastShop> => {
    const own = manage(gateway);
    const made = await own.post("shops", { user_id: userId, name: "One more", h2h_enabled: true });
    const rates = { shop_percent: 4, user_percent: 2, min_sum: 1, max_sum: 100_000 };
    await own.post("tariffs", { shop_id: made.shop.shop_id, service: "p2p_card", ...rates });
    return { id: made.shop.shop_id, key: made.api_key };
  };
  /** An event for each address: an invoice that expires. */
  const expire = async (shop: CastShop, urls: readonly string[]): Promise<void> => {
    const make = (hook_url: string) => createInvoice(gateway, { expire: 10, hook_url }, shop);
    for (const { status, text } of await Promise.all(urls.map(make)))
      assert.equal(status, 200, text);
  };

  const allExpired = () =>
    until(async () => {
      const { db } = gateway.app;
      return (await db.query("select from invoices where state = 'created'")).length === 0;
    });
  const allClaimed = () => until(async () => (await deliverEventsJob.run(gateway.app)) === 0);

  it("leave places for everybody else: other users, and other shops of the same user", async () => {
    const hanging = await openOrigins(() => {});
    const hosts = new Set<string>();
    const allHeard = Promise.withResolvers<void>();
    const healthy = await openOrigins((answer, host) => {
      answer.writeHead(200).end();
      hosts.add(host);
      if (hosts.size === 3) allHeard.resolve();
    });
    closing.push(hanging.close, healthy.close);
    const stranger = await manage(gateway).post("users", { name: "A stranger" });
    const userIds = [USER.id, OTHER_USER.id, stranger.user.user_id];
    // Eight events for each of 90 hosts in six shops: twice as many as there are places.
    for (let turn = 0; turn < 6; turn += 1) {
      const urls = Array.from({ length: 720 }, (_, n) => hanging.url(turn * 90 + (n % 90)));
      await expire(await openShop(userIds[turn % 2] ?? ""), urls);
    }
    gateway.clock.advance(10 * MINUTE);
    await allExpired();
    await allClaimed();

    const shopIds: string[] = [];
    for (const [index, userId] of userIds.entries()) {
      const shop = await openShop(userId);
      shopIds.push(shop.id);
      await expire(shop, [healthy.url(index)]);
    }
    gateway.clock.advance(10 * MINUTE);
    await allExpired();
    await allClaimed();
    const untold = await gateway.app.db.query(
      "select from outbox where shop_id = any($1::uuid[]) and attempts = 0",
      [shopIds],
    );
    assert.equal(untold.length, 0, "somebody waits for a host that hangs");
    await allHeard.promise;
    assert.equal(hanging.ended(), 0);
    assert.ok(hanging.heard.length > 500, `only ${hanging.heard.length} hang`);
  });
});

onOneEngine("many receivers", (engine) => {
  let room: Room;
  before(async () => {
    room = await openRoom(engine);
  });
  after(() => room.close());

  it("of one shop, past a hundred, share one line: all are told, and the shop alone waits", async () => {
    const origins = await openOrigins((answer) => answer.writeHead(200).end());
    const ids = await room.record(Array.from({ length: 300 }, (_, index) => origins.url(index)));
    const [lines] = await room.sql(
      `select count(distinct receiver)::integer as receivers,
              count(*) filter (where receiver = shop_id)::integer as in_the_shops_line from outbox`,
    );
    assert.deepEqual(lines, { receivers: 101, in_the_shops_line: 200 });
    await deliverDue(room.app);
    assert.deepEqual(new Set(origins.heard), new Set(ids));
    assert.equal(origins.heard.length, ids.length);
    // When their leases are over the lines are gone, and there is room for others.
    room.clock.advance(MINUTE);
    await deliverDue(room.app);
    assert.deepEqual(await room.sql("select from receivers"), []);
    await origins.close();
  });

  it("that wait for a later moment cost a claim nothing", async (context) => {
    const before = await blocksOfClaim();
    await addReceivers(20_000, SHOP.id, "https://a.example", "2027-01-01");
    const after = await blocksOfClaim();
    context.diagnostic(`blocks read by a claim: ${before}, beside 20,000 that wait ${after}`);
    assert.ok(after <= before + 10, `${after} blocks instead of ${before}`);
  });

  it("100,000 waiting receivers of one shop do not delay another shop's event", async (context) => {
    const hanging = await openOrigins(() => {});
    const heard = Promise.withResolvers<void>();
    const healthy = await openOrigins((answer) => {
      answer.writeHead(200).end();
      heard.resolve();
    });
    context.after(async () => {
      await Promise.all([hanging.close(), healthy.close()]);
      await deliverEventsJob.finish?.(room.app);
    });
    // A hundred lines are all that a shop gets; here somebody has come by more of them, and all are due.
    const now = room.clock.now().toISOString();
    for (let part = 0; part < 10; part += 1) {
      await addReceivers(10_000, OTHER_SHOP.id, hanging.url(0), now);
    }
    while ((await deliverEventsJob.run(room.app)) > 0);
    room.clock.advance(1);
    const startedAt = performance.now();
    await room.record([healthy.url(0)]);
    await deliverEventsJob.run(room.app);
    await heard.promise;
    const tookMs = performance.now() - startedAt;
    context.diagnostic(`recorded, claimed and told in ${tookMs.toFixed(0)} ms`);
    assert.ok(tookMs < 2_000, `${tookMs} ms`);
  });

  /** Each with one event that waits, all about one invoice. */
  const addReceivers = async (count: number, shopId: string, hookUrl: string, at: string) => {
    const invoiceId = room.app.newId();
    await room.record([null]);
    await room.sql(
      `insert into invoices select (json_populate_record(invoice, $1)).* from invoices invoice
       limit 1`,
      [JSON.stringify({ id: invoiceId, shop_id: shopId, order_id: invoiceId })],
    );
    await room.sql(
      `with added as (
         insert into events (id, shop_id, invoice_id, sequence, body, hook_url, hook_is_own,
           created_at)
         select gen_random_uuid(), $2, $3, 1 + n, '{}', $4, true, $5
         from generate_series(1, $1::integer) n returning id, shop_id, created_at
       ), waiting as (
         insert into outbox (event_id, shop_id, receiver, next_attempt_at)
         select id, shop_id, id, created_at from added
       )
       insert into receivers (id, shop_id, next_due_at)
       select id, shop_id, created_at from added`,
      [count, shopId, invoiceId, hookUrl, at],
    );
  };

  /** How much of the database the job reads when nothing is due. */
  const blocksOfClaim = async (): Promise<number> => {
    const asked: [text: string, values: readonly unknown[]][] = [];
    const { db } = room.app;
    const query: App["db"]["query"] = (text, values = []) => {
      asked.push([text, values]);
      return db.query(text, values);
    };
    assert.equal(await deliverEventsJob.run({ ...room.app, db: { ...db, query } }), 0);
    let blocks = 0;
    for (const [text, values] of asked) {
      const [row] = await room.sql<{ "QUERY PLAN": Explained[] }>(
        `explain (analyze, buffers, format json) ${text}`,
        values,
      );
      const plan = row?.["QUERY PLAN"][0]?.Plan ?? assert.fail("no plan");
      blocks += plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
    }
    return blocks;
  };
});

interface Explained {
  readonly Plan: { readonly "Shared Hit Blocks": number; readonly "Shared Read Blocks": number };
}

async function until(reached: () => Promise<boolean>): Promise<void> {
  while (!(await reached())) await new Promise((resolve) => setTimeout(resolve, 20));
}
