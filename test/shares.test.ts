// Nobody closes a card or a price for others: shops, users and payers hold no more than their share, what
// is thrown away is not kept for a day, and late money that may be somebody else's slip is nobody's gain.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, it } from "node:test";
import { assertBooksAreRight } from "./books.ts";
import {
  type CastShop,
  createH2h,
  createInvoice,
  LINK_SHOP,
  OTHER_SHOP,
  SHOP,
  URLS_SHOP,
} from "./cast.ts";
import { onOneEngine, openTestGateway, type TestGateway } from "./gateway.ts";
import { DAY, HOUR, MINUTE, type Orders, orders } from "./orders.ts";

const CARD = "2202200000000007";

onOneEngine("shares", (engine) => {
  let gateway: TestGateway;
  let trade: Orders;
  before(async () => {
    gateway = await openTestGateway(engine, { trustedProxies: ["127.0.0.1"] });
    trade = orders(gateway);
    await enable("receiver_name = 'Иван И.'");
    await sql("update shops set hook_url = null");
  });
  after(async () => {
    await assertBooksAreRight(gateway);
    await gateway.stop();
  });
  // Past every quarantine: each test finds the one card that is left free.
  beforeEach(() => trade.pass(2 * DAY));

  const sql = <Row>(text: string) => gateway.app.db.query<Row>(text);
  const enable = (which: string) =>
    sql(`update requisite_usage set enabled = ${which} from requisites
         where requisites.id = requisite_id`);

  const invoice = async (shop: CastShop, amount: number): Promise<string> => {
    const created = await createInvoice(gateway, { amount, expire: 60 }, shop);
    assert.equal(created.status, 200, created.text);
    return created.body.data.id;
  };
  const ask = async (shop: CastShop, amount: number) =>
    createH2h(gateway, await invoice(shop, amount), {}, shop);
  /** How many of so many got details, one after another or at once. */
  const askOften = async (
    count: number,
    shop: CastShop,
    amount: (turn: number) => number,
    atOnce = 20,
  ) => {
    const turns = Array.from({ length: count }, (_, turn) => turn);
    const ids = await Promise.all(turns.map((turn) => invoice(shop, amount(turn))));
    let issued = 0;
    while (ids.length > 0) {
      const asked = ids.splice(0, atOnce).map((id) => createH2h(gateway, id, {}, shop));
      for (const { status, body } of await Promise.all(asked)) {
        if (status === 200) issued += 1;
        else assert.match(body.error[0], /holds too many payment details already/);
      }
    }
    return issued;
  };

  it("one shop cannot close an amount for the others", async () => {
    assert.equal(await askOften(105, SHOP, () => 1000), 80);
    // 1020.00 is what both ask for; the other user's shop finds room within the nudge.
    const answer = await ask(OTHER_SHOP, 1000);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.data.amount, "1020.80");
  });

  it("nor by amounts that are each other's neighbours, from below or from above", async () => {
    for (const [price, amount] of [
      [2000, (turn: number) => (204_000 + turn) / 100],
      [3000, (turn: number) => (306_099 - turn) / 100],
    ] as const) {
      await askOften(100, URLS_SHOP, amount);
      // What the other user's shop asks for is the first of those hundred amounts.
      const answer = await ask(OTHER_SHOP, price);
      assert.equal(answer.status, 200, answer.text);
      const [range] = await sql<{ held: number }>(
        `select count(*)::integer as held from slots slot join payments on payments.id = payment_id
         where slot.amount_minor between ${price * 102} and ${price * 102 + 99}
           and slot.shop_id = '${URLS_SHOP.id}'`,
      );
      assert.equal(range?.held, 80);
    }
  });

  it("the shops of one user leave room for another user's", async () => {
    assert.equal(await askOften(85, URLS_SHOP, () => 1020), 80);
    assert.equal(await askOften(85, SHOP, () => 1000), 10);
    assert.equal((await ask(OTHER_SHOP, 1000)).status, 200);
  });

  const tens = (turn: number) => 1000 + 10 * turn;
  /** What a card's limit is, of how many wishes one shop's are met, and how many of them come at once. */
  const LIMITS: readonly [
    name: string,
    limit: string,
    wishes: number,
    met: number,
    amount: (turn: number) => number,
    atOnce?: number,
  ][] = [
    ["thirty details do not close a card", "max_live_payments = 30", 35, 24, tens],
    ["of few places one is left", "max_live_payments = 4", 6, 3, tens],
    ["asked for at once it is no more", "max_live_payments = 10", 40, 8, tens, 40],
    // To pay 96,900 each: eight of them are within four fifths of a million, ten within the limit.
    [
      ...(["nor do large ones use up a day", "max_day_sum_minor = 100000000", 12, 8] as const),
      (turn) => 95_000 + turn,
    ],
    // Two of them are its share to the kopeck; but of one price the second is raised.
    ["nor by a kopeck", "max_day_sum_minor = 24225000", 2, 1, () => 95_000, 1],
  ];

  for (const [name, limit, wishes, met, amount, atOnce] of LIMITS) {
    it(`of one card, by one shop: ${name} (${limit})`, async () => {
      await sql(`update requisite_usage set ${limit} where enabled`);
      try {
        assert.equal(await askOften(wishes, SHOP, amount, atOnce), met);
        assert.equal((await ask(OTHER_SHOP, 90_000)).status, 200);
        // And what lapses makes room again.
        await trade.pass(21 * MINUTE);
        assert.equal((await ask(SHOP, 7000)).status, 200);
      } finally {
        await sql(`update requisite_usage
          set max_live_payments = 1000, max_day_sum_minor = 100000000000000 where enabled`);
      }
    });
  }

  const click = async (address: string, amount = 1000): Promise<number> => {
    const created = await createInvoice(gateway, { type: "link", amount }, LINK_SHOP);
    const answer = await fetch(`${gateway.url}/pay/${created.body.data.id}`, {
      method: "POST",
      redirect: "manual",
      headers: { "x-forwarded-for": address },
      body: new URLSearchParams({ service: "p2p_card", bank: "sber" }),
    });
    if (answer.status === 422)
      assert.match(await answer.text(), /Too many payments are open at this moment/);
    return answer.status;
  };

  it("one payer's address holds a fifth of an amount on the page, however many orders it makes", async () => {
    const statuses: number[] = [];
    for (let turn = 0; turn < 25; turn += 1) statuses.push(await click("5.255.255.70"));
    assert.equal(statuses.filter((status) => status === 303).length, 20);
    assert.equal(statuses.at(-1), 422);
    assert.equal(await click("77.88.8.8"), 303);
    // Of IPv6 a whole network of 64 bits is one payer.
    for (let turn = 0; turn < 20; turn += 1) {
      assert.equal(await click(`2a02:6b8::${turn + 1}`, 3000), 303);
    }
    assert.equal(await click("2a02:6b8::ffff:1", 3000), 422);
    assert.equal(await click("2a02:6b8:0:1::1", 3000), 303);
  });

  it("payers behind the operator's own proxy are not taken for one", async () => {
    for (let turn = 0; turn < 25; turn += 1) assert.equal(await click("10.0.0.7"), 303);
  });

  it("details that were replaced after a minute hold their slot for what was promised, not for a day", async () => {
    await enable("receiver_name = 'Иван И.' or bank = 'tinkoff'");
    try {
      const created = await createInvoice(gateway, { amount: 4000, expire: 7200 }, OTHER_SHOP);
      const { id } = created.body.data;
      const h2h = (bank: string) => createH2h(gateway, id, { payment_data: { bank } }, OTHER_SHOP);
      const first = await h2h("sber");
      assert.equal(first.status, 200, first.text);
      gateway.clock.advance(MINUTE);
      assert.equal((await h2h("tinkoff")).status, 200);
      const until = await sql<{ minutes: number }>(
        `select extract(epoch from slot.held_until - payment.created_at)::integer / 60 as minutes
         from payments payment join slots slot on slot.payment_id = payment.id
         where payment.invoice_id = '${id}' order by payment.created_at`,
      );
      // Replaced after one minute: two hours past what was promised; in force: 20 minutes and a day.
      assert.deepEqual(
        until.map(({ minutes }) => minutes),
        [20 + 2 * 60, 20 + 24 * 60],
      );
      // A bank tells an hour late of what was sent in the last minute: nobody else has it meanwhile.
      await trade.pass(HOUR);
      await ask(SHOP, 4000);
      const told = await trade.pay({
        id,
        orderId: "",
        paymentId: "",
        wallet: first.body.data.wallet,
        amount: Number(first.body.data.amount),
      });
      assert.equal(told.invoice_id, told.state === "matched" ? id : null);
    } finally {
      await enable("receiver_name = 'Иван И.'");
    }
  });

  it("late money is held where somebody else has live details within a nudge: it may be their slip", async () => {
    const { pay, pass, order } = trade;
    const squatter = await order({ amount: 1000.01 }, OTHER_SHOP);
    await pass(21 * MINUTE);
    const victim = await order({ amount: 1000 });
    assert.notEqual(victim.amount, squatter.amount);
    assert.equal(victim.wallet, CARD);
    const slip = await pay(victim, { amount: squatter.amount, reference: randomUUID() });
    assert.equal(slip.state, "suspense");
    // Their own money still finds them, and late money that nobody contests is credited as ever.
    assert.equal((await pay(victim)).state, "matched");
    assert.equal((await pay(squatter)).state, "matched");
  });
});
