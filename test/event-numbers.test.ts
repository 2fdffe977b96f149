// The events of an invoice are numbered by its own count: one by one, whatever happens to it, without a gap
// after something that was rolled back, and without two of one number when two things happen at once.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { findViolations } from "../src/features/ledger/queries.ts";
import { refundInvoice } from "../src/features/refunds/refund.ts";
import { onEachEngine, openTestGateway, type TestGateway } from "./gateway.ts";
import { manage } from "./manage.ts";
import { DAY, HOUR, orders } from "./orders.ts";

onEachEngine("numbers of events", (engine) => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway(engine);
  });
  after(() => gateway.stop());

  const numbered = async (invoiceId: string): Promise<[number, string][]> => {
    const rows = await gateway.app.db.query<{ sequence: number; body: string }>(
      "select sequence, body from events where invoice_id = $1 order by sequence",
      [invoiceId],
    );
    return rows.map(({ sequence, body }) => {
      assert.equal(JSON.parse(body).sequence, sequence);
      return [sequence, JSON.parse(body).status];
    });
  };

  it("grow by one: expired, paid late, refunded in parts, two at once, and after a rollback", async () => {
    const { order, pay, pass } = orders(gateway);
    const refund = (amount: number) =>
      manage(gateway).post("refunds", { invoice_id: paid.id, amount, reason: "test" });
    const paid = await order({ expire: 30 });
    await pass(HOUR);
    await pay(paid);
    await pass(2 * DAY);
    await refund(10);
    const wish = { invoiceId: paid.id, amountMinor: 1_000n, reason: "test", author: "test" };
    const undone = gateway.app.db.transaction(async (tx) => {
      await refundInvoice(tx, gateway.app, wish);
      throw new Error("changed my mind");
    });
    await assert.rejects(undone, /changed my mind/);
    await Promise.all([refund(20), refund(30), refund(40)]);
    assert.deepEqual(await numbered(paid.id), [
      [1, "expired"],
      [2, "success"],
      ...[3, 4, 5, 6].map((sequence): [number, string] => [sequence, "refund"]),
    ]);
    assert.deepEqual(await findViolations(gateway.app.db, gateway.app.clock.now()), []);
  });

  it("are wrong where an invoice counts others than it has", async () => {
    await gateway.app.db.query("update invoices set events = events + 1");
    const found = await findViolations(gateway.app.db, gateway.app.clock.now());
    assert.deepEqual(
      found.map(({ invariant }) => invariant),
      [20],
    );
  });
});
