// GET /manage/tallies: a small life, and the figures are what was done in it, by whatever they are asked for.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { createInvoice, LINK_SHOP, OTHER_SHOP, SHOP } from "../../../test/cast.ts";
import { onOneEngine, openTestGateway, type TestGateway } from "../../../test/gateway.ts";
import { type Manage, manage } from "../../../test/manage.ts";
import { DAY, HOUR, MINUTE, NOBODY, orders } from "../../../test/orders.ts";

const NOTHING = {
  ...{ created: 0, issued: 0, paid: 0, cohort_paid: 0, late: 0, received: 0, credited: 0 },
  ...{ fee: 0, refunds: 0, refunded: 0 },
};

onOneEngine("GET /manage/tallies", (engine) => {
  let gateway: TestGateway;
  let own: Manage;
  before(async () => {
    gateway = await openTestGateway(engine);
    own = manage(gateway);
    const trade = orders(gateway);
    // 12:00 of the first of March in Moscow: 1,000 at once, 2,000 late, 3,000 after somebody has looked.
    const first = await trade.order({ amount: 1000 });
    await trade.pass(100);
    await trade.pay(first);
    const late = await trade.order({ amount: 2000, expire: 2 * HOUR });
    await trade.pass(HOUR);
    const { state } = await trade.pay(late);
    assert.equal(state, "matched");
    const looked = await trade.order({ amount: 3000, expire: 2 * HOUR });
    const { transfer_id } = await trade.pay(looked, { amount: looked.amount - 1 });
    await trade.order({ amount: 4000 }, OTHER_SHOP);
    const choice = { type: "link", include_service: ["p2p_card", "p2p_sbp"] };
    assert.equal((await createInvoice(gateway, choice, LINK_SHOP)).status, 200);
    // The second of March.
    await trade.pass(DAY);
    const assigned = { payment_id: looked.paymentId, reason: "seen" };
    await own.post(`transfers/${transfer_id}/assign`, assigned);
    await trade.pass(DAY);
    await own.post("refunds", { invoice_id: first.id, amount: 10.5, reason: "x" });
    await trade.pass(2 * MINUTE);
  });
  after(async () => {
    await assertBooksAreRight(gateway);
    await gateway.stop();
  });

  it("200: each day has what was done on it, and one with nothing has zeros", async () => {
    const { items, as_of } = await own.get("tallies?from=2026-02-28&to=2026-03-05");
    assert.equal(as_of, new Date(gateway.app.clock.now().getTime() - 60_000).toISOString());
    assert.deepEqual(items, [
      { key: "2026-02-28", ...NOTHING },
      {
        ...{ key: "2026-03-01", created: 5, issued: 4, paid: 2, cohort_paid: 3, late: 1 },
        ...{ received: 3060, credited: 2880, fee: 180, refunds: 0, refunded: 0 },
      },
      { ...NOTHING, key: "2026-03-02", paid: 1, received: 3059, credited: 2879, fee: 180 },
      { ...NOTHING, key: "2026-03-03", refunds: 1, refunded: 10.5 },
      { key: "2026-03-04", ...NOTHING },
    ]);
  });

  it("200: one shop's hours, in UTC and from the whole hour on", async () => {
    const asked = `from=2026-03-01T09:30Z&to=2026-03-01T12:00Z&by=hour&shop_id=${SHOP.id}`;
    const { items } = await own.get(`tallies?${asked}`);
    const short = items.map((one: typeof NOTHING & { key: string }) => {
      return [one.key, one.created, one.paid, one.cohort_paid, one.received];
    });
    assert.deepEqual(short, [
      ["2026-03-01T09:00:00.000Z", 2, 1, 2, 1020],
      ["2026-03-01T10:00:00.000Z", 1, 1, 1, 2040],
      ["2026-03-01T11:00:00.000Z", 0, 0, 0, 0],
    ]);
  });

  it("200: by shop, by method, and by the hours of a week", async () => {
    const keysOf = async (by: string) =>
      (await own.get(`tallies?from=2026-03-01&by=${by}`)).items
        .filter(({ created, issued }: typeof NOTHING) => created + issued > 0)
        .map((one: typeof NOTHING & { key: string }) => [one.key, one.created, one.issued]);
    assert.deepEqual(await keysOf("shop"), [
      [SHOP.id, 3, 3],
      [LINK_SHOP.id, 1, 0],
      [OTHER_SHOP.id, 1, 1],
    ]);
    assert.deepEqual(await keysOf("service"), [
      ["p2p_card", 4, 4],
      ["", 1, 0],
    ]);
    const banks = await own.get("tallies?from=2026-03-01&by=bank");
    assert.deepEqual(banks.items, [{ ...NOTHING, key: "sber", paid: 3, received: 6119 }]);
    // The first of March is a Sunday, and it is three hours later in Moscow.
    assert.deepEqual(await keysOf("weekday_hour"), [
      ["7-12", 2, 2],
      ["7-13", 3, 2],
    ]);
    const week = await own.get("tallies?from=2026-03-01&by=weekday_hour");
    assert.equal(week.items.length, 7 * 24);
  });

  it("200: of a currency or a shop that nobody knows there is nothing, for thirty days by default", async () => {
    for (const asked of ["currency=USD", `shop_id=${NOBODY}`]) {
      const { items } = await own.get(`tallies?${asked}`);
      assert.equal(items.length, 31);
      for (const { key, ...one } of items) assert.deepEqual(one, NOTHING, key);
    }
  });

  it("422: a period that ends before it begins, or is too long", async () => {
    for (const asked of ["from=2026-03-02&to=2026-03-02", "from=2025-01-01&to=2026-01-01"]) {
      for (const door of ["tallies", "pay-speeds"]) {
        const [status, words] = await own.refused(`${door}?${asked}`);
        assert.deepEqual([status, String(words).includes("at most 92 days")], [422, true]);
      }
    }
    assert.equal((await own.get("tallies?from=2026-01-01&to=2026-04-03")).items.length, 92);
  });
});

onOneEngine("GET /manage/tallies by shop, of ever other periods", (engine) => {
  it("200: who asks again soon is told the same, until a hundred others have been asked for", async () => {
    const gateway = await openTestGateway(engine);
    try {
      const own = manage(gateway);
      const asOf = async (fromSecond: number): Promise<string> => {
        const from = new Date(Date.parse("2026-02-20T00:00:00Z") + fromSecond * 1000);
        return (await own.get(`tallies?by=shop&from=${from.toISOString()}`)).as_of;
      };
      const first = await asOf(0);
      await orders(gateway).pass(30);
      assert.equal(await asOf(0), first);
      let last = "";
      for (let second = 1; second <= 100; second += 1) last = await asOf(second);
      await orders(gateway).pass(10);
      assert.equal(await asOf(100), last, "the newest are kept");
      assert.notEqual(await asOf(0), first, "and the oldest is not, however many they are");
    } finally {
      await gateway.stop();
    }
  });
});

onOneEngine("GET /manage/tallies where a day begins within an hour of UTC", (engine) => {
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
      type Item = { key: string; created: number };
      const told = async (query: string): Promise<Item[]> =>
        (await own.get(`tallies?${query}`)).items;
      const sum = (items: Item[]) => items.reduce((all, { created }) => all + created, 0);
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
        for (const by of ["day", "hour", "weekday_hour", "service"]) {
          const items = await told(`from=${day}&to=${next}&by=${by}`);
          assert.equal(sum(items), created, `${day} by ${by}`);
          if (by === "hour") assert.equal(items.length, 24);
        }
      }
      const week = await told("from=2026-03-01&to=2026-03-03&by=weekday_hour");
      assert.deepEqual(
        week.filter(({ created }) => created > 0).map(({ key, created }) => [key, created]),
        [
          ["1-00", 1],
          ["7-23", 2],
        ],
      );
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
      const { items } = await own.get("details-tallies?from=2026-03-02&to=2026-03-03");
      assert.deepEqual([items.length, items[0].key], [24, "2026-03-01T19:00:00.000Z"]);
    } finally {
      await gateway.stop();
    }
  });
});
