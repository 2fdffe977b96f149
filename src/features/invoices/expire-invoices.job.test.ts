// Invoices that ran out: expired at their end and not before, each told once.

import assert from "node:assert/strict";
import { it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { createInvoice } from "../../../test/cast.ts";
import { ENGINES } from "../../../test/gateway.ts";
import { openQuietGateway } from "../../../test/one-gateway.ts";
import { expireInvoicesJob } from "./expire-invoices.job.ts";

const { gateway } = await openQuietGateway();

it("ends what is due, in one set, with one event each, and nothing else", async () => {
  const make = (expire: number) => createInvoice(gateway, { expire });
  await Promise.all(Array.from({ length: 30 }, () => make(10)));
  await make(11);
  gateway.clock.advance(10 * 60 - 1);
  assert.equal(await expireInvoicesJob.run(gateway.app), 0);
  gateway.clock.advance(1);
  assert.equal(await expireInvoicesJob.run(gateway.app), 30);
  const rows = await gateway.app.db.query(
    `select state, count(*)::integer as n,
            (select count(*)::integer from events) as events
     from invoices group by state order by state`,
  );
  assert.deepEqual(rows, [
    { state: "created", n: 1, events: 30 },
    { state: "expired", n: 30, events: 30 },
  ]);
  await assertBooksAreRight(gateway);
});

const skip = !ENGINES.includes("postgres") && "needs PostgreSQL";
it("ends a thousand invoices with one commit, and each with one event", { skip }, async () => {
  const { db } = gateway.app;
  const made = await createInvoice(gateway, { expire: 10 });
  await db.query(
    `insert into invoices (id, shop_id, user_id, order_id, content_digest, type, state, amount_minor,
       currency, services, success_url, created_at, expires_at)
     select overlay(gen_random_uuid()::text placing 'f' from 1)::uuid, shop_id, user_id, 'many-' || n,
       content_digest, type, state, amount_minor,
       currency, services, success_url, created_at, expires_at
     from invoices, generate_series(1, 4999) n where id = $1`,
    [made.body.data.id],
  );
  await db.query(
    `insert into dues (kind, due_at, id) select 'expire-invoices', expires_at, id from invoices
     on conflict do nothing`,
  );
  gateway.clock.advance(10 * 60);
  const left = () => db.query("select from invoices where state = 'created' limit 1", []);
  while ((await left()).length > 0) await expireInvoicesJob.run(gateway.app);
  const [row] = await db.query(
    `select (select count(*)::integer from invoices where state = 'expired') as expired,
            count(*)::integer as events, count(distinct invoice_id)::integer as told,
            (select max(rows)::integer from (
               select count(*) as rows from events group by xmin::text) sets) as largest_set
     from events`,
    [],
  );
  // With the 31 of the test before.
  assert.deepEqual(row, { expired: 5_031, events: 5_031, told: 5_031, largest_set: 1_000 });
  await assertBooksAreRight(gateway);
});
