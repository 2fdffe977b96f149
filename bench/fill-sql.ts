// The statements of the fill: one draft of each invoice's whole story, then a table at a time from it.

const ID_AT = `
  create or replace function pg_temp.id_at(at timestamptz, salt text) returns uuid
  language sql immutable as $$
    select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7'
            || substr(md5(salt), 1, 3) || '8' || substr(md5(salt), 4, 15))::uuid
  $$`;

/** As the gateway names the line that a shop's events to one origin stand in. */
function receiverOf(origin: string): string {
  return `encode(substring(sha256(convert_to(shop_id || ' ' || ${origin}, 'UTF8')) for 16), 'hex')::uuid`;
}

/** A row for each line that something waits in. */
const RECEIVERS = `
  insert into receivers (id, shop_id, next_due_at)
  select receiver, shop_id, min(next_attempt_at)
  from outbox where next_attempt_at is not null group by receiver, shop_id
  on conflict do nothing`;

/**
 * Who may leave the triggers out for a transaction does: foreign keys and sums were half of the time,
 * and the rows are right without being told. Others wait.
 */
const WITHOUT_TRIGGERS = `
  select set_config('session_replication_role', 'replica', true)
  from pg_roles where rolname = current_user and rolsuper`;

export const DRAFT = {
  before: `${ID_AT}; ${WITHOUT_TRIGGERS};
    create temp table draft (
      n bigint, id uuid, at timestamptz, now_at timestamptz, shop integer, shop_id uuid,
      user_id uuid, order_id text, amount bigint, fee bigint, payer_fee bigint, nudge bigint,
      to_pay bigint, requisite_id uuid, first_requisite_id uuid, is_old boolean, h integer,
      has_payment boolean, is_twice boolean, issued_at timestamptz, paid_at timestamptz,
      refund_minor bigint, state text, payment_id uuid, transfer_id uuid, refund_id uuid
    ) on commit drop`,

  // 70 of 100 are paid, 10 got details that lapsed, 20 got none. Half belong to the first shop. Four of
  // ten have one of five round amounts. Every twentieth payment is the second of its invoice, and
  // half of the time to the same requisite.
  insert: `
    insert into draft
    select n, pg_temp.id_at(at, 'invoice' || n), at, $5, shop, shop_id, user_id,
      case when shop = 0 then 'A-' || n else (n / (2 * (cardinality($7::uuid[]) - 1)))::text end,
      amount, amount * 6 / 100, amount * 2 / 100, nudge, amount * 102 / 100 + nudge,
      requisite_id, first_requisite_id, is_old, h, has_payment, is_twice, issued_at, paid_at,
      case when paid_at is null or not is_old or h % 70 <> 0 then null
           when h % 140 = 0 then amount * 96 / 100 + nudge
           else amount / 2 end,
      case when paid_at is not null then
             case when is_old and h % 140 = 0 then 'refunded' else 'paid' end
           when not is_old then case when has_payment then 'pending' else 'created' end
           when h = 999 then 'failed'
           else 'expired' end,
      case when has_payment then pg_temp.id_at(issued_at, 'payment' || n) end,
      case when paid_at is not null then pg_temp.id_at(paid_at, 'transfer' || n) end,
      case when paid_at is not null and is_old and h % 70 = 0
           then pg_temp.id_at(paid_at + interval '2 days', 'refund' || n) end
    from generate_series($1::bigint, $2::bigint) as n
    cross join lateral (
      select $3::timestamptz + n * $4::double precision * interval '1 millisecond' as at,
             (hashint8(n)::bigint & 2147483647) as big,
             case when n % 2 = 0 then 0
                  else 1 + (n / 2 % (cardinality($7::uuid[]) - 1))::integer end as shop
    ) first
    cross join lateral (
      select (big % 1000)::integer as h, at < $5::timestamptz - interval '4 days' as is_old,
             ($7::uuid[])[1 + shop] as shop_id,
             ($6::uuid[])[1 + shop % cardinality($6::uuid[])] as user_id,
             ($8::uuid[])[1 + (n % cardinality($8::uuid[]))] as requisite_id,
             ($8::uuid[])[1 + ((n + big % 2) % cardinality($8::uuid[]))] as first_requisite_id,
             n / cardinality($8::uuid[]) % 100 as nudge,
             10000 * case when big % 10 < 4 then (array[5, 10, 20, 30, 50])[1 + big / 10 % 5]
                          else 1 + big / 10 % 997 end as amount
    ) second
    cross join lateral (select h < 800 as has_payment, is_old and h % 20 = 0 as is_twice) third
    cross join lateral (
      select case when is_twice then at + interval '30 minutes' else at end as issued_at
    ) fourth
    cross join lateral (
      select case when h < 700 and issued_at + interval '5 minutes' < $5
                  then issued_at + interval '5 minutes' end as paid_at
    ) fifth`,
} as const;

const INVOICES = `
  insert into invoices (id, shop_id, user_id, details, events, order_id, content_digest, type, state, amount_minor, currency,
    services, success_url, hook_url, comment, created_at, expires_at, paid_at)
  select id, shop_id, user_id,
         case when not has_payment then 0 when is_twice then 2 else 1 end,
         case when refund_id is not null then 2 when state in ('created', 'pending') then 0 else 1 end,
         order_id, sha256(id::text::bytea), 'direct', state, amount, 'RUB',
         array['p2p_card'], 'https://shop.example/ok',
         case when shop % 25 <> 7 then 'https://hooks-' || shop || '.example/hook' end,
         'Order ' || order_id, at, at + interval '4 days', paid_at
  from draft order by n`;

const payments = (first: boolean): string => `
  insert into payments (id, invoice_id, number, shop_id, user_id, requisite_id, service, state, currency,
    amount_minor, percent_ppm, user_percent_ppm, fee_minor, payer_fee_minor, nudge_minor,
    to_pay_minor, payer_ip, created_at, created_on, ends_at, slot_until, paid_at, late,
    received_minor, credited_minor, refunded_minor)
  select payment_id, id, number, shop_id, user_id, requisite_id, 'p2p_card', state, 'RUB', amount, 60000, 20000, fee,
         payer_fee, nudge, to_pay, '203.0.113.7', issued_at, (issued_at at time zone 'UTC')::date,
         issued_at + interval '20 minutes', issued_at + interval '20 minutes 24 hours', paid_at,
         case when paid_at is not null then false end,
         case when paid_at is not null then to_pay end,
         case when paid_at is not null then to_pay - fee end, coalesce(refund_minor, 0)
  from (${first ? FIRST_DETAILS : LAST_DETAILS}) draft order by n`;

const FIRST_DETAILS = `
  select n, id, 1 as number, shop_id, user_id, amount, fee, payer_fee, nudge, to_pay, 'lapsed' as state,
         pg_temp.id_at(at, 'first payment' || n) as payment_id, first_requisite_id as requisite_id,
         at as issued_at, null::timestamptz as paid_at, null::bigint as refund_minor
  from draft where has_payment and is_twice`;

const LAST_DETAILS = `
  select n, id, case when is_twice then 2 else 1 end as number, shop_id, user_id, amount, fee, payer_fee, nudge, to_pay,
         case when paid_at is not null then 'paid'
              when issued_at + interval '20 minutes' > now_at then 'live'
              else 'lapsed' end as state,
         payment_id, requisite_id, issued_at, paid_at, refund_minor
  from draft where has_payment`;

/** Slots that a payment still holds, the quarantine included. */
const SLOTS = `
  insert into slots (requisite_id, amount_minor, payment_id, held_until, shop_id, user_id)
  select requisite_id, to_pay, payment_id, issued_at + interval '20 minutes 24 hours', shop_id, user_id
  from draft where has_payment and issued_at + interval '20 minutes 24 hours' > now_at`;

/** Every five hundredth invoice comes with money that nobody knows; a part of it was sent back. */
const TRANSFERS = `
  insert into transfers (id, requisite_id, reference, currency, amount_minor, payer, state,
    suspense_reason, payment_id, invoice_id, received_at, settled_at, settled_by, settled_reason)
  select transfer_id, requisite_id, 'ref-' || n, 'RUB', to_pay, 'Payer ' || n % 5000, 'matched',
         null, payment_id, id, paid_at, null::timestamptz, null, null
  from draft where paid_at is not null
  union all
  select pg_temp.id_at(at, 'stray' || n), requisite_id, 'stray-' || n, 'RUB', to_pay, null,
         case when n % 1500 = 0 then 'suspense' else 'returned' end, 'nobody_expected', null, null, at,
         case when n % 1500 <> 0 then at end, case when n % 1500 <> 0 then 'Anna' end,
         case when n % 1500 <> 0 then 'unknown' end
  from draft where n % 500 = 0`;

const REFUNDS = `
  insert into refunds (id, payment_id, shop_id, amount_minor, reason, author, created_at)
  select refund_id, payment_id, shop_id, refund_minor, 'returned goods', 'Anna',
         paid_at + interval '2 days'
  from draft where refund_id is not null`;

const FREEZES = `
  insert into ledger_freezes (payment_id, user_id, currency, amount_minor, frozen_until, released_at)
  select payment_id, user_id, 'RUB', to_pay - fee, paid_at + interval '1 day',
         case when paid_at + interval '1 day' <= now_at then paid_at + interval '1 day' end
  from draft where paid_at is not null`;

const posted = (kind: string, columns: string, values: string, where: string): string => `
  insert into ledger_postings (kind, currency, id, source_id, created_at, ${columns})
  select '${kind}', 'RUB', ${values} from draft where ${where} order by n`;

const STRAY = "pg_temp.id_at(at, 'stray' || n)";

const POSTINGS = [
  posted(
    "transfer_matched",
    "user_id, requisite_id, bank_minor, frozen_minor, fees_minor",
    `pg_temp.id_at(paid_at, 'matched' || n), transfer_id, paid_at,
     user_id, requisite_id, -to_pay, to_pay - fee, fee`,
    "paid_at is not null",
  ),
  posted(
    "freeze_over",
    "user_id, frozen_minor, available_minor",
    `pg_temp.id_at(paid_at + interval '1 day', 'freeze' || n), payment_id,
     paid_at + interval '1 day', user_id, fee - to_pay, to_pay - fee`,
    "paid_at + interval '1 day' <= now_at",
  ),
  posted(
    "refund",
    "user_id, available_minor, bank_out_minor",
    `pg_temp.id_at(paid_at + interval '2 days', 'back' || n), refund_id,
     paid_at + interval '2 days', user_id, -refund_minor, refund_minor`,
    "refund_id is not null",
  ),
  posted(
    "transfer_suspense",
    "requisite_id, bank_minor, suspense_minor",
    `pg_temp.id_at(at, 'waits' || n), ${STRAY}, at, requisite_id, -to_pay, to_pay`,
    "n % 500 = 0",
  ),
  posted(
    "suspense_returned",
    "requisite_id, bank_minor, suspense_minor",
    `pg_temp.id_at(at, 'returned' || n), ${STRAY}, at, requisite_id, to_pay, -to_pay`,
    "n % 500 = 0 and n % 1500 <> 0",
  ),
];

/** A shop in 25 has no address; one event in 200 was given up; those of the last hour still wait. */
const EVENTS = `
  create temp table told on commit drop as
  select pg_temp.id_at(told_at, 'event' || n || status) as id, *,
         case when shop % 25 = 7 then 'no_address'
              when told_at > now_at - interval '1 hour' then 'waiting'
              when n % 200 = 3 then 'exhausted'
              else 'delivered' end as event_state
  from (select n, id as invoice_id, shop, shop_id, order_id, amount, now_at, paid_at as told_at,
               'success' as status, 1 as sequence from draft where paid_at is not null
        union all
        select n, id, shop, shop_id, order_id, amount, now_at, paid_at + interval '2 days',
               'refund', 2 from draft where refund_id is not null
        union all
        select n, id, shop, shop_id, order_id, amount, now_at, at + interval '4 days',
               case state when 'failed' then 'fail' else 'expired' end, 1
        from draft where state in ('expired', 'failed')) told;
  insert into events (id, shop_id, invoice_id, sequence, body, hook_url, hook_is_own, created_at)
  select id, shop_id, invoice_id, sequence,
         json_build_object('amount', round(amount / 100.0, 2)::text, 'currency', 'RUB', 'event_id',
           id, 'invoice_id', invoice_id, 'order_id', order_id, 'sequence', sequence, 'status',
           status)::text,
         case when event_state <> 'no_address' then 'https://hooks-' || shop || '.example/hook' end,
         event_state <> 'no_address', told_at
  from told order by id;
  insert into event_feed (event_id, shop_id, user_id, position, placed_at)
  select told.id, shop_id, shops.user_id,
         (select position from event_feed_end) + row_number() over (order by told.id), told_at
  from told join shops on shops.id = shop_id;
  update event_feed_end set position = position + (select count(*) from told);
  insert into outbox (event_id, shop_id, receiver, attempts, next_attempt_at, started_at)
  select id, shop_id, ${receiverOf("'https://hooks-' || shop || '.example'")},
         case event_state when 'exhausted' then 3 else 1 end,
         case event_state when 'waiting' then now_at + interval '30 days' end,
         told_at + interval '1 minute'
  from told where event_state in ('waiting', 'exhausted') order by id;
  ${RECEIVERS};
  insert into deliveries (event_id, attempt, started_at, status, error, duration_ms)
  select id, attempt, told_at + attempt * interval '1 minute',
         case when event_state = 'delivered' then 200 else 500 end, null, 40
  from told cross join lateral generate_series(
    1, case event_state when 'no_address' then 0 when 'exhausted' then 3 else 1 end) attempt
  order by id, attempt`;

/** One change for ten invoices; one in a thousand of those is a rare act. */
const AUDIT = `
  insert into audit_log (id, operator_id, operator_name, act, subject, before, after, created_at)
  select pg_temp.id_at(at, 'audit' || n),
         case when n % 20 = 0 then (select min(id::text)::uuid from operators) end,
         case when n % 20 = 0 then 'sandbox' else 'command line' end,
         case when n % 10000 = 0 then 'tariff.set' when n % 30 = 0 then 'shop.update'
              else 'requisite.update' end,
         case when n % 30 = 0 then shop_id else requisite_id end,
         json_build_object('enabled', true, 'max_sum', 150000),
         json_build_object('enabled', false, 'max_sum', 100000 + n), at
  from draft where n % 10 = 0`;

export const CHUNK: readonly string[] = [
  INVOICES,
  payments(true),
  payments(false),
  SLOTS,
  TRANSFERS,
  REFUNDS,
  FREEZES,
  ...POSTINGS,
  EVENTS,
  AUDIT,
];

/** The statistics begin anew with the first invoice. */
export const UNCOUNTED = `
  update statistics_progress set counted_to = to_timestamp(0), recount_hour = to_timestamp(0);
  truncate statistics`;
