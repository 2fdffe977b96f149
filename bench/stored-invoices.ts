// Rows that are written straight into the tables, many at a time: invoices of a long past, invoices that
// all fall due at one moment, events that wait for a receiver. The books of such a database are not
// asked about.

import type { App } from "../src/platform/app.ts";
import { RECEIVERS, receiverOf } from "./fill-sql.ts";
import { QUIET_SHOP_ID, SHOPS } from "./population.ts";

const CHUNK = 100_000;
const DAYS = 90;

/** The foreign keys are right without being asked about for every row. */
const WITHOUT_TRIGGERS = "set local session_replication_role = replica";

/** Made as the gateway makes its own, so that they come in the order of the index. */
const ID = `(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7'
            || substr(hash, 1, 3) || '8' || substr(hash, 4, 15))::uuid`;

const OLD = `
  insert into invoices (id, shop_id, user_id, order_id, content_digest, type, state, amount_minor, currency,
    services, success_url, created_at, expires_at, paid_at)
  select ${ID},
         shop_id, (select user_id from shops where shops.id = row.shop_id), 'old-' || n, sha256(n::text::bytea), 'direct',
         case when n % 10 < 7 then 'paid' else 'expired' end, 10000 + n * 7919 % 9000000, 'RUB',
         array['p2p_card'], 'https://shop.example/ok', at, at + interval '5 hours',
         case when n % 10 < 7 then at + interval '5 minutes' end
  from generate_series($1::bigint, $2::bigint) as n
  cross join lateral (
    select $4::timestamptz + n * $5::double precision * interval '1 millisecond' as at,
           md5(n::text) as hash,
           ($3::uuid[])[1 + n % cardinality($3::uuid[])] as shop_id) row`;

const SECONDARY_INDEXES = `
  select indexname as name, indexdef as definition from pg_indexes
  where tablename = 'invoices' and indexname not in (select conname from pg_constraint)`;

/** Invoices of the last 90 days that are paid or expired. */
export async function storeOld(
  { db, clock }: App,
  count: number,
  say: (line: string) => void = () => {},
): Promise<void> {
  const shopIds = SHOPS.map(({ id }) => id);
  const spanMs = DAYS * 24 * 60 * 60 * 1000;
  const startsAt = new Date(clock.now().getTime() - spanMs - 24 * 60 * 60 * 1000);
  // Made at the end: 200,000 invoices took 4.8 s instead of 6.0, on the embedded engine 8.8 and 10.8.
  const indexes = await db.query<{ name: string; definition: string }>(SECONDARY_INDEXES, []);
  for (const { name } of indexes) await db.query(`drop index ${name}`);
  let next = 0;
  const fillOn = async (): Promise<void> => {
    while (next < count) {
      const from = next;
      next = Math.min(from + CHUNK, count);
      const to = next - 1;
      await db.transaction(async (tx) => {
        await tx.query(WITHOUT_TRIGGERS);
        await tx.query(OLD, [from, to, shopIds, startsAt, spanMs / count]);
      });
      if ((to + 1) % (CHUNK * 5) === 0) say(`  ${to + 1} invoices stored`);
    }
  };
  // A server takes two at a time; the embedded engine, one after the other.
  await Promise.all([fillOn(), fillOn()]);
  for (const { definition } of indexes) await db.query(definition);
  await db.query("analyze");
  await db.query("checkpoint");
}

const DUE = `
  insert into invoices (id, shop_id, user_id, order_id, content_digest, type, state, amount_minor, currency,
    services, success_url, created_at, expires_at)
  select ${ID}, $1, (select user_id from shops where shops.id = $1), 'due-' || n, sha256(n::text::bytea), 'direct', 'created', 100000, 'RUB',
         array['p2p_card'], 'https://shop.example/ok', at, $3
  from generate_series(1, $2::integer) as n
  cross join lateral (
    select $3::timestamptz - interval '5 hours' + n * interval '10 milliseconds' as at,
           md5('due' || n) as hash) row`;

/** Invoices of the quiet shop that all fall due at the same moment. */
export async function storeDue({ db }: App, count: number, at: Date): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(WITHOUT_TRIGGERS);
    await tx.query(DUE, [QUIET_SHOP_ID, count, at]);
    await tx.query(
      `insert into dues (kind, due_at, id)
       select 'expire-invoices', expires_at, id from invoices where shop_id = $1 and state = 'created'
       on conflict do nothing`,
      [QUIET_SHOP_ID],
    );
  });
  await db.query("analyze invoices");
}

const WAITING = `
  with waiting as (
    insert into events (id, shop_id, invoice_id, sequence, body, hook_url, hook_is_own, created_at)
    select gen_random_uuid(), shop_id, id, sequence, '{"status":"success"}', $2, true, $4
    from invoices cross join generate_series(1, 2) as sequence
    where state = 'paid' order by id limit $1
    returning id, shop_id
  )
  insert into outbox (event_id, shop_id, receiver, next_attempt_at)
  select id, shop_id, ${receiverOf("$3")}, $4 from waiting`;

/** Events about stored invoices that are due and go to one host. */
export async function storeWaitingEvents(app: App, count: number, hookUrl: string): Promise<void> {
  const values = [count, hookUrl, new URL(hookUrl).origin, app.clock.now()];
  await app.db.query(WAITING, values);
  await app.db.query(RECEIVERS);
  await app.db.query("analyze events, outbox");
}
