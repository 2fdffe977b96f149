// GET /manage/hook-tallies, /cabinet/hook-tallies: an event is heard at once, later or not so far, and once, also
// where its hour has been closed and it is sent again.

import assert from "node:assert/strict";
import { after, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { LINK_SHOP, SHOP } from "../../../test/cast.ts";
import { hire, owners } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { HOUR, MINUTE } from "../../../test/orders.ts";
import { untilFree } from "../../../test/patience.ts";
import { openReceiver } from "../../../test/receiver.ts";
import { foldTallies, foldTalliesJob } from "./fold-tallies.job.ts";

const { gateway, own, trade } = await openOneGateway();
const receiver = await openReceiver();
after(() => receiver.close());

/** Paid, and told to who answers so. */
async function told(status: number): Promise<string> {
  receiver.answer(status);
  const order = await trade.order({ hook_url: receiver.url });
  await trade.pay(order);
  await trade.pass(0);
  return order.id;
}

type Day = Record<"told" | "heard_at_once" | "heard_later" | "not_heard" | "p95_ms", number>;

async function figures(door: { get: typeof own.get } = own, query = ""): Promise<number[]> {
  const { items } = await door.get(`hook-tallies?from=2026-03-01&to=2026-03-02${query}`);
  const [day]: Day[] = items;
  return [day?.told ?? -1, day?.heard_at_once ?? -1, day?.heard_later ?? -1, day?.not_heard ?? -1];
}

it("200: each event in one of three, whoever counts in however small sets, and none twice", async () => {
  const heard = await told(200);
  await told(500);
  receiver.answer(200);
  await trade.pass(10);
  await told(500);
  await trade.pay(await trade.order());
  assert.deepEqual(await figures(), [0, 0, 0, 0], "nothing before a minute has passed");
  gateway.clock.advance(MINUTE);
  for (let turn = 0; turn < 40; turn += 1) {
    await Promise.all([1, 2].map(() => foldTallies(gateway.app, "skip", 1)));
  }
  assert.deepEqual(await figures(), [3, 1, 1, 1]);
  await trade.pass(2 * HOUR);
  assert.deepEqual(await figures(), [3, 1, 1, 1]);
  await assertBooksAreRight(gateway);
  // After its hour was closed: the one that waits is heard, and one that was heard is told once more.
  receiver.answer(200);
  const { items } = await own.get(`events?invoice_id=${heard}`);
  await own.post(`events/${items[0].event_id}/send`, {});
  await trade.pass(6 * HOUR);
  assert.deepEqual(await figures(), [3, 1, 2, 0]);
  await assertBooksAreRight(gateway);
});

it("200: of a shop, and of a merchant's own; how payouts were told is for who sees payouts", async () => {
  const { mine, theirs } = await owners(gateway);
  assert.deepEqual(await figures(own, `&shop_id=${SHOP.id}`), [3, 1, 2, 0]);
  assert.deepEqual(await figures(own, `&shop_id=${LINK_SHOP.id}`), [0, 0, 0, 0]);
  assert.deepEqual(await figures(mine), [3, 1, 2, 0]);
  assert.deepEqual(await figures(mine, "&about=payouts"), [0, 0, 0, 0]);
  assert.deepEqual(await figures(theirs), [0, 0, 0, 0]);
  assert.equal((await theirs.refused(`hook-tallies?shop_id=${SHOP.id}`))[0], 404);
  const developer = await hire(gateway, "developer");
  assert.deepEqual(await figures(developer.own), [3, 1, 2, 0]);
  assert.equal((await developer.own.refused("hook-tallies?about=payouts"))[0], 403);
});

it("200: a period that goes to the calendar's end ends there, whoever asks", async () => {
  const { own: support } = await hire(gateway, "support");
  const end = "from=9999-12-01&to=9999-12-31T00:00:00Z";
  for (const door of [own, support]) {
    const { items } = await door.get(`hook-tallies?${end}`);
    assert.deepEqual([items.length, items.at(-1)?.day], [31, "9999-12-31"]);
  }
  for (const door of ["tallies?by=day", "pay-speeds?currency=RUB", "suspense-flows?currency=RUB"]) {
    assert.equal((await own.get(`${door}&${end}`)).items.length, 31, door);
  }
});

it("200: how long 19 of 20 answers took, within 12 %", async () => {
  await gateway.app.db.query(
    `insert into deliveries (event_id, attempt, started_at, status, duration_ms)
     select id, 50 + n, created_at + interval '1 hour', 500, case when n <= 90 then 100 else 9000 end
     from (select id, created_at from events order by id limit 1) event, generate_series(1, 100) n`,
  );
  await gateway.app.db.query(
    "update tally_marks set up_to = first_id_at('2026-03-01Z') where source = 'deliveries'; delete from hook_tallies where speed >= 0",
  );
  await untilFree(async () => foldTalliesJob.due?.settle(gateway.app));
  const { items } = await own.get("hook-tallies?from=2026-03-01&to=2026-03-02");
  assert.ok(Math.abs(items[0].p95_ms / 9000 - 1) < 0.13, items[0].p95_ms);
});
