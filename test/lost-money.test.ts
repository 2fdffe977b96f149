// How others lost money: each story is a test by its name. Where two actors met, two actors meet here,
// on a real PostgreSQL. Stories of one actor that a door's own test tells stand there.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, it } from "node:test";
import { type Gateway, startGateway } from "../src/gateway.ts";
import { openLog } from "../src/platform/log.ts";
import { assertBooksAreRight } from "./books.ts";
import { createH2h, createInvoice, OTHER_SHOP, OTHER_USER } from "./cast.ts";
import { onOneEngine, onPostgres, openTestGateway, type TestGateway } from "./gateway.ts";
import { manage } from "./manage.ts";
import { DAY, MINUTE, type Order, type Orders, orders } from "./orders.ts";
import { insistent } from "./patience.ts";

const ROUNDS = [0, 1, 2, 3, 4];

onPostgres("two actors at once", () => {
  let gateway: TestGateway;
  let others: Gateway[];
  /** The same shops and the same operator at three gateways; they share one clock. */
  let doors: Orders[];
  let trade: Orders;
  before(async () => {
    gateway = await openTestGateway("postgres");
    const { clock, app } = gateway;
    const start = () => startGateway({ config: app.config, clock, log: openLog("silent") });
    others = [await start(), await start()];
    doors = [gateway, ...others].map((one) => orders({ ...one, clock, ...insistent(one) }));
    trade = orders({ ...gateway, ...insistent(gateway) });
  });
  after(async () => {
    for (const other of others) await other.stop();
    await gateway.stop();
  });
  // Past every quarantine and freeze, and all that fell due done.
  beforeEach(() => later(3 * DAY));
  afterEach(async () => {
    await later(0);
    await assertBooksAreRight(gateway);
  });

  const later = async (seconds: number): Promise<void> => {
    gateway.clock.advance(seconds);
    await trade.pass(0);
  };
  const at = (index: number): Orders => doors[index % doors.length] as Orders;
  const callerAt = (index: number) => insistent([gateway, ...others][index % 3] as Gateway);
  const paidOrder = async (...wish: Parameters<Orders["order"]>): Promise<Order> => {
    const one = await trade.order(...wish);
    assert.equal((await trade.pay(one)).state, "matched");
    return one;
  };
  /** What came of refunds that are asked for at once, at all gateways: how many of each answer. */
  const refunds = async (invoiceIds: readonly string[], amount: number) => {
    const answers = await Promise.all(
      invoiceIds.map((invoice_id, n) =>
        manage(callerAt(n)).ask("refunds", { invoice_id, amount, reason: "test" }),
      ),
    );
    const kinds = Map.groupBy(answers, ({ body }) => body.error?.[0]?.slice(0, 21) ?? "done");
    return Object.fromEntries([...kinds].map(([kind, all]) => [kind, all.length]));
  };

  it("two refunds at once both passed the check: 120 out of 100 (hyperswitch #13182)", async () => {
    const { id } = await paidOrder();
    await later(DAY);
    const told = await refunds(Array(10).fill(id), 576);
    assert.deepEqual(told, { done: 1, "The refund must be at": 9 });
  });

  it("overdraft decided from a stale cache (midaz #2429)", async () => {
    // One credit is free, four are frozen: what is free covers one refund, whoever asks first.
    await paidOrder({}, OTHER_SHOP);
    await later(DAY);
    const frozen: string[] = [];
    for (let n = 0; n < 4; n += 1) frozen.push((await paidOrder({}, OTHER_SHOP)).id);
    assert.deepEqual(await refunds(frozen, 960), { done: 1, "The available balance": 3 });
    assert.equal((await trade.balance(OTHER_USER))[1], 0);
  });

  it("the bank's notice came before our own commit: booked 2–3 times (gumroad #6193)", async () => {
    const enable = (which: string) =>
      gateway.app.db.query(
        `update requisite_usage set enabled = ${which} from requisites
         where requisites.id = requisite_id and bank = 'sber'`,
      );
    await enable("receiver_name = 'Иван И.'");
    for (const round of ROUNDS) {
      const { id } = (await createInvoice(callerAt(0), { amount: 3000 + round })).body.data;
      const notice = {
        id,
        orderId: "",
        paymentId: "",
        wallet: "2202200000000007",
        amount: Math.round((3000 + round) * 102) / 100,
      };
      const [details, ...answers] = await Promise.all([
        createH2h(callerAt(0), id),
        ...[0, 1, 2].map((n) => at(n).pay(notice, { reference: `notice ${round}` })),
      ]);
      assert.equal(details?.status, 200);
      const ids = new Set(answers.map(({ transfer_id }) => transfer_id));
      assert.equal(ids.size, 1, "stored once, and all hear of the same one");
    }
    await enable("true");
  });

  it("expiry does not give the reservation back; deadlocks at load (mojaloop #868, #4021)", async () => {
    const limit = (live: string) =>
      gateway.app.db.query(`update requisite_usage set max_live_payments = ${live}`);
    await limit("live_payments + 4");
    for (const round of [0, 1]) {
      const created = await Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          createInvoice(callerAt(n), { amount: 9000 + round * 100 + n, expire: 20 }),
        ),
      );
      const asked = created.map(({ body }, n) =>
        createH2h(callerAt(n), body.data.id, {
          payment_data: { bank: n % 2 ? "sber" : "tinkoff" },
        }),
      );
      const meanwhile = [0, 1, 2, 3, 4].map((n) => at(n).pass(0));
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      await Promise.all(meanwhile);
      assert.deepEqual(new Set(statuses), new Set([200, 422]), "no deadlock shows as a 500");
      await later(20 * MINUTE);
      const [row] = await gateway.app.db.query<{ live: number }>(
        "select sum(live_payments)::integer as live from requisite_usage",
      );
      assert.equal(row?.live, 0, "every reservation is back");
    }
    await limit("1000");
  });
});

onOneEngine("one actor", (engine) => {
  let gateway: TestGateway;
  let trade: Orders;
  before(async () => {
    gateway = await openTestGateway(engine);
    trade = orders(gateway);
  });
  after(() => gateway.stop());
  beforeEach(() => trade.pass(3 * DAY));
  afterEach(() => assertBooksAreRight(gateway));

  const stateOf = async ({ id }: Order): Promise<string> =>
    (await manage(gateway).get(`invoices/${id}`)).invoice.state;

  it("the (receiver, amount) pair was reused at once after expiry: late money went to a stranger (gmpay-edge #5)", async () => {
    const first = await trade.order({ expire: 20 });
    await trade.pass(20 * MINUTE);
    const strangers = [await trade.order(), await trade.order(), await trade.order()];
    const places = new Set([first, ...strangers].map((one) => `${one.wallet} ${one.amount}`));
    assert.equal(places.size, 4);
    // One of them has live details a kopeck away on the same card: it may be a slip of theirs, too.
    const late = await trade.pay(first);
    assert.deepEqual([late.state, late.invoice_id], ["suspense", null]);
    for (const stranger of strangers) assert.equal(await stateOf(stranger), "pending");
    await trade.pass(20 * MINUTE);
    assert.equal((await trade.pay(first)).invoice_id, first.id);
  });

  it("a bank's clock that is behind paid whoever had the amount before (our own)", async () => {
    const before = await trade.order({ amount: 1_357 });
    await trade.pass(DAY + 20 * MINUTE + 1);
    let holder = await trade.order({ amount: 1_357 });
    for (let n = 0; n < 6 && holder.wallet !== before.wallet; n += 1) {
      holder = await trade.order({ amount: 1_357 });
    }
    assert.deepEqual([holder.wallet, holder.amount], [before.wallet, before.amount]);
    await trade.pass(MINUTE);
    const paidAt = gateway.app.clock.now().getTime();
    const tell = (behindSeconds: number) =>
      trade.pay(holder, { made_at: new Date(paidAt - behindSeconds * 1000).toISOString() });
    for (const behindSeconds of [75, 120, 290]) {
      const { state, suspense_reason } = await tell(behindSeconds);
      assert.deepEqual([state, suspense_reason], ["suspense", "contested"], `${behindSeconds} s`);
    }
    assert.equal((await tell(0)).invoice_id, holder.id);
  });
});
