// An assignment that waits for a second approval, decided by two at once, each at a gateway of their own on one PostgreSQL: one
// wins, money moves at most once, and the audit log tells of that one alone.

import assert from "node:assert/strict";
import { after, afterEach, before, it } from "node:test";
import { startGateway } from "../src/gateway.ts";
import { openLog } from "../src/platform/log.ts";
import { assertBooksAreRight } from "./books.ts";
import {
  onPostgres,
  openTestDatabase,
  TestClock,
  type TestDatabase,
  testConfig,
} from "./gateway.ts";
import { manage, ownHand } from "./manage.ts";
import { DAY, orders } from "./orders.ts";
import { insistent } from "./patience.ts";

const ROUNDS = 5;
const reason = "the payer called";

onPostgres("an assignment and two who decide", () => {
  let database: TestDatabase;
  let gateways: Awaited<ReturnType<typeof open>>[] = [];
  const clock = new TestClock();
  const open = async () => {
    const config = testConfig({ ...database.config, fourEyesFrom: 1000 });
    const gateway = await startGateway({ config, clock, log: openLog("silent") });
    return { ...gateway, clock, ...insistent(gateway) };
  };
  const at = (place: 0 | 1) => gateways[place] ?? assert.fail("no gateway");
  before(async () => {
    database = await openTestDatabase("postgres");
    gateways = [await open(), await open()];
  });
  after(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await database.drop();
  });
  afterEach(() => assertBooksAreRight(at(0)));

  type Who = "anna" | "boris" | "clara";
  type Act = (ids: Ids) => readonly [who: Who, path: string, body?: unknown];
  interface Ids {
    readonly transferId: string;
    readonly paymentId: string;
    readonly otherPaymentId: string;
  }

  const approve =
    (who: Who): Act =>
    ({ transferId, paymentId }) => {
      return [who, `transfers/${transferId}/assign`, { payment_id: paymentId, reason }];
    };
  const withdraw =
    (who: Who): Act =>
    ({ transferId }) => [who, `transfers/${transferId}/withdraw`, { reason }];
  const giveBack: Act = ({ transferId }) => ["clara", `transfers/${transferId}/return`, { reason }];
  const assignOther: Act = ({ transferId, otherPaymentId }) => {
    const wish = { payment_id: otherPaymentId, reason };
    return ["clara", `transfers/${transferId}/assign`, wish];
  };

  /** Both acts at once, after Anna's approval; how the transfer may stand then, and how much was credited. */
  const races: Readonly<Record<string, readonly [Act, Act, readonly string[]]>> = {
    "two approve": [approve("boris"), approve("clara"), ["200,422 matched 94000"]],
    "the first one again, and a second one": [
      approve("anna"),
      approve("boris"),
      ["200,422 matched 94000"],
    ],
    "one approves, the first one withdraws": [
      approve("boris"),
      withdraw("anna"),
      ["200,422 matched 94000", "200,200 suspense 0"],
    ],
    "one approves, another withdraws": [
      approve("boris"),
      withdraw("clara"),
      ["200,422 matched 94000", "200,200 suspense 0"],
    ],
    "one approves, another returns the money": [
      approve("boris"),
      giveBack,
      ["200,422 matched 94000", "200,422 returned 0"],
    ],
    "one approves, another assigns it to another payment": [
      approve("boris"),
      assignOther,
      ["200,422 matched 94000"],
    ],
  };

  for (const [name, [left, right, endings]] of Object.entries(races)) {
    it(`${name}: money moves once at most`, async () => {
      const trade = orders(at(0));
      const own = manage(at(0));
      const people = {
        anna: await ownHand(at(0), "Anna"),
        boris: await ownHand(at(0), "Boris"),
        clara: await ownHand(at(0), "Clara"),
      };
      for (let round = 0; round < ROUNDS; round += 1) {
        // Past every quarantine, at both gateways.
        clock.advance(2 * DAY);
        await trade.pass(0);
        const [order, other] = [await trade.order(), await trade.order()];
        const [balance = 0] = await trade.balance();
        const { transfer_id: transferId } = await trade.pay(order, { amount: 1000 });
        await people.anna.post(`transfers/${transferId}/assign`, {
          payment_id: order.paymentId,
          reason,
        });
        const ids = { transferId, paymentId: order.paymentId };
        trade.tick();
        const from = trade.now();
        const answers = await Promise.all(
          [left, right].map((act, place) => {
            const [who, path, body = {}] = act({ ...ids, otherPaymentId: other.paymentId });
            return manage(at(place === 0 ? 0 : 1), people[who].token).ask(path, body);
          }),
        );
        const texts = answers.map(({ text }) => text).join("\n");
        const statuses = answers.map(({ status }) => status).toSorted();
        const { state } = await own.get(`transfers/${transferId}`);
        const [after = 0] = await trade.balance();
        const ending = `${statuses} ${state} ${after - balance}`;
        assert.ok(endings.includes(ending), `${ending}\n${texts}`);
        const done = statuses.filter((status) => status === 200).length;
        assert.equal((await own.get(`audit?from=${from}`)).items.length, done);
        if (state === "suspense") await own.post(`transfers/${transferId}/return`, { reason });
      }
    });
  }
});
