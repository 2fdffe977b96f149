// Payouts that are asked for at once, at several gateways on one PostgreSQL: one order is one payout, and no
// balance pays out more than it has.

import assert from "node:assert/strict";
import { after, afterEach, before, it } from "node:test";
import { type Gateway, startGateway } from "../src/gateway.ts";
import { openLog } from "../src/platform/log.ts";
import { assertBooksAreRight } from "./books.ts";
import { type Answer, onPostgres, openTestGateway, type TestGateway } from "./gateway.ts";
import { manage } from "./manage.ts";
import { DAY, type Orders, orders, through } from "./orders.ts";
import { cardEndingIn, pauseRail, payouts } from "./payouts.ts";

onPostgres("payouts at several gateways", () => {
  let gateway: TestGateway;
  let all: (TestGateway | Gateway)[];
  let trade: Orders;
  let users: ReturnType<typeof payouts>[];
  before(async () => {
    gateway = await openTestGateway("postgres");
    const { clock, app } = gateway;
    const start = () => startGateway({ config: app.config, clock, log: openLog("silent") });
    all = [gateway, await start(), await start()];
    trade = orders(gateway);
    await pauseRail(gateway);
    users = all.map((one) => payouts(through(one), trade));
    await pauseRail(gateway);
  });
  after(async () => {
    for (const one of all.toReversed()) await one.stop();
  });
  afterEach(() => assertBooksAreRight(gateway));

  const at = (index: number) => users[index % users.length] ?? assert.fail();
  const many = (count: number, one: (index: number) => Promise<Answer>): Promise<Answer[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => one(index)));
  const only = ({ status }: Answer): boolean => status === 200;

  it("case 1: 50 equal wishes at once are one payout, one reservation and 50 equal answers", async () => {
    await at(0).earn(2);
    const [, available = 0] = await trade.balance();
    const wish = { order_id: "fifty", amount: 100 };
    const answers = await many(50, (index) => at(index).create(wish));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1, answers[0]?.text);
    assert.equal(answers[0]?.status, 200);
    assert.equal((await trade.balance())[1], available - 10_000);
    assert.equal((await at(1).list()).body.data.items.length, 1);
  });

  it("case 1: 50 wishes of one order with other amounts are one payout and 49 refusals", async () => {
    const [, available = 0] = await trade.balance();
    const answers = await many(50, (index) =>
      at(index).create({ order_id: "one of", amount: 20 + index }),
    );
    const good = answers.filter(only);
    assert.equal(good.length, 1);
    const taken = Math.round(Number(good[0]?.body.data.amount_withdraw_rub) * 100);
    assert.equal((await trade.balance())[1], available - taken);
  });

  it("case 4: concurrent withdrawals beyond the balance (LNbank, Flexcoin): what is there covers one", async () => {
    const [, available = 0] = await trade.balance();
    const amount = Math.floor((available * 6) / 10) / 100;
    for (const round of [0, 1, 2]) {
      const answers = await many(2, (index) => at(index + round).create({ amount }));
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 422]);
      const id = answers.find(only)?.body.data.payoff_id;
      await at(round).cancel(id);
      assert.equal((await trade.balance())[1], available);
    }
    const small = await many(60, (index) => at(index).create({ amount: available / 100 / 20 }));
    assert.ok(small.filter(only).length <= 20);
    assert.ok(((await trade.balance())[1] ?? 0) >= 0);
  });

  it("case 5: payouts and refunds that want the same money never get more than there is", async () => {
    const order = await trade.order({ amount: 1000 });
    await trade.pay(order);
    await trade.pass(DAY);
    const [, available = 0] = await trade.balance();
    const amount = Math.floor(available / 3) / 100;
    const [asked, refunded] = await Promise.all([
      many(6, (index) => at(index).create({ amount, wallet_to: cardEndingIn(`1${index}`) })),
      many(4, (index) =>
        manage(through(all[index % 3] ?? gateway)).ask("refunds", {
          ...{ invoice_id: order.id, amount: 240, reason: "race" },
        }),
      ),
    ]);
    const left = (await trade.balance())[1] ?? -1;
    const paid = asked.filter(only).length * Math.round(amount * 100);
    assert.equal(left, available - paid - refunded.filter(only).length * 24_000);
    assert.ok(left >= 0);
  });

  it("cancelled twice at once is cancelled once", async () => {
    await at(0).earn(1);
    const before = await trade.balance();
    const id = await at(0).made();
    const answers = await many(6, (index) => at(index).cancel(id));
    assert.deepEqual(new Set(answers.map(({ text }) => text)).size, 1);
    assert.deepEqual(await trade.balance(), before);
  });

  it("a day's limit holds for all who ask at once", async () => {
    await at(0).earn(1);
    const { app } = gateway;
    // So that exactly three more may be asked for today, by the settings.
    await app.db.query(
      `update payout_tariffs set day_count = 3 + coalesce((select payouts from payout_days
         where service = 'card' order by day desc limit 1), 0) where service = 'card'`,
      [],
    );
    const answers = await many(12, (index) => at(index).create({ amount: 10 }));
    const refused = answers.filter((one) => !only(one));
    assert.equal(answers.filter(only).length, 3);
    assert.deepEqual(
      new Set(refused.map(({ body }) => body.error)),
      new Set(["The day's limit of payouts is used up."]),
    );
  });
});
