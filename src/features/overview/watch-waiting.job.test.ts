// What waits for a person is seen in the metrics.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, HOUR } from "../../../test/orders.ts";
import { watchWaitingJob } from "./watch-waiting.job.ts";

const { gateway, own, trade } = await openOneGateway();

const figure = async (name: string): Promise<string | undefined> => {
  assert.equal(await watchWaitingJob.run(gateway.app), 0);
  const text = await gateway.app.metrics.text();
  return new RegExp(`^${RegExp.escape(name)} (.*)$`, "m").exec(text)?.[1];
};
/** Under each label of a gauge. */
const figures = async (name: string, label: string, values: readonly string[]) => {
  const all = values.map((value) => figure(`${name}{${label}="${value}"}`));
  return (await Promise.all(all)).map(Number);
};

it("counts money in suspense, by how long it has waited", async () => {
  const ages = () => figures("kopeck_suspense_transfers", "age", ["hour", "day", "week", "older"]);
  assert.deepEqual(await ages(), [0, 0, 0, 0]);
  const requisite_id = "00000000-0000-4000-8000-000000000101";
  const wish = { requisite_id, amount: 12.34, reference: "nobody's" };
  const { transfer_id } = await own.post("transfers", wish);
  const seen = [];
  for (const seconds of [0, HOUR, DAY, 7 * DAY]) {
    gateway.clock.advance(seconds);
    seen.push(await ages());
  }
  assert.deepEqual(seen, [
    [1, 0, 0, 0],
    [0, 1, 0, 0],
    [0, 0, 1, 0],
    [0, 0, 0, 1],
  ]);
  await own.post(`transfers/${transfer_id}/return`, { reason: "nobody knows it" });
  assert.deepEqual(await ages(), [0, 0, 0, 0]);
});

it("counts requisites that are full, by which of their limits, for as long as it counts", async () => {
  const full = () =>
    figures("kopeck_requisites_at_limit", "limit", ["live_payments", "day_payments", "day_sum"]);
  assert.deepEqual([await figure("kopeck_requisites"), await full()], ["6", [0, 0, 0]]);
  const { id } = await trade.order();
  const [{ requisite_id: used }] = (await own.get(`payments?invoice_id=${id}`)).items;
  await own.post(`requisites/${used}`, { max_live_payments: 1, max_day_payments: 1 });
  assert.deepEqual(await full(), [1, 1, 0]);
  await own.post(`requisites/${used}`, { max_live_payments: 2, max_day_sum: 1 });
  assert.deepEqual(await full(), [0, 1, 1]);
  gateway.clock.advance(DAY);
  assert.deepEqual(await full(), [0, 0, 0]);
  await own.post(`requisites/${used}`, { enabled: false });
  assert.equal(await figure("kopeck_requisites"), "5");
});

it("counts events that no receiver took, and for how long the next one has been due", async () => {
  const [shop] = await gateway.app.db.query<{ id: string }>("select id from shops limit 1");
  const at = new Date(gateway.clock.now().getTime() + 3_600_000);
  const id = gateway.app.newId();
  await gateway.app.db.query(
    `insert into invoices (id, shop_id, user_id, order_id, content_digest, type, state,
       amount_minor, currency, services, success_url, created_at, expires_at)
     select ($1::json ->> 'invoice')::uuid, id, user_id, 'watched', sha256(''), 'link', 'created',
       100, 'RUB', '{p2p_card}', 'https://a.example', $2, $2::timestamptz + interval '1 day'
     from shops where id = ($1::json ->> 'shop')::uuid`,
    [JSON.stringify({ invoice: id, shop: shop?.id }), at],
  );
  await gateway.app.db.query(
    `with told as (
       insert into events (id, shop_id, invoice_id, sequence, body, hook_url, hook_is_own,
         created_at)
       select gen_random_uuid(), ($1::json ->> 'shop')::uuid, ($1::json ->> 'invoice')::uuid, n,
              '{}', 'https://a.example', true, $2
       from generate_series(1, 3) n returning *
     ), due as (
       insert into outbox (event_id, shop_id, receiver, attempts, next_attempt_at)
       select id, shop_id, id, 1, case sequence when 1 then created_at end from told
       returning *
     )
     insert into receivers (id, shop_id, next_due_at)
     select receiver, shop_id, next_attempt_at from due where next_attempt_at is not null`,
    [JSON.stringify({ invoice: id, shop: shop?.id }), at],
  );
  assert.equal(await figure("kopeck_events_exhausted"), "2");
  assert.equal(await figure("kopeck_events_overdue_seconds"), "0");
  const later = { ...gateway.app.clock, now: () => new Date(at.getTime() + 90_000) };
  assert.equal(await watchWaitingJob.run({ ...gateway.app, clock: later }), 0);
  const text = await gateway.app.metrics.text();
  assert.match(text, /^kopeck_events_overdue_seconds 90$/m);
});
