// Payouts that are asked for at once, at several gateways on one PostgreSQL: one order is one payout, and no
// balance pays out more than it has.

import assert from "node:assert/strict";
import { after, afterEach, before, it } from "node:test";
import { type Gateway, startGateway } from "../src/gateway.ts";
import { openLog } from "../src/platform/log.ts";
import { assertBooksAreRight } from "./books.ts";
import { freshAmount, freshReference, openDesk } from "./desk.ts";
import { type Answer, onPostgres, openTestGateway, type TestGateway } from "./gateway.ts";
import { manage } from "./manage.ts";
import { type Orders, orders } from "./orders.ts";
import { insistent } from "./patience.ts";
import { cardEndingIn, pauseRail, payouts, resumeRail } from "./payouts.ts";

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
    const own = orders({ ...gateway, ...insistent(gateway) });
    // The clock that all of them stand on: moved at one gateway alone, what another one takes in hand meanwhile would
    // have been left alone for a day already.
    const { pass: settle } = own;
    const pass = (seconds: number): Promise<void> => {
      clock.advance(seconds);
      return settle(0);
    };
    trade = Object.assign(own, { pass });
    await pauseRail(gateway);
    users = all.map((one) => payouts(insistent(one), trade));
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

  it("a large payout that three say came back at once is given back once, and by two", async () => {
    await at(0).earn(1, 2000);
    const { anna, boris } = await openDesk(gateway);
    for (const one of all) Object.assign(one.app.config, { fourEyesFrom: 100 });
    for (let round = 0; round < 6; round += 1) {
      const id = await at(0).made({ amount: 100 + freshAmount() });
      await anna.post(`payouts/${id}/take`);
      await anna.post(`payouts/${id}/sent`, { bank_reference: freshReference() });
      const [, available = 0] = await trade.balance();
      const hands = [anna.token, boris.token, undefined, anna.token, boris.token, undefined];
      const answers = await Promise.all(
        hands.map((token, index) =>
          manage(insistent(all[(round + index) % 3] ?? gateway), token).ask(
            `payouts/${id}/return`,
            {
              reason: "race",
            },
          ),
        ),
      );
      const states = answers.filter(only).map(({ body }) => body.data.state);
      assert.deepEqual(states.toSorted(), ["done", "returned"]);
      const { payout } = await manage(gateway).get(`payouts/${id}`);
      const back = Math.round(payout.receive * 100);
      assert.equal((await trade.balance())[1], available + back);
    }
    for (const one of all) Object.assign(one.app.config, { fourEyesFrom: undefined });
  });

  it("hold_first: of two payouts that come back at once neither takes the other for arrived", async () => {
    await at(0).earn(1, 2000);
    const { anna } = await openDesk(gateway);
    const { db } = gateway.app;
    await db.query("update payout_tariffs set hold_first = true where service = 'card'", []);
    for (let round = 0; round < 6; round += 1) {
      const wallet_to = cardEndingIn(`7${round}`);
      const ids = [1, 2].map(() => at(0).made({ amount: freshAmount(), wallet_to }));
      for (const id of await Promise.all(ids)) {
        await manage(gateway).post(`payouts/${id}/approve`);
        await anna.post(`payouts/${id}/take`);
        await anna.post(`payouts/${id}/sent`, { bank_reference: freshReference() });
      }
      const free = await at(0).made({ amount: freshAmount(), wallet_to });
      assert.equal(await at(0).state(free), "queued");
      await at(0).cancel(free);
      const answers = await Promise.all(
        (await Promise.all(ids)).map((id, index) => {
          const there = manage(insistent(all[(round + index) % 3] ?? gateway), anna.token);
          return there.ask(`payouts/${id}/return`, { reason: "race" });
        }),
      );
      assert.ok(answers.every(only), JSON.stringify(answers.map(({ text }) => text)));
      const held = await at(0).made({ amount: freshAmount(), wallet_to });
      assert.equal(await at(0).state(held), "held");
      await at(0).cancel(held);
    }
    await db.query("update payout_tariffs set hold_first = false where service = 'card'", []);
  });

  it("case 23: a person and a job both pay (btcpayserver #6314): whoever is first has it alone", async () => {
    await at(0).earn(1);
    const { anna, boris } = await openDesk(gateway);
    await resumeRail(gateway);
    for (let round = 0; round < 6; round += 1) {
      const id = await at(0).made({ amount: freshAmount() });
      const desk = (index: number, token: string) =>
        manage(insistent(all[index] ?? gateway), token);
      const [taken, again, filed] = await Promise.all([
        desk(1, anna.token).ask(`payouts/${id}/take`, {}),
        desk(2, boris.token).ask(`payouts/${id}/take`, {}),
        desk(0, boris.token).ask("payout-batches", { format: "csv", payouts: [id] }),
        trade.pass(0),
      ]);
      const { attempts } = await manage(gateway).get(`payouts/${id}`);
      assert.equal(attempts.length, 1, "one attempt, whoever asked");
      const winners = [taken, again, filed].filter(({ status }) => status === 200).length;
      assert.equal(winners, attempts[0].rail === "sandbox" ? 0 : 1, attempts[0].rail);
    }
    await pauseRail(gateway);
  });

  it("a day's limit holds for all who ask at once", async () => {
    await at(0).earn(1);
    const { app } = gateway;
    // A day has passed: nothing was asked for today.
    await app.db.query("update payout_tariffs set day_count = 3 where service = 'card'", []);
    const answers = await many(12, (index) => at(index).create({ amount: 10 }));
    const refused = answers.filter((one) => !only(one));
    assert.equal(answers.filter(only).length, 3);
    assert.deepEqual(
      new Set(refused.map(({ body }) => body.error)),
      new Set(["The day's limit of payouts is used up."]),
    );
  });
});
