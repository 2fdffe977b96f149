// Slots whose time was over long ago go; those that are held stay, and late money still finds its payment.

import assert from "node:assert/strict";
import { it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY } from "../../../test/orders.ts";
import { forget, keeping } from "../../../test/retention.ts";

const { gateway, own, trade } = await openOneGateway(keeping({ slots: 2 }));

const holders = async (): Promise<string[]> => {
  const rows = await gateway.app.db.query<{ payment_id: string }>(
    "select payment_id from slots order by payment_id",
    [],
  );
  return rows.map(({ payment_id }) => payment_id);
};

it("removes them so many days after the end of the quarantine, and no other", async () => {
  const lapsed = await trade.order({ amount: 1000 });
  const made = trade.now();
  await trade.pass(3 * DAY);
  await forget(gateway, "forget-slots");
  assert.deepEqual(await holders(), [lapsed.paymentId], "a day of quarantine, and then two");
  await trade.pass(DAY);
  const live = await trade.order({ amount: 2000 });
  await forget(gateway, "forget-slots");
  assert.deepEqual(await holders(), [live.paymentId]);
  await assertBooksAreRight(gateway);
  await trade.pay(lapsed, { made_at: made });
  const { invoice } = await own.get(`invoices/${lapsed.id}`);
  assert.equal(invoice.state, "paid", "late money finds its payment without a slot");
  await assertBooksAreRight(gateway);
});

it("is refused by the database for live details", async () => {
  const { db } = gateway.app;
  await assert.rejects(db.query("delete from slots"), /append-only/);
});
