// How others lost money: each story is a test by its name. Where two actors met, two actors meet here,
// on a real PostgreSQL.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, it } from "node:test";
import { releaseFreezesJob } from "../src/features/ledger/release-freezes.job.ts";
import { refundInvoice } from "../src/features/refunds/refund.ts";
import {
  acceptTransfers,
  assignTransfer,
  returnTransfer,
} from "../src/features/transfers/transfers.ts";
import { type Gateway, startGateway } from "../src/gateway.ts";
import { openLog } from "../src/platform/log.ts";
import { assertBooksAreRight } from "./books.ts";
import { createH2h, createInvoice, OTHER_SHOP, OTHER_USER, SHOP, USER } from "./cast.ts";
import {
  type Answer,
  call,
  onEachEngine,
  onPostgres,
  openTestDatabase,
  openTestGateway,
  TestClock,
  type TestDatabase,
  type TestGateway,
  testConfig,
} from "./gateway.ts";
import { openReceiver } from "./receiver.ts";

const OPERATOR = { authorization: "Bearer sandbox_operator_token" };
const DAY = 24 * 60 * 60;
const operator = { author: "test", reason: "test" };

interface Entrance {
  call(path: string, options?: Parameters<typeof call>[2]): Promise<Answer>;
}

const pass = (door: Entrance, advance_seconds: number): Promise<Answer> =>
  door.call("/sandbox/clock", { body: { advance_seconds }, headers: OPERATOR });

const arrive = (door: Entrance, body: Record<string, unknown>): Promise<Answer> =>
  door.call("/sandbox/transfers", { body, headers: OPERATOR });

async function order(door: Entrance, changes: Record<string, unknown> = {}, shop = SHOP) {
  const created = await createInvoice(door, changes, shop);
  const id: string = created.body.data.id;
  const { wallet, amount } = (await createH2h(door, id, {}, shop)).body.data;
  return { id, wallet: wallet as string, amount: Number(amount) };
}

async function paidOrder(door: Entrance, changes: Record<string, unknown> = {}, shop = SHOP) {
  const one = await order(door, changes, shop);
  const arrived = await arrive(door, { wallet: one.wallet, amount: one.amount });
  assert.equal(arrived.body.data.state, "matched");
  return one;
}

onPostgres("two actors at once", () => {
  const clock = new TestClock();
  let database: TestDatabase;
  let gateways: Gateway[];
  let doors: Entrance[];
  let app: Gateway["app"];
  before(async () => {
    database = await openTestDatabase("postgres");
    const config = testConfig(database.config);
    const start = () => startGateway({ config, clock, log: openLog("silent") });
    gateways = [await start(), await start(), await start()];
    doors = gateways.map(({ url }) => ({ call: (path, options) => call(url, path, options) }));
    app = gateways[0]?.app as Gateway["app"];
  });
  after(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await database.drop();
  });
  beforeEach(async () => {
    // Past every quarantine and freeze, and all that fell due done; the gateways share one clock.
    clock.advance(3 * DAY);
    await pass(door(0), 0);
  });
  afterEach(async () => {
    await pass(door(0), 0);
    await assertBooksAreRight({ app });
  });

  const door = (index: number): Entrance => doors[index % doors.length] as Entrance;
  const appOf = (index: number) => (gateways[index % gateways.length] as Gateway).app;
  const outcomes = async (work: Promise<unknown>[]): Promise<string[]> =>
    (await Promise.allSettled(work)).map((one) =>
      one.status === "fulfilled" ? "done" : String((one.reason as { code?: string }).code),
    );
  const count = (all: string[], wanted: string) => all.filter((one) => one === wanted).length;
  const refund = (index: number, invoiceId: string, amountMinor: bigint) =>
    appOf(index).db.transaction((tx) =>
      refundInvoice(tx, appOf(index), { invoiceId, amountMinor, ...operator }),
    );
  const available = async (userId = USER.id): Promise<bigint> => {
    const [row] = await app.db.query<{ minor: bigint }>(
      "select available_minor as minor from ledger_balances where user_id = $1",
      [userId],
    );
    return row?.minor ?? 0n;
  };

  it("two refunds at once both passed the check: 120 out of 100 (hyperswitch #13182)", async () => {
    const { id } = await paidOrder(door(0));
    clock.advance(DAY);
    await pass(door(0), 0);
    const all = await outcomes(Array.from({ length: 10 }, (_, n) => refund(n, id, 57_600n)));
    assert.equal(count(all, "done"), 1);
    assert.equal(count(all, "refund_too_large"), 9);
  });

  it("overdraft decided from a stale cache (midaz #2429)", async () => {
    // One credit is free, four are frozen: what is free covers one refund, whoever asks first.
    await paidOrder(door(0), {}, OTHER_SHOP);
    clock.advance(DAY);
    await pass(door(0), 0);
    const frozen: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      frozen.push((await paidOrder(door(n), {}, OTHER_SHOP)).id);
    }
    const all = await outcomes(frozen.map((id, n) => refund(n, id, 96_000n)));
    assert.equal(count(all, "done"), 1);
    assert.equal(count(all, "balance_too_small"), 3);
    assert.equal(await available(OTHER_USER.id), 0n);
  });

  it("the bank's notice came before our own commit: booked 2–3 times (gumroad #6193)", async () => {
    await app.db.query(
      "update requisite_usage set enabled = (receiver_name = 'Иван И.') from requisites where requisites.id = requisite_id and bank = 'sber'",
    );
    for (let round = 0; round < 5; round += 1) {
      const created = await createInvoice(door(0), { amount: 3000 + round });
      const amount = (3000 + round) * 1.02;
      const notice = {
        wallet: "2202200000000007",
        amount: Math.round(amount * 100) / 100,
        reference: `notice ${round}`,
      };
      const [details, ...answers] = await Promise.all([
        createH2h(door(0), created.body.data.id),
        ...[0, 1, 2].map((n) => arrive(door(n), notice)),
      ]);
      assert.equal(details?.status, 200);
      const ids = new Set(answers.map(({ body }) => body.data.transfer_id));
      assert.equal(ids.size, 1, "stored once, and all hear of the same one");
    }
    await app.db.query("update requisite_usage set enabled = true");
  });

  it("one notice, three times at once, credits once (gumroad #6193)", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { wallet, amount, id } = await order(door(round), { amount: 4000 + round });
      const notice = { wallet, amount, reference: `thrice ${round}` };
      const answers = await Promise.all([0, 1, 2].map((n) => arrive(door(n), notice)));
      const told = answers.map(({ body }) => body.data);
      assert.deepEqual(told.map(({ fresh }) => fresh).toSorted(), [false, false, true]);
      assert.equal(new Set(told.map(({ transfer_id }) => transfer_id)).size, 1);
      assert.ok(told.every(({ invoice_id }) => invoice_id === id));
    }
  });

  it("two transfers for one payment at once: one credits, the other waits", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { wallet, amount } = await order(door(round), { amount: 5000 + round });
      const answers = await Promise.all([0, 1].map((n) => arrive(door(n), { wallet, amount })));
      const states = answers.map(({ body }) => body.data.state).toSorted();
      assert.deepEqual(states, ["matched", "suspense"]);
    }
  });

  it("two workers, one job: captured twice (medusa #13301)", async () => {
    for (let n = 0; n < 15; n += 1) await paidOrder(door(n), { amount: 6000 + n });
    const before = await available();
    clock.advance(DAY);
    // The three gateways' own loops and these runs all go for the same freezes.
    await Promise.all(
      Array.from({ length: 9 }, async (_, n) => {
        while ((await releaseFreezesJob.run(appOf(n))) > 0);
      }),
    );
    await pass(door(0), 0);
    const gained = (await available()) - before;
    const [row] = await app.db.query<{ sum: bigint }>(
      `select sum(credited_minor)::bigint as sum from payments
       where amount_minor between 600000 and 602900`,
    );
    assert.equal(gained, row?.sum);
  });

  it("assign ‖ assign and assign ‖ return: one of them, and the other hears why", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, wallet, amount } = await order(door(round), { amount: 7000 + round });
      const odd = await arrive(door(0), { wallet, amount: amount + 0.5 });
      const transferId: string = odd.body.data.transfer_id;
      const [payment] = await app.db.query<{ id: string }>(
        "select id from payments where invoice_id = $1",
        [id],
      );
      const paymentId = payment?.id ?? "";
      const assign = (n: number) =>
        appOf(n).db.transaction((tx) =>
          assignTransfer(tx, appOf(n), { transferId, paymentId, ...operator }),
        );
      const giveBack = (n: number) =>
        appOf(n).db.transaction((tx) => returnTransfer(tx, appOf(n), { transferId, ...operator }));
      const all = await outcomes([assign(0), round % 2 === 0 ? assign(1) : giveBack(1)]);
      assert.deepEqual(all.toSorted(), ["done", "transfer_settled"]);
    }
  });

  it("money ‖ lapse, money ‖ expiry: booked once whoever comes first", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, wallet, amount } = await order(door(round), { amount: 8000 + round, expire: 20 });
      clock.advance(20 * 60);
      const [arrived] = await Promise.all([
        arrive(door(1), { wallet, amount }),
        pass(door(0), 0),
        pass(door(2), 0),
      ]);
      assert.deepEqual(arrived?.body.data.invoice_id, id);
      assert.equal(arrived?.body.data.state, "matched");
    }
  });

  it("expiry does not give the reservation back; deadlocks at load (mojaloop #868, #4021)", async () => {
    await app.db.query("update requisite_usage set max_live_payments = live_payments + 4");
    for (let round = 0; round < 2; round += 1) {
      const created = await Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          createInvoice(door(n), { amount: 9000 + round * 100 + n, expire: 20 }),
        ),
      );
      const answers = await Promise.all(
        created.flatMap(({ body }, n) => [
          createH2h(door(n), body.data.id, { payment_data: { bank: n % 2 ? "sber" : "tinkoff" } }),
          ...(n % 8 === 0 ? [pass(door(n), 0)] : []),
        ]),
      );
      const statuses = answers.map(({ status }) => status);
      assert.deepEqual(new Set(statuses), new Set([200, 422]), "no deadlock shows as a 500");
      clock.advance(20 * 60);
      await pass(door(0), 0);
      const [row] = await app.db.query<{ live: number }>(
        "select sum(live_payments)::integer as live from requisite_usage",
      );
      assert.equal(row?.live, 0, "every reservation is back");
    }
    await app.db.query("update requisite_usage set max_live_payments = 1000");
  });
});

onEachEngine("one actor", (engine) => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway(engine);
  });
  after(() => gateway.stop());
  beforeEach(() => pass(gateway, 3 * DAY));
  afterEach(async () => {
    await pass(gateway, 0);
    await assertBooksAreRight(gateway);
  });

  it("no guard when a shared receiver's amount is given out (BEpusdt #195)", async () => {
    const slots = new Set<string>();
    for (let n = 0; n < 9; n += 1) {
      const { wallet, amount } = await order(gateway);
      slots.add(`${wallet} ${amount}`);
    }
    assert.equal(slots.size, 9);
  });

  it("the (receiver, amount) pair was reused at once after expiry: late money went to a stranger (gmpay-edge #5)", async () => {
    const first = await order(gateway, { expire: 20 });
    await pass(gateway, 20 * 60);
    const strangers = [await order(gateway), await order(gateway), await order(gateway)];
    // One of them has live details a kopeck away on the same card: it may be a slip of theirs, too.
    const late = await arrive(gateway, { wallet: first.wallet, amount: first.amount });
    assert.deepEqual([late.body.data.state, late.body.data.invoice_id], ["suspense", null]);
    for (const { id } of strangers) {
      const [row] = await gateway.app.db.query<{ state: string }>(
        "select state from invoices where id = $1",
        [id],
      );
      assert.equal(row?.state, "pending");
    }
    await pass(gateway, 20 * 60);
    const later = await arrive(gateway, { wallet: first.wallet, amount: first.amount });
    assert.equal(later.body.data.invoice_id, first.id);
  });

  it("yesterday's statement line paid whoever holds the amount today (our own, 0.1)", async () => {
    const friday = await order(gateway, { amount: 1_234 });
    await pass(gateway, 5 * 60);
    const madeAt = gateway.app.clock.now().toISOString();
    await pass(gateway, DAY + 16 * 60);
    // The quarantine has been over for a minute: somebody else is given the same card and amount.
    let monday = await order(gateway, { amount: 1_234 });
    for (let n = 0; n < 6 && monday.wallet !== friday.wallet; n += 1) {
      monday = await order(gateway, { amount: 1_234 });
    }
    assert.deepEqual([monday.wallet, monday.amount], [friday.wallet, friday.amount]);
    const { wallet, amount } = friday;
    const told = await gateway.call("/manage/transfers", {
      body: { wallet, amount, reference: "Friday's line", made_at: madeAt },
      headers: OPERATOR,
    });
    assert.equal(told.body.data.invoice_id, friday.id, told.text);
    const own = await arrive(gateway, { wallet, amount });
    assert.equal(own.body.data.invoice_id, monday.id);
    await assertBooksAreRight(gateway);
  });

  it("a bank's clock that is behind paid whoever had the amount before (our own)", async () => {
    const before = await order(gateway, { amount: 1_357 });
    await pass(gateway, DAY + 20 * 60 + 1);
    let holder = await order(gateway, { amount: 1_357 });
    for (let n = 0; n < 6 && holder.wallet !== before.wallet; n += 1) {
      holder = await order(gateway, { amount: 1_357 });
    }
    assert.deepEqual([holder.wallet, holder.amount], [before.wallet, before.amount]);
    await pass(gateway, 60);
    const { wallet, amount } = holder;
    const paidAt = gateway.app.clock.now().getTime();
    const tell = async (behindSeconds: number) => {
      const made_at = new Date(paidAt - behindSeconds * 1000).toISOString();
      const reference = `behind by ${behindSeconds}`;
      const body = { wallet, amount, reference, made_at };
      return (await gateway.call("/manage/transfers", { body, headers: OPERATOR })).body.data;
    };
    for (const behindSeconds of [75, 120, 290]) {
      const { state, suspense_reason } = await tell(behindSeconds);
      assert.deepEqual([state, suspense_reason], ["suspense", "contested"], `${behindSeconds} s`);
    }
    assert.equal((await tell(0)).invoice_id, holder.id);
    await assertBooksAreRight(gateway);
  });

  it("one SMS proved two payments (OwnPay #162, #164, #180)", async () => {
    const one = await order(gateway);
    const two = await order(gateway);
    const proof = { wallet: one.wallet, amount: one.amount, reference: "sms 1" };
    const first = await arrive(gateway, proof);
    assert.equal(first.body.data.invoice_id, one.id);
    const again = await arrive(gateway, proof);
    assert.deepEqual(again.body.data, { ...first.body.data, fresh: false });
    const [row] = await gateway.app.db.query<{ state: string }>(
      "select state from invoices where id = $1",
      [two.id],
    );
    assert.equal(row?.state, "pending");
  });

  it("two transfers for one payment in one set: the first credits, the second waits, another amount is refused", async () => {
    const { id, wallet, amount } = await order(gateway);
    const [requisite] = await gateway.app.db.query<{ id: string }>(
      "select requisite_id as id from payments where invoice_id = $1",
      [id],
    );
    assert.ok(requisite && wallet);
    const arrival = (reference: string) => ({
      requisiteId: requisite.id,
      currency: "RUB",
      amountMinor: BigInt(Math.round(amount * 100)),
      reference,
      payer: null,
    });
    const other = { ...arrival("set 1"), amountMinor: 1n };
    const set = [arrival("set 1"), arrival("set 2"), arrival("set 1"), other];
    const outcomes = await gateway.app.db.transaction((tx) =>
      acceptTransfers(tx, gateway.app, set),
    );
    assert.deepEqual(
      outcomes.map((one) =>
        one instanceof Error
          ? one.message
          : [one.transfer.state, one.transfer.invoice_id, one.fresh],
      ),
      [
        ["matched", id, true],
        ["suspense", null, true],
        ["matched", id, false],
        "transfer_reference_taken",
      ],
    );
  });

  it("fees in floating point, one cent off (rafiki, killbill #1125)", async () => {
    const receiver = await openReceiver();
    for (const amount of [100.01, 100.1, 333.33, 1234.57, 99_999.99]) {
      const {
        id,
        wallet,
        amount: toPay,
      } = await order(gateway, {
        amount,
        hook_url: receiver.url,
      });
      await arrive(gateway, { wallet, amount: toPay });
      await pass(gateway, 0);
      const minor = BigInt(Math.round(amount * 100));
      const total = (minor * 60_000n + 999_999n) / 1_000_000n;
      const payer = (minor * 20_000n + 999_999n) / 1_000_000n;
      const told = receiver.received.find(({ body }) => body.invoice_id === id);
      const [booked] = await gateway.app.db.query<Record<string, bigint>>(
        `select received_minor, credited_minor, fee_minor from payments where invoice_id = $1`,
        [id],
      );
      assert.deepEqual(booked, {
        received_minor: minor + payer,
        credited_minor: minor + payer - total,
        fee_minor: total,
      });
      assert.equal(told?.body.credited.replace(".", ""), String(minor + payer - total));
    }
    await receiver.close();
  });

  it("a webhook queue blocked silently behind a failing one (btcpayserver #3146)", async () => {
    const failing = await openReceiver();
    const healthy = await openReceiver();
    failing.answer(500);
    for (let n = 0; n < 5; n += 1) {
      await paidOrder(gateway, { hook_url: failing.url });
      await paidOrder(gateway, { hook_url: healthy.url });
    }
    await pass(gateway, 0);
    assert.equal(healthy.received.length, 5);
    assert.ok(failing.received.length >= 5);
    await failing.close();
    await healthy.close();
  });
});
