// Rows that are written straight into the tables, many at a time: invoices of a long past, payments that
// are live, invoices that all fall due at one moment, receivers that something waits for. The books of
// such a database are not asked about.

import type { App } from "../src/platform/app.ts";
import { QUIET_SHOP_ID, REQUISITE_IDS, SHOPS } from "./population.ts";

const CHUNK = 100_000;
const DAYS = 90;
const SHOP_IDS = SHOPS.map(({ id }) => id);

/** The foreign keys are right without being asked about for every row. */
async function write({ db }: App, statement: string, values: readonly unknown[]): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query("set local session_replication_role = replica");
    await tx.query(statement, values);
  });
}

/** Made as the gateway makes its own, so that they come in the order of the index. */
const idAt = (
  salt: string,
): string => `(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0')
    || '7' || substr(md5(${salt}), 1, 3) || '8' || substr(md5(${salt}), 4, 15))::uuid`;

const OLD = `
  insert into invoices (id, shop_id, user_id, order_id, content_digest, type, state, amount_minor,
    currency, services, success_url, created_at, expires_at, paid_at)
  select ${idAt("n::text")}, shop_id, (select user_id from shops where shops.id = row.shop_id),
         'old-' || n, sha256(n::text::bytea), 'direct',
         case when n % 10 < 7 then 'paid' else 'expired' end, 10000 + n * 7919 % 9000000, 'RUB',
         array['p2p_card'], 'https://shop.example/ok', at, at + interval '5 hours',
         case when n % 10 < 7 then at + interval '5 minutes' end
  from generate_series($1::bigint, $2::bigint) as n
  cross join lateral (
    select $4::timestamptz + n * $5::double precision * interval '1 millisecond' as at,
           ($3::uuid[])[1 + n % cardinality($3::uuid[])] as shop_id) row`;

/** Invoices of the last 90 days that are paid or expired. */
export async function storeOld(
  app: App,
  count: number,
  say: (line: string) => void,
): Promise<void> {
  const spanMs = DAYS * 24 * 60 * 60 * 1000;
  const startsAt = new Date(app.clock.now().getTime() - spanMs - 24 * 60 * 60 * 1000);
  let next = 0;
  const fillOn = async (): Promise<void> => {
    while (next < count) {
      const from = next;
      const to = Math.min(from + CHUNK, count);
      next = to;
      await write(app, OLD, [from, to - 1, SHOP_IDS, startsAt, spanMs / count]);
      if (to % (CHUNK * 5) === 0) say(`  ${to} invoices stored`);
    }
  };
  // A server takes two at a time.
  await Promise.all([fillOn(), fillOn()]);
}

/** Spread over all shops and requisites, with amounts of 1,000 to 2,000 roubles; they end in hours. */
const LIVE = `
  with draft as materialized (
    select n, at, ${idAt("'invoice' || n")} as invoice_id, ${idAt("'payment' || n")} as payment_id,
           shop_id, (select user_id from shops where shops.id = shop_id) as user_id, requisite_id,
           100000 + 50 * ((n / cardinality($3::uuid[]) * 37 + n % cardinality($3::uuid[]) * 11) % 2000)
             as amount
    from generate_series(0, $1::bigint - 1) as n
    cross join lateral (
      select $4::timestamptz - interval '10 minutes' + n * interval '5 milliseconds' as at,
             ($2::uuid[])[1 + n % cardinality($2::uuid[])] as shop_id,
             ($3::uuid[])[1 + n % cardinality($3::uuid[])] as requisite_id) row
  ), invoiced as (
    insert into invoices (id, shop_id, user_id, details, order_id, content_digest, type, state,
      amount_minor, currency, services, success_url, created_at, expires_at)
    select invoice_id, shop_id, user_id, 1, 'live-' || n, sha256(n::text::bytea), 'direct', 'pending',
           amount, 'RUB', array['p2p_card'], 'https://shop.example/ok', at, at + interval '5 hours'
    from draft
  ), promised as (
    insert into payments (id, invoice_id, number, shop_id, user_id, requisite_id, service, state,
      currency, amount_minor, percent_ppm, user_percent_ppm, fee_minor, payer_fee_minor, nudge_minor,
      to_pay_minor, created_at, created_on, ends_at, slot_until)
    select payment_id, invoice_id, 1, shop_id, user_id, requisite_id, 'p2p_card', 'live', 'RUB', amount,
           60000, 20000, amount * 6 / 100, amount * 2 / 100, 0, amount * 102 / 100, at,
           (at at time zone 'UTC')::date, at + interval '5 hours', at + interval '29 hours'
    from draft
  ), reserved as (
    insert into slots (requisite_id, amount_minor, payment_id, held_until, shop_id, user_id)
    select requisite_id, amount * 102 / 100, payment_id, at + interval '29 hours', shop_id, user_id
    from draft
  ), due as (
    insert into dues (kind, due_at, id)
    select 'expire-invoices', at + interval '5 hours', invoice_id from draft
    union all select 'lapse-payments', at + interval '5 hours', payment_id from draft
  )
  update requisite_usage set live_payments = live_payments + live.count
  from (select requisite_id as id, count(*) from draft group by 1) live
  where live.id = requisite_usage.requisite_id`;

export async function storeLive(app: App, count: number): Promise<void> {
  await write(app, LIVE, [count, SHOP_IDS, REQUISITE_IDS, app.clock.now()]);
}

const DUE = `
  with added as (
    insert into invoices (id, shop_id, user_id, order_id, content_digest, type, state, amount_minor,
      currency, services, success_url, created_at, expires_at)
    select ${idAt("'due' || n")}, $1, (select user_id from shops where shops.id = $1), 'due-' || n,
           sha256(n::text::bytea), 'direct', 'created', 100000, 'RUB', array['p2p_card'],
           'https://shop.example/ok', at, $3
    from generate_series(1, $2::integer) as n
    cross join lateral (
      select $3::timestamptz - interval '5 hours' + n * interval '10 milliseconds' as at) row
    returning id, expires_at)
  insert into dues (kind, due_at, id) select 'expire-invoices', expires_at, id from added`;

/** Invoices of the quiet shop that all fall due at the same moment. */
export async function storeDue(app: App, count: number, at: Date): Promise<void> {
  await write(app, DUE, [QUIET_SHOP_ID, count, at]);
  await app.db.query("analyze invoices, dues");
}

const WAITING = `
  with draft as materialized (
    select gen_random_uuid() as event_id, gen_random_uuid() as receiver
    from generate_series(1, $2::integer)
  ), told as (
    insert into events (id, shop_id, invoice_id, sequence, body, hook_url, hook_is_own, created_at)
    select event_id, $1, event_id, 1, '{"status":"success"}', $3, true, $4 from draft
  ), waiting as (
    insert into outbox (event_id, shop_id, receiver, next_attempt_at)
    select event_id, $1, receiver, $4 from draft
  )
  insert into receivers (id, shop_id, next_due_at) select receiver, $1, $4 from draft`;

/** Receivers of the quiet shop, each with one event that is due; whoever calls one hears nothing. */
export async function storeReceivers(app: App, count: number, deadHook: string): Promise<void> {
  await write(app, WAITING, [QUIET_SHOP_ID, count, deadHook, app.clock.now()]);
  await app.db.query("analyze events, outbox, receivers");
}
