// GET /manage/statistics: a small life, and its statistics by day, hour, method and shop.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { createInvoice, LINK_SHOP, OTHER_SHOP, SHOP } from "../../../test/cast.ts";
import { onOneEngine, openTestGateway, type TestGateway } from "../../../test/gateway.ts";
import { type Manage, manage } from "../../../test/manage.ts";
import { owners } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, HOUR, MINUTE, NOBODY, orders } from "../../../test/orders.ts";

const NOTHING = {
  created: 0,
  converted: 0,
  expired: 0,
  paid: 0,
  paid_in_time: 0,
  received: 0,
  credited: 0,
  fee: 0,
  refunds: 0,
  refunded: 0,
};
type Item = typeof NOTHING & { key: string };

onOneEngine("GET /manage/statistics", (engine) => {
  let gateway: TestGateway;
  let own: Manage;
  before(async () => {
    gateway = await openTestGateway(engine);
    own = manage(gateway);
    const trade = orders(gateway);
    // 12:00 of the first of March in Moscow: 1,000 at once, 2,000 late, 3,000 after somebody has assigned it.
    const first = await trade.order({ amount: 1000 });
    await trade.pass(100);
    await trade.pay(first);
    const late = await trade.order({ amount: 2000, expire: 2 * HOUR });
    await trade.pass(HOUR);
    const { state } = await trade.pay(late);
    assert.equal(state, "matched");
    const assigned = await trade.order({ amount: 3000, expire: 2 * HOUR });
    const { transfer_id } = await trade.pay(assigned, { amount: assigned.amount - 1 });
    await trade.order({ amount: 4000 }, OTHER_SHOP);
    const choice = { type: "link", include_service: ["p2p_card", "p2p_sbp"] };
    assert.equal((await createInvoice(gateway, choice, LINK_SHOP)).status, 200);
    // The second of March.
    await trade.pass(DAY);
    const wish = { payment_id: assigned.paymentId, reason: "seen" };
    await own.post(`transfers/${transfer_id}/assign`, wish);
    await trade.pass(DAY);
    await own.post("refunds", { invoice_id: first.id, amount: 10.5, reason: "x" });
    await trade.pass(2 * MINUTE);
  });
  after(async () => {
    await assertBooksAreRight(gateway);
    await gateway.stop();
  });

  it("200: each day has what was done on it, and one with nothing has zeros", async () => {
    const { items, total, as_of } = await own.get("statistics?from=2026-02-28&to=2026-03-05");
    assert.equal(as_of, gateway.app.clock.now().toISOString());
    assert.deepEqual(items, [
      { key: "2026-02-28", ...NOTHING },
      {
        key: "2026-03-01",
        created: 5,
        converted: 3,
        expired: 2,
        paid: 2,
        paid_in_time: 1,
        received: 3060,
        credited: 2880,
        fee: 180,
        refunds: 0,
        refunded: 0,
      },
      {
        ...NOTHING,
        key: "2026-03-02",
        paid: 1,
        paid_in_time: 1,
        received: 3059,
        credited: 2879,
        fee: 180,
      },
      { ...NOTHING, key: "2026-03-03", refunds: 1, refunded: 10.5 },
      { key: "2026-03-04", ...NOTHING },
    ]);
    assert.deepEqual(total, {
      created: 5,
      converted: 3,
      expired: 2,
      paid: 3,
      paid_in_time: 2,
      received: 6119,
      credited: 5759,
      fee: 360,
      refunds: 1,
      refunded: 10.5,
    });
  });

  it("200: one shop's hours, in UTC and from the whole hour on", async () => {
    const asked = `from=2026-03-01T09:30Z&to=2026-03-01T12:00Z&by=hour&shop_id=${SHOP.id}`;
    const { items } = await own.get(`statistics?${asked}`);
    const short = items.map((one: Item) => [
      one.key,
      one.created,
      one.paid,
      one.converted,
      one.received,
    ]);
    assert.deepEqual(short, [
      ["2026-03-01T09:00:00.000Z", 2, 1, 2, 1020],
      ["2026-03-01T10:00:00.000Z", 1, 1, 1, 2040],
      ["2026-03-01T11:00:00.000Z", 0, 0, 0, 0],
    ]);
  });

  it("200: by shop and by method, those with most money first", async () => {
    const keysOf = async (by: string) =>
      (await own.get(`statistics?from=2026-03-01&by=${by}`)).items.map((one: Item) => [
        one.key,
        one.created,
        one.received,
      ]);
    assert.deepEqual(await keysOf("shop"), [
      [SHOP.id, 3, 6119],
      [LINK_SHOP.id, 1, 0],
      [OTHER_SHOP.id, 1, 0],
    ]);
    assert.deepEqual(await keysOf("method"), [
      ["p2p_card", 4, 6119],
      ["", 1, 0],
    ]);
  });

  it("200: an unknown currency or shop has nothing, for thirty days by default", async () => {
    for (const asked of ["currency=USD", `shop_id=${NOBODY}`]) {
      const { items, total } = await own.get(`statistics?${asked}`);
      assert.equal(items.length, 31);
      for (const { key, ...one } of items) assert.deepEqual(one, NOTHING, key);
      assert.deepEqual(total, NOTHING);
    }
  });

  it("422: a period that ends before it begins, or is too long", async () => {
    for (const asked of ["from=2026-03-02&to=2026-03-02", "from=2025-01-01&to=2026-01-01"]) {
      const [status, words] = await own.refused(`statistics?${asked}`);
      assert.deepEqual([status, String(words).includes("at most 92 days")], [422, true]);
    }
    assert.equal((await own.get("statistics?from=2026-01-01&to=2026-04-03")).items.length, 92);
  });
});

onOneEngine("GET /manage/statistics where a day begins within an hour of UTC", (engine) => {
  it("200: a day has the same by hours as by days, and every hour is in one day alone", async () => {
    const gateway = await openTestGateway(engine, { timeZone: "Asia/Kolkata" });
    try {
      const own = manage(gateway);
      const trade = orders(gateway);
      const at = async (moment: string, amount: number) => {
        await trade.pass((Date.parse(moment) - gateway.app.clock.now().getTime()) / 1000);
        assert.equal((await createInvoice(gateway, { amount })).status, 200);
      };
      // 23:40 and 00:20 in India, and the first hour that is wholly of the second.
      await at("2026-03-01T18:10:00Z", 1001);
      await at("2026-03-01T18:50:00Z", 1002);
      await at("2026-03-01T19:10:00Z", 1003);
      await trade.pass(2 * DAY);
      const told = async (query: string): Promise<Item[]> =>
        (await own.get(`statistics?${query}`)).items;
      const days = await told("from=2026-03-01&to=2026-03-03");
      assert.deepEqual(
        days.map(({ key, created }) => [key, created]),
        [
          ["2026-03-01", 2],
          ["2026-03-02", 1],
        ],
      );
      for (const [day, next, created] of [
        ["2026-03-01", "2026-03-02", 2],
        ["2026-03-02", "2026-03-03", 1],
      ]) {
        for (const by of ["day", "hour", "method"]) {
          const items = await told(`from=${day}&to=${next}&by=${by}`);
          const sum = items.reduce((all, one) => all + one.created, 0);
          assert.equal(sum, created, `${day} by ${by}`);
          if (by === "hour") assert.equal(items.length, 24);
        }
      }
      // Commands say where a day begins as a moment.
      const [day, moments] = await Promise.all(
        [
          "from=2026-03-02&to=2026-03-03",
          "from=2026-03-01T18:30:00.000Z&to=2026-03-02T18:30:00.000Z",
        ].map((period) => told(`${period}&by=hour`)),
      );
      assert.deepEqual(moments, day);
      // A moment is in the hour that holds it.
      const [first] = await told("from=2026-03-01T18:40:00Z&to=2026-03-01T20:00:00Z&by=hour");
      assert.deepEqual([first?.key, first?.created], ["2026-03-01T18:00:00.000Z", 2]);
    } finally {
      await gateway.stop();
    }
  });
});

it("a merchant's statistics are of all their shops, one of them, and none of another's", async () => {
  const { gateway, own, trade } = await openOneGateway();
  const { mine, theirs } = await owners(gateway);
  await trade.pay(await trade.order({ amount: 1000 }));
  await createInvoice(gateway, { type: "link", amount: 2000 }, LINK_SHOP);
  await trade.pay(await trade.order({ amount: 3000 }, OTHER_SHOP));
  await trade.pass(2 * MINUTE);

  const told = ({ total }: { readonly total: Item }) => [total.created, total.received];

  assert.deepEqual(told(await own.get("statistics")), [3, 4080]);
  assert.deepEqual(told(await mine.get("statistics")), [2, 1020]);
  assert.deepEqual(told(await mine.get(`statistics?shop_id=${LINK_SHOP.id}`)), [1, 0]);
  assert.deepEqual(told(await theirs.get("statistics")), [1, 3060]);
  const { items } = await mine.get("statistics?by=shop");
  assert.deepEqual(
    items.map(({ key }: Item) => key),
    [SHOP.id, LINK_SHOP.id],
  );
});
