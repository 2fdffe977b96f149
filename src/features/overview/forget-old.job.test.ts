// Invoices that nobody ever wanted to pay go with all that was told of them, and their order can be placed
// anew; of others only the payer's address goes. What could still be paid, or was offered, stays.

import assert from "node:assert/strict";
import { after, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { cancelInvoice, createH2h, createInvoice, SHOP } from "../../../test/cast.ts";
import { feedOf } from "../../../test/feed.ts";
import { onPostgres, openTestGateway } from "../../../test/gateway.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, orders } from "../../../test/orders.ts";
import { openReceiver } from "../../../test/receiver.ts";
import { forget, keeping } from "../../../test/retention.ts";
import { retentionJobs } from "./forget-old.job.ts";

const { gateway, own, trade } = await openOneGateway(keeping({ unusedInvoices: 2, payers: 20 }));
const receiver = await openReceiver();
const deaf = await openReceiver();
deaf.answer(500);
after(async () => {
  await receiver.close();
  await deaf.close();
});

const place = async (order_id: string, changes: Record<string, unknown> = {}) => {
  const email = `${order_id}@payer.example`;
  const made = await createInvoice(gateway, { order_id, email, ...changes });
  assert.equal(made.status, 200, made.text);
  return made.body.data;
};
const statusOf = async (order_id: string): Promise<string> => {
  const headers = { "x-api-key": SHOP.key };
  const query = `shop_id=${SHOP.id}&order_id=${order_id}`;
  const { status, body } = await gateway.call(`/invoice/info?${query}`, { headers });
  return status === 200 ? body.data.status : String(status);
};
const emails = async () =>
  (
    await gateway.app.db.query<{ order_id: string }>(
      "select order_id from invoices where email is not null order by order_id",
      [],
    )
  ).map(({ order_id }) => order_id);
const forgetAll = async () => {
  await forget(gateway, "forget-unused-invoices");
  await forget(gateway, "forget-emails");
  await assertBooksAreRight(gateway);
};

it("removes what expired without details, once its shop was told", async () => {
  const unused = await place("unused", { hook_url: receiver.url });
  await place("unheard", { hook_url: deaf.url });
  await place("open", { expire: 7200 });
  const offered = await place("offered");
  await createH2h(gateway, offered.id);
  for (const given of [false, true]) {
    const { id } = await place(`canceled-${given}`, { hook_url: receiver.url });
    if (given) await createH2h(gateway, id);
    assert.equal((await cancelInvoice(gateway, id)).status, 200);
  }
  await trade.pass(2 * DAY + 1);
  await forgetAll();
  assert.equal(await statusOf("unused"), "404");
  assert.equal(await statusOf("unheard"), "expired", "its shop may still be told");
  assert.equal(await statusOf("open"), "created");
  assert.equal(await statusOf("offered"), "expired");
  assert.equal(await statusOf("canceled-false"), "404");
  assert.equal(await statusOf("canceled-true"), "fail");
  const left = await gateway.app.db.query(
    `select (select count(*)::integer from events where invoice_id = $1) as events,
            (select count(*)::integer from deliveries
             where event_id not in (select id from events)) as deliveries`,
    [unused.id],
  );
  assert.deepEqual(left, [{ events: 0, deliveries: 0 }]);
  const { events, next } = await feedOf(gateway).read();
  assert.deepEqual(events.map(({ body }) => JSON.parse(body ?? "").order_id).toSorted(), [
    "canceled-true",
    "offered",
    "unheard",
  ]);
  assert.equal((await feedOf(gateway).read({ after: "end" })).next, next);
  assert.equal((await own.ask(`invoices/${unused.id}`)).status, 404);
});

it("lets the order be placed anew, as another invoice that can be paid", async () => {
  const anew = await place("unused", { hook_url: receiver.url });
  assert.equal((await place("unused", { hook_url: receiver.url })).id, anew.id);
  const details = (await createH2h(gateway, anew.id)).body.data;
  await own.post("transfers", {
    wallet: details.wallet,
    amount: Number(details.amount),
    reference: "anew",
  });
  assert.equal(await statusOf("unused"), "success");
  await assertBooksAreRight(gateway);
});

it("keeps what no receiver took, also when it is given up: somebody may send it again", async () => {
  await trade.pass(5 * DAY);
  await forgetAll();
  assert.equal(await statusOf("unheard"), "expired");
  assert.equal(await statusOf("open"), "404");
  assert.equal(await statusOf("offered"), "expired");
  assert.deepEqual(await emails(), ["canceled-true", "offered", "unheard", "unused"]);
});

it("removes the payer's address of what is over, and a retry still gets the first answer", async () => {
  const young = await place("young");
  await trade.pass(14 * DAY);
  await forgetAll();
  assert.deepEqual(await emails(), ["unused"], "young was never offered and went, too");
  await trade.pass(5 * DAY);
  await forgetAll();
  assert.deepEqual(await emails(), []);
  assert.notEqual((await place("young")).id, young.id);
  const again = await createInvoice(gateway, {
    order_id: "offered",
    email: "offered@payer.example",
  });
  assert.equal(again.status, 200);
  assert.equal(await statusOf("offered"), "expired");
});

it("is refused by the database for what was offered or is open", async () => {
  const { db } = gateway.app;
  for (const order of ["offered", "unused", "young", "canceled-true"]) {
    const gone = db.query("delete from invoices where order_id = $1", [order]);
    await assert.rejects(gone, /append-only/, order);
  }
});

const aDay = keeping({ unusedInvoices: 1 });

onPostgres("the job forget-unused-invoices, where there are very many", () => {
  it("removes them in sets of 500, and leaves out what somebody holds without waiting", async () => {
    const gateway = await openTestGateway("postgres", keeping({}));
    const { db } = gateway.app;
    const made = await createInvoice(gateway, { expire: 10 });
    await orders(gateway).pass(DAY);
    await db.query(
      `insert into invoices (id, shop_id, user_id, order_id, content_digest, type, state,
         amount_minor, currency, services, success_url, created_at, expires_at)
       select overlay(gen_random_uuid()::text placing left(id::text, 13) from 1)::uuid, shop_id,
         user_id, 'many-' || n, content_digest, type, 'expired', amount_minor, currency, services,
         success_url, created_at, expires_at
       from invoices, generate_series(1, 1199) n where id = $1`,
      [made.body.data.id],
    );
    const job = retentionJobs.find(({ name }) => name === "forget-unused-invoices");
    assert.ok(job);
    const run = () => job.run({ ...gateway.app, config: { ...gateway.app.config, ...aDay } });
    const left = () =>
      db.query<{ order_id: string }>("select order_id from invoices where state = 'expired'", []);
    await orders(gateway).pass(DAY);
    const runs = await db.session(async (holder) => {
      await holder.query("begin; set local idle_in_transaction_session_timeout = 0");
      await holder.query("select from invoices where order_id = 'many-7' for no key update");
      const removed = [await run(), await run(), await run(), await run()];
      await holder.query("commit");
      return removed;
    });
    assert.equal(
      runs.reduce((sum, removed) => sum + removed),
      1199,
    );
    assert.ok(Math.max(...runs) <= 500, String(runs));
    assert.deepEqual(await left(), [{ order_id: "many-7" }]);
    await orders(gateway).pass(DAY);
    assert.equal(await run(), 1);
    assert.deepEqual(await left(), []);
    await gateway.stop();
  });
});
