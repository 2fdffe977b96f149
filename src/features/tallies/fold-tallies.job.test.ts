// The fold: however it is interleaved with what happens and with itself, every row is counted once; what is
// committed late is not lost, and a closed hour that is wrong is put right.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import fc from "fast-check";
import { assertBooksAreRight } from "../../../test/books.ts";
import { createInvoice, OTHER_SHOP, SHOP } from "../../../test/cast.ts";
import {
  onOneEngine,
  onPostgres,
  openTestGateway,
  type TestGateway,
} from "../../../test/gateway.ts";
import { manage } from "../../../test/manage.ts";
import { HOUR, type Order, orders } from "../../../test/orders.ts";
import { mayTakeLong, untilFree } from "../../../test/patience.ts";
import { SEED_VARIABLE } from "../../../test/property.ts";
import { foldTallies, foldTalliesJob } from "./fold-tallies.job.ts";

type Figures = Readonly<Record<string, number>>;

let asked = 0;

/** Of all that there is, by shop. */
async function told(gateway: TestGateway): Promise<Record<string, Figures>> {
  // Up to another moment each time: what was told of a period is told again for a minute.
  asked += 1;
  const to = new Date(Date.parse("2026-05-30") + asked).toISOString();
  const { items } = await manage(gateway).get(`tallies?from=2026-02-28&to=${to}&by=shop`);
  return Object.fromEntries(items.map(({ key, ...figures }: { key: string }) => [key, figures]));
}

/** Also where the gateway's own job has it in hand. */
async function settle({ app }: TestGateway): Promise<void> {
  await untilFree(async () => foldTalliesJob.due?.settle(app));
}

const STEPS = ["order", "pay", "fold", "fold at once", "time", "hours"] as const;

const seed = process.env[SEED_VARIABLE];

onOneEngine("the fold of tallies", (engine) => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway(engine);
  });
  after(async () => {
    try {
      // What fell due while the tests moved the clock.
      await orders(gateway).pass(0);
      await assertBooksAreRight(gateway);
    } finally {
      await gateway.stop();
    }
  });

  it("counts everything once, in sets of whatever size, at whatever moments, also beside itself", async () => {
    const trade = orders(gateway);
    const done: Record<string, { created: number; paid: number; received: number }> = {};
    const open: Order[] = [];
    const shopOf = new Map<string, string>();
    const step = fc.record({
      act: fc.constantFrom(...STEPS),
      size: fc.integer({ min: 1, max: 4 }),
      isOther: fc.boolean(),
    });
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 10, maxLength: 30 }),
      async (steps) => {
        for (const { act, size, isOther } of steps) {
          const shop = isOther ? OTHER_SHOP : SHOP;
          if (act === "order") {
            const order = await trade.order({ amount: 1000 + size }, shop);
            open.push(order);
            shopOf.set(order.id, shop.id);
            done[shop.id] ??= { created: 0, paid: 0, received: 0 };
            (done[shop.id] as { created: number }).created += 1;
          } else if (act === "pay") {
            const order = open.shift();
            if (order === undefined) continue;
            // Hours later its card and sum may be those of another shop's order, which it pays then.
            const { state, invoice_id: paid } = await trade.pay(order);
            const sums = done[shopOf.get(paid) ?? ""];
            if (state !== "matched" || sums === undefined) continue;
            sums.paid += 1;
            sums.received += order.amount;
          } else if (act === "fold") await foldTallies(gateway.app, "skip", size);
          else if (act === "fold at once") {
            await Promise.all([1, 2].map(() => foldTallies(gateway.app, "skip", size)));
          } else gateway.clock.advance(act === "time" ? 20 * size : (HOUR * size) / 2);
        }
        gateway.clock.advance(61);
        await settle(gateway);
        const counted = await told(gateway);
        for (const [shop, { created, paid, received }] of Object.entries(done)) {
          const figures = counted[shop];
          assert.equal(figures?.["created"], created);
          assert.equal(figures?.["issued"], created);
          assert.equal(figures?.["cohort_paid"], paid);
          assert.equal(figures?.["paid"], paid);
          assert.equal(Math.round((figures?.["received"] ?? 0) * 100), Math.round(received * 100));
        }
      },
    );
    await fc.assert(property, {
      numRuns: 8,
      interruptAfterTimeLimit: 60_000,
      ...(seed === undefined ? {} : { seed: Number(seed) }),
    });
  });

  it("closes no hour that it has not counted, though the clock is moved on while it runs", async () => {
    const { app, clock } = gateway;
    await settle(gateway);
    const before = (await told(gateway))[SHOP.id]?.["created"] ?? 0;
    await createInvoice(gateway);
    let looks = 0;
    const now = (): Date => {
      looks += 1;
      // After the first look, as when somebody moves the sandbox's clock.
      if (looks === 2) clock.advance(3 * HOUR);
      return clock.now();
    };
    await foldTallies({ ...app, clock: { ...app.clock, now } });
    clock.advance(3 * HOUR);
    await settle(gateway);
    assert.equal((await told(gateway))[SHOP.id]?.["created"], before + 1);
  });

  it("counts nothing twice however often it is run, and nothing before a minute has passed", async () => {
    await settle(gateway);
    const before = (await told(gateway))[SHOP.id]?.["created"] ?? 0;
    gateway.clock.advance(1);
    await createInvoice(gateway);
    gateway.clock.advance(59);
    for (let runs = 0; runs < 3; runs += 1) await settle(gateway);
    assert.equal((await told(gateway))[SHOP.id]?.["created"], before);
    gateway.clock.advance(2);
    for (let runs = 0; runs < 3; runs += 1) await settle(gateway);
    assert.equal((await told(gateway))[SHOP.id]?.["created"], before + 1);
  });

  it("puts an hour right that was wrong when it closes, says so, and leaves it alone afterwards", async () => {
    gateway.clock.advance(2 * HOUR);
    await settle(gateway);
    const right = await told(gateway);
    await createInvoice(gateway);
    gateway.clock.advance(61);
    await settle(gateway);
    await gateway.app.db.query(
      "update tallies set created = 7, paid = paid + 1 where hour = (select max(hour) from tallies)",
    );
    gateway.clock.advance(2 * HOUR);
    await settle(gateway);
    const healed = await told(gateway);
    assert.equal(healed[SHOP.id]?.["created"], (right[SHOP.id]?.["created"] ?? 0) + 1);
    assert.equal(healed[SHOP.id]?.["paid"], right[SHOP.id]?.["paid"]);
    const lines = gateway.log.filter((line) => line.includes("were put right"));
    assert.equal(lines.length, 1, String(lines));
    assert.match(lines[0] ?? "", /"rows":4/);
  });

  it("is made again from nothing, as docs/tallies.md says", async () => {
    const kept = await told(gateway);
    await gateway.app.db.query(
      `begin;
       update tally_marks set up_to = '00000000-0000-0000-0000-000000000000';
       delete from tallies; delete from pay_speeds; delete from hook_tallies;
       delete from bank_tallies; delete from tally_hours;
       commit`,
    );
    await settle(gateway);
    assert.deepEqual(await told(gateway), kept);
  });
});

onPostgres("the fold of tallies, by several at once", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway("postgres");
  });
  after(() => gateway.stop());

  it("misses nothing that is committed up to a minute after its id was made", async () => {
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
    clock.advance(59);
    try {
      await settle(gateway);
    } finally {
      committed.resolve();
      await slow;
    }
    assert.equal((await told(gateway))[SHOP.id]?.["created"], 1);
    clock.advance(2);
    await settle(gateway);
    assert.equal((await told(gateway))[SHOP.id]?.["created"], 2);
  });

  it("lets one count at a time: the others do nothing, or wait", async () => {
    const { app, clock } = gateway;
    const own = orders(gateway);
    for (let nth = 0; nth < 12; nth += 1) await own.pay(await own.order({ amount: 500 + nth }));
    clock.advance(61);
    // Each in sets of two, all of them at once, as processes would.
    const fold = async (patience: "wait" | "skip"): Promise<void> => {
      for (let runs = 0; runs < 12; runs += 1) {
        await untilFree(() => foldTallies(app, patience, 2));
      }
    };
    await Promise.all([fold("skip"), fold("wait"), fold("skip"), fold("wait")]);
    const figures = (await told(gateway))[SHOP.id];
    assert.deepEqual([figures?.["created"], figures?.["paid"]], [14, 12]);
    const { as_of } = await manage(gateway).get("tallies");
    assert.equal(as_of, new Date(app.clock.now().getTime() - 60_000).toISOString());
  });
});
