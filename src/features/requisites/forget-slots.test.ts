// Slots whose time was over long ago go; those that are held stay, and late money still finds its payment.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { onEachEngine, openTestGateway, type TestGateway } from "../../../test/gateway.ts";
import { manage } from "../../../test/manage.ts";
import { DAY, type Order, type Orders, orders } from "../../../test/orders.ts";
import { forget, keeping } from "../../../test/retention.ts";

onEachEngine("the job forget-slots", (engine) => {
  let gateway: TestGateway;
  let trade: Orders;
  let lapsed: Order;
  let live: Order;
  before(async () => {
    gateway = await openTestGateway(engine, keeping({ slots: 2 }));
    trade = orders(gateway);
  });
  after(() => gateway.stop());

  const holders = async (): Promise<string[]> => {
    const rows = await gateway.app.db.query<{ payment_id: string }>(
      "select payment_id from slots order by payment_id",
      [],
    );
    return rows.map(({ payment_id }) => payment_id);
  };

  it("removes them so many days after the end of the quarantine, and no other", async () => {
    lapsed = await trade.order({ amount: 1000 });
    const made = trade.now();
    await trade.pass(3 * DAY);
    await forget(gateway, "forget-slots");
    assert.deepEqual(await holders(), [lapsed.paymentId], "a day of quarantine, and then two");
    await trade.pass(DAY);
    live = await trade.order({ amount: 2000 });
    await forget(gateway, "forget-slots");
    assert.deepEqual(await holders(), [live.paymentId]);
    await assertBooksAreRight(gateway);
    await trade.pay(lapsed, { made_at: made });
    const { invoice } = await manage(gateway).get(`invoices/${lapsed.id}`);
    assert.equal(invoice.state, "paid", "late money finds its payment without a slot");
    await assertBooksAreRight(gateway);
  });

  it("is refused by the database for live details", async () => {
    const { db } = gateway.app;
    await assert.rejects(db.query("delete from slots"), /append-only/);
  });
});
