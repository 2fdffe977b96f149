// A requisite that counts for a day to come: put back to today with what today has, at once with its
// payments; the limits of the day hold again, and the books are right then and when that day is there.

import assert from "node:assert/strict";
import { it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { createH2h, createInvoice } from "../../../test/cast.ts";
import { manage } from "../../../test/manage.ts";
import { openQuietGateway } from "../../../test/one-gateway.ts";
import { DAY, HOUR, orders } from "../../../test/orders.ts";
import { jobs } from "../jobs.ts";

const AHEAD = 400 * DAY;

const { gateway } = await openQuietGateway();
const { items } = await manage(gateway).get("requisites?bank=sber");
// One is left, which takes six payments a day.
for (const [index, { requisite_id: id }] of items.entries()) {
  const change = index === 0 ? { max_day_payments: 6 } : { enabled: false };
  await manage(gateway).post(`requisites/${id}`, change);
}

let amount = 1000;
const ask = async (): Promise<number> => {
  amount += 1;
  const { body } = await createInvoice(gateway, { amount });
  return (await createH2h(gateway, body.data.id)).status;
};
const ask5 = async () => [await ask(), await ask(), await ask(), await ask(), await ask()];
const run = async (...names: string[]) => {
  const chosen = jobs.filter(({ name }) => names.includes(name));
  for (const job of chosen) while ((await job.run(gateway.app)) > 0);
};
/** Nothing that jobs have to do is left for later. */
const assertRight = async () => {
  await run("lapse-payments", "expire-invoices");
  await assertBooksAreRight(gateway);
};
const day = async () => {
  const [row] = await gateway.app.db.query(
    "select day, day_payments from requisites join requisite_usage on requisite_id = id where enabled and bank = 'sber'",
  );
  return row;
};

it("a moment 400 days ahead takes no requisite's day limits away, nor its days", async () => {
  const trade = orders(gateway);
  await trade.pay(await trade.order({ amount: 5000 }));
  await trade.pay(await trade.order({ amount: 5001 }));
  gateway.clock.advance(AHEAD);
  await trade.pay(await trade.order({ amount: 5002 }));
  gateway.clock.advance(-AHEAD);
  await run("put-back-days");
  // Two before, and the one that was counted for the other day.
  assert.deepEqual(await day(), { day: "2026-03-01", day_payments: 3 });
  assert.deepEqual(await ask5(), [200, 200, 200, 422, 422]);
  await assertRight();
  gateway.clock.advance(DAY);
  assert.deepEqual(await ask(), 200);
  assert.deepEqual(await day(), { day: "2026-03-02", day_payments: 1 });
  await assertRight();
  gateway.clock.advance(AHEAD - DAY);
  assert.deepEqual(await ask(), 200);
  await assertRight();
});

it("leaves a day alone that another clock has begun around midnight", async () => {
  gateway.clock.advance(11 * HOUR + 59 * 60 + 59 - 5);
  assert.equal(await ask(), 200);
  const before = await day();
  gateway.clock.advance(-2);
  await run("put-back-days");
  assert.deepEqual(await day(), before);
});
