// What is forgotten of payments and people after its time: who paid, from where, whose slot it was, and
// who looked. What is live, or waits for somebody, keeps it; money still finds its way.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { SHOP } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY } from "../../../test/orders.ts";
import { pages } from "../../../test/pages.ts";
import { forget, keeping } from "../../../test/retention.ts";

const { gateway, own, trade } = await openOneGateway(
  keeping({ payers: 30, slots: 2, auditReads: 30 }),
);
const { db } = gateway.app;
afterEach(() => assertBooksAreRight(gateway));

it("who paid is said to be removed, of what waits for nobody, and a repetition stays one", async () => {
  const order = await trade.order();
  const known = { reference: "known", payer: "Ivan P." };
  await trade.pay(order, known);
  await trade.pay(order, { reference: "waits", amount: 1, payer: "Anna K." });
  await trade.pay(order, { reference: "nameless", amount: 2 });
  const payers = async () => {
    await forget(gateway, "forget-payers");
    const { items } = await own.get("transfers");
    const headers = { "x-api-key": SHOP.key };
    const query = `shop_id=${SHOP.id}&invoice_id=${order.id}`;
    const { body } = await gateway.call(`/invoice/info?${query}`, { headers });
    return [...items.map(({ payer }: { payer: string | null }) => payer), body.data.payer_details];
  };
  await trade.pass(29 * DAY);
  assert.deepEqual(await payers(), [null, "Anna K.", "Ivan P.", "Ivan P."]);
  await trade.pass(2 * DAY);
  assert.deepEqual(await payers(), [null, "Anna K.", "removed", "removed"]);
  assert.equal((await trade.pay(order, known)).fresh, false);
  await own.post("refunds", { invoice_id: order.id, amount: 1, reason: "test" });
});

it("where payers came from, and what they said, goes with its time, if the details have ended", async () => {
  const { link, post, say } = pages(gateway);
  const ask = async (): Promise<void> => {
    const id = await link({ expire: 7200 });
    const choice = { service: "p2p_card", bank: "sber" };
    await post(`/pay/${id}`, choice, { "user-agent": "Mozilla/5.0" });
    assert.equal((await say(id, { bank: "Alfa" })).status, 303);
  };
  const known = async () => {
    await forget(gateway, "forget-addresses");
    return db.query(
      `select state from payments where payer_ip is not null and payer_user_agent is not null
         and exists (select from payer_words where payment_id = id)
       order by id`,
    );
  };
  await ask();
  await trade.pass(30 * DAY - 10);
  await ask();
  assert.deepEqual(await known(), [{ state: "lapsed" }, { state: "live" }]);
  await trade.pass(20);
  assert.deepEqual(await known(), [{ state: "live" }]);
  assert.equal((await db.query("select from payer_words")).length, 1);
});

it("slots go so many days after their quarantine, and late money finds its payment without", async () => {
  const lapsed = await trade.order({ amount: 1000 });
  const made_at = trade.now();
  const isHeld = async ({ paymentId }: { paymentId: string }) => {
    await forget(gateway, "forget-slots");
    return (await db.query("select from slots where payment_id = $1", [paymentId])).length === 1;
  };
  await trade.pass(3 * DAY);
  assert.equal(await isHeld(lapsed), true, "a day of quarantine, and then two");
  await trade.pass(DAY);
  const live = await trade.order({ amount: 2000 });
  assert.deepEqual([await isHeld(lapsed), await isHeld(live)], [false, true]);
  await trade.pay(lapsed, { made_at });
  assert.equal((await own.get(`invoices/${lapsed.id}`)).invoice.state, "paid");
  await assert.rejects(db.query("delete from slots"), /append-only/);
});

it("a slot stays while its payment is called live, however long nobody ran to end it", async () => {
  const { paymentId } = await trade.order({ amount: 3000 });
  const { clock } = gateway.app;
  const now = () => new Date(clock.now().getTime() + 5 * DAY * 1000);
  // A gateway that forgets before any has ended what ended meanwhile.
  await forget({ app: { ...gateway.app, clock: { ...clock, now } } }, "forget-slots");
  const slots = await db.query("select from slots where payment_id = $1", [paymentId]);
  assert.equal(slots.length, 1);
});

it("the audit log forgets who looked, and never who changed something", async () => {
  trade.tick();
  const from = trade.now();
  const acts = async (): Promise<string[]> => {
    await forget(gateway, "forget-reveals");
    const { items } = await own.get(`audit?from=${from}`);
    return items.map(({ act }: { act: string }) => act);
  };
  const [{ requisite_id: id }] = (await own.get("requisites")).items;
  await own.post(`requisites/${id}/reveal`);
  trade.tick();
  await own.post(`requisites/${id}`, { max_live_payments: 3 });
  await trade.pass(30 * DAY - 10);
  assert.deepEqual(await acts(), ["requisite.update", "requisite.reveal"]);
  await trade.pass(20);
  await own.post(`requisites/${id}/reveal`);
  await trade.pass(DAY);
  assert.deepEqual(await acts(), ["requisite.reveal", "requisite.update"]);
  for (const change of ["delete from audit_log", "update audit_log set act = 'a.reveal'"]) {
    await assert.rejects(db.query(change), /append-only/);
  }
});
