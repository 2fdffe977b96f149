// The count of statistics: in sets of any size and at any moment it comes to the same, late commits are counted, and
// hours that are wrong are put right within two days.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { createInvoice, OTHER_SHOP, SHOP } from "../../../test/cast.ts";
import {
  onOneEngine,
  onPostgres,
  openTestGateway,
  type TestGateway,
} from "../../../test/gateway.ts";
import { manage } from "../../../test/manage.ts";
import { DAY, HOUR, orders } from "../../../test/orders.ts";
import { mayTakeLong, untilFree } from "../../../test/patience.ts";
import { countStatistics, countStatisticsJob } from "./count-statistics.job.ts";

type Sums = Readonly<Record<string, number>>;

async function totalOf(gateway: TestGateway): Promise<Sums> {
  return (await manage(gateway).get("statistics?from=2026-02-28&to=2026-05-30")).total;
}

/** Also where the gateway's own job has it in hand. */
async function settle({ app }: TestGateway): Promise<void> {
  await untilFree(async () => countStatisticsJob.due?.settle(app));
}

onOneEngine("the count of statistics", (engine) => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway(engine);
  });
  after(() => gateway.stop());

  it("comes to the same in sets of one, beside itself, twice, and all anew", async () => {
    const trade = orders(gateway);
    for (let nth = 0; nth < 8; nth += 1) {
      const order = await trade.order({ amount: 1000 + nth }, nth % 3 === 0 ? OTHER_SHOP : SHOP);
      if (nth % 2 === 0) await trade.pay(order);
      gateway.clock.advance(HOUR / 2);
      for (let runs = 0; runs < nth % 3; runs += 1) {
        await Promise.all([1, 2].map(() => countStatistics(gateway.app, "skip", 1)));
      }
    }
    await trade.pass(DAY);
    gateway.clock.advance(HOUR);
    await settle(gateway);
    const counted = await totalOf(gateway);
    const short = ["created", "converted", "expired", "paid"].map((name) => counted[name]);
    assert.deepEqual(short, [8, 4, 4, 4]);
    await settle(gateway);
    assert.deepEqual(await totalOf(gateway), counted);
    // As docs/statistics.md says.
    await gateway.app.db.query(
      `begin;
       delete from statistics;
       update statistics_progress set counted_to = to_timestamp(0);
       commit`,
    );
    assert.equal((await totalOf(gateway))["created"], 0);
    while (await countStatistics(gateway.app, "wait", 1));
    assert.deepEqual(await totalOf(gateway), counted);
  });

  it("goes on after days in which no gateway ran", async () => {
    const { created = 0 } = await totalOf(gateway);
    gateway.clock.advance(5 * DAY);
    await createInvoice(gateway);
    gateway.clock.advance(5 * DAY);
    await createInvoice(gateway);
    while (await countStatistics(gateway.app, "wait", 1));
    assert.equal((await totalOf(gateway))["created"], created + 2);
  });

  it("puts hours of the last two days right, and leaves older ones alone", async () => {
    await settle(gateway);
    const right = await totalOf(gateway);
    const spoil = () =>
      gateway.app.db.query("update statistics set created = created + 1 where created > 0");
    const hours = await gateway.app.db.query(
      "select from statistics where created > 0 and shop_id = '00000000-0000-0000-0000-000000000000'",
    );
    await spoil();
    gateway.clock.advance(HOUR);
    await settle(gateway);
    // Only the hour of the last invoice is young enough.
    assert.equal((await totalOf(gateway))["created"], (right["created"] ?? 0) + hours.length - 1);
    gateway.clock.advance(2 * DAY);
    await settle(gateway);
    await spoil();
    gateway.clock.advance(HOUR);
    await settle(gateway);
    const both = (right["created"] ?? 0) + 2 * hours.length - 1;
    assert.equal((await totalOf(gateway))["created"], both);
  });

  it("counts an invoice that is paid or expires in a later hour, in the hour that it was created in", async () => {
    const trade = orders(gateway);
    await settle(gateway);
    const before = await totalOf(gateway);
    const order = await trade.order({ amount: 5000, expire: 2 * HOUR });
    await trade.order({ amount: 6000 });
    gateway.clock.advance(1.9 * HOUR);
    await trade.pay(order);
    await trade.pass(DAY);
    gateway.clock.advance(HOUR);
    await settle(gateway);
    const after = await totalOf(gateway);
    const grown = (name: string): number => (after[name] ?? 0) - (before[name] ?? 0);
    assert.deepEqual(["created", "converted", "expired"].map(grown), [2, 1, 1]);
  });
});

onPostgres("the count of statistics, by several at once", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway("postgres");
  });
  after(() => gateway.stop());

  it("misses nothing that is committed after its hour was counted", async () => {
    const { app, clock } = gateway;
    await createInvoice(gateway);
    clock.advance(10);
    const id = app.newId();
    const committed = Promise.withResolvers<void>();
    const slow = app.db.transaction(async (tx) => {
      await mayTakeLong(tx);
      await tx.query(
        `insert into invoices (id, shop_id, user_id, order_id, content_digest, type, state,
           amount_minor, currency, services, success_url, created_at, expires_at)
         select $1, shop_id, user_id, 'slow', content_digest, type, state, amount_minor, currency,
           services, success_url, created_at, expires_at from invoices limit 1`,
        [id],
      );
      await committed.promise;
    });
    clock.advance(HOUR);
    try {
      await settle(gateway);
      assert.equal((await totalOf(gateway))["created"], 1);
    } finally {
      committed.resolve();
      await slow;
    }
    clock.advance(61);
    await settle(gateway);
    assert.equal((await totalOf(gateway))["created"], 2);
  });
});
