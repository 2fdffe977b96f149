-- Hourly statistics, and checks of the ledger.

-- Ids begin with their moment: the hour that one was made in, and the first id of a moment.
create function hour_of(id uuid) returns timestamptz language sql immutable strict as $$
  select to_timestamp((('x' || left(id::text, 8) || substr(id::text, 10, 4))::bit(48)::bigint
    / 3600000 * 3600)::double precision)
$$;

-- Of a shop, or of all shops under the id that is nobody's: a copy goes by primary keys, which have no
-- null. A row is rewritten for as long as its hour lasts, and finds room in its page.
create table tallies (
  hour timestamptz not null,
  shop_id uuid not null,
  currency text not null,
  -- Of what was created, the one method that was asked for, or '' where the payer chooses; else the
  -- method that was paid by.
  service text not null,
  created bigint not null,
  issued bigint not null,
  paid bigint not null,
  late bigint not null,
  -- Of the invoices that were created in this hour, those that were paid, whenever that was.
  cohort_paid bigint not null,
  received_minor bigint not null,
  credited_minor bigint not null,
  fee_minor bigint not null,
  refunds bigint not null,
  refunded_minor bigint not null,
  primary key (hour, shop_id, currency, service)
) with (fillfactor = 80);
create index tallies_of_shop on tallies (shop_id, currency, hour);

-- How long it took from details to money: how many took at least 1.25^speed seconds and less than 1.25
-- times as long. Such counts add up over any period; percentiles would not.
create table pay_speeds (
  hour timestamptz not null,
  shop_id uuid not null,
  currency text not null,
  speed integer not null check (speed between 0 and 60),
  paid bigint not null,
  primary key (hour, shop_id, currency, speed)
) with (fillfactor = 80);
create index pay_speeds_of_shop on pay_speeds (shop_id, currency, hour);

-- Up to which id each table was counted, and without it; and before which moment there is nothing more, which
-- may be much later. Who counts holds all these rows.
create table tally_marks (
  source text primary key,
  up_to uuid not null,
  as_of timestamptz not null
) with (fillfactor = 50);
insert into tally_marks (source, up_to, as_of)
select source, '00000000-0000-0000-0000-000000000000', '1970-01-01T00:00:00Z'
from unnest(array['invoices', 'payments', 'transfers', 'ledger_postings', 'refunds']) source;

-- Hours that are over, were counted once more, and were right or were put right. An hour's id is the
-- first that it can have.
create table tally_hours (
  id uuid primary key,
  hour timestamptz not null,
  -- How many rows were wrong; null where so much had happened that it was not counted once more.
  healed integer
);

-- What is counted: one row, or two of a credit, for each id of a source, which never changes afterwards. A
-- credit is a transfer that was matched at once or, of one that waited, the posting that assigned it; the
-- second row of it is for the hour that its invoice was made in. What belongs to a row is looked up by its
-- key, one by one: as a join it would be planned as a reading of the whole table.
create view tally_facts as
  select 'invoices' as source, id, hour_of(id) as hour, shop_id, currency,
         case when cardinality(services) = 1 then services[1] else '' end as service,
         1 as created, 0 as issued, 0 as paid, 0 as late, 0 as cohort_paid,
         0::bigint as received_minor, 0::bigint as credited_minor, 0::bigint as fee_minor,
         0 as refunds, 0::bigint as refunded_minor, null::integer as speed
  from invoices
  union all
  select 'payments', id, hour_of(id), shop_id, currency, service, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, null
  from payments
  union all
  select credit.source, credit.id, part.hour, payment.shop_id, payment.currency, part.service,
         0, 0, part.paid, part.late, part.cohort_paid, part.received_minor, part.credited_minor,
         part.fee_minor, 0, 0, part.speed
  from (select 'transfers' as source, id, payment_id from transfers
        where state = 'matched' and suspense_reason is null
        union all
        -- The index begins with the currency: there are as many as requisites have.
        select 'ledger_postings', posting.id,
               (select payment_id from transfers where id = posting.source_id)
        from ledger_postings posting
        where posting.kind = 'suspense_assigned' and posting.suspense_minor <> 0
          and posting.currency = any(array(select distinct currency from requisites))) credit
  cross join lateral (select * from payments where id = credit.payment_id limit 1) payment
  cross join lateral (select services from invoices where id = payment.invoice_id limit 1) invoice
  cross join lateral (values
    (hour_of(credit.id), payment.service, 1, payment.late::integer, 0, payment.received_minor,
     payment.credited_minor, payment.fee_minor,
     least(60, floor(ln(greatest(1, extract(epoch from payment.paid_at - payment.created_at))
       ::double precision) / ln(1.25::double precision)))::integer),
    (hour_of(payment.invoice_id),
     case when cardinality(invoice.services) = 1 then invoice.services[1] else '' end,
     0, 0, 1, 0, 0, 0, null))
    part(hour, service, paid, late, cohort_paid, received_minor, credited_minor, fee_minor, speed)
  union all
  select 'refunds', refund.id, hour_of(refund.id), refund.shop_id, payment.currency, payment.service,
         0, 0, 0, 0, 0, 0, 0, 0, 1, refund.amount_minor, null
  from refunds refund
  cross join lateral (select currency, service from payments where id = refund.payment_id limit 1)
    payment;

-- The same credits from the other side: invoices that were paid, and by which of them.
create view tally_cohorts as
  select invoice.id, hour_of(invoice.id) as hour, invoice.shop_id, invoice.currency,
         case when cardinality(invoice.services) = 1 then invoice.services[1] else '' end as service,
         case when transfer.suspense_reason is null then 'transfers' else 'ledger_postings' end
           as source,
         case when transfer.suspense_reason is null then transfer.id
              else (select id from ledger_postings
                    where source_id = transfer.id and kind = 'suspense_assigned') end as credit_id
  from invoices invoice
  cross join lateral (select id from payments where invoice_id = invoice.id and state = 'paid'
                      limit 1) payment
  cross join lateral (select id, suspense_reason from transfers where payment_id = payment.id
                      limit 1) transfer
  where invoice.state in ('paid', 'refunded');

-- Hours counted from their sources, whatever tallies say: whole ones, from an id and before another. Of
-- their invoices only those count as paid whose credit has been folded.
create function count_tallies(from_id uuid, before_id uuid)
returns setof tallies language sql stable as $$
  select hour, coalesce(shop_id, '00000000-0000-0000-0000-000000000000'), currency, service,
         sum(created), sum(issued), sum(paid), sum(late), sum(cohort_paid),
         sum(received_minor)::bigint, sum(credited_minor)::bigint, sum(fee_minor)::bigint,
         sum(refunds), sum(refunded_minor)::bigint
  from (
    select hour, shop_id, currency, service, created, issued, paid, late, 0 as cohort_paid,
           received_minor, credited_minor, fee_minor, refunds, refunded_minor
    from tally_facts where id >= from_id and id < before_id and cohort_paid = 0
    union all
    select hour, shop_id, currency, service, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0
    from tally_cohorts cohort
    where id >= from_id and id < before_id
      and credit_id < (select up_to from tally_marks where source = cohort.source)) fact
  group by grouping sets ((hour, shop_id, currency, service), (hour, currency, service))
$$;

-- What is wrong with the tallies of such hours. An invoice that nobody used may be removed a day later: of
-- hours before whole_from, tallies may know of more than are left.
create function tally_differences(from_id uuid, before_id uuid, whole_from timestamptz)
returns table (hour timestamptz, detail text) language sql stable as $$
  with stored as (
    select * from tallies where hour >= hour_of(from_id) and hour < hour_of(before_id))
  select hour, 'the tallies of shop ' || shop_id || ' at ' || (hour at time zone 'UTC') || ' in '
               || currency || ' by "' || service || '" are not what happened'
  from (select counted.*, 1 as side from count_tallies(from_id, before_id) counted
        union all select stored.*, -1 from stored) both_sides
  group by hour, shop_id, currency, service
  having sum(side * issued) <> 0 or sum(side * paid) <> 0 or sum(side * late) <> 0
    or sum(side * cohort_paid) <> 0 or sum(side * received_minor) <> 0
    or sum(side * credited_minor) <> 0 or sum(side * fee_minor) <> 0 or sum(side * refunds) <> 0
    or sum(side * refunded_minor) <> 0 or sum(side * created) > 0
    or sum(side * created) < 0 and hour >= whole_from
  union all
  select hour, 'the speeds of shop ' || shop_id || ' at ' || (hour at time zone 'UTC') || ' in '
               || currency || ' are not of as many as were paid'
  from (select hour, shop_id, currency, paid from stored
        union all
        select hour, shop_id, currency, -paid from pay_speeds
        where hour >= hour_of(from_id) and hour < hour_of(before_id)) both_sides
  group by hour, shop_id, currency
  having sum(paid) <> 0
$$;

-- Each time the books were checked, by hand or on the machine itself.
create table book_checks (
  id uuid primary key,
  -- Who asked for it.
  author text not null check (char_length(author) between 1 and 255),
  asked_at timestamptz not null,
  -- Of whichever gateway checks; one that falls silent has its turn taken over.
  started_at timestamptz,
  worker uuid,
  beat_at timestamptz,
  ended_at timestamptz,
  violations integer check (violations >= 0),
  -- The first few of them, in words.
  details text[] not null default '{}',
  check ((ended_at is null) = (violations is null)),
  check (ended_at is null or started_at is not null),
  check (num_nonnulls(worker, beat_at) in (0, 2))
);

-- One at a time.
create unique index book_checks_under_way on book_checks ((true)) where ended_at is null;
create trigger book_checks_stay before delete or truncate on book_checks
  for each statement execute function refuse_change();

-- What became of the events of an hour, whenever that was: of a shop, or of a user where they are about payouts,
-- or of all under the id that is nobody's. Answers stand by how long they took, 1.25^speed milliseconds at least
-- and less than 1.25 times as long, because such counts add up; what was told has no speed, and stands under -1.
create table hook_tallies (
  hour timestamptz not null,
  owner_id uuid not null,
  speed integer not null check (speed between -1 and 60),
  -- Events that had an address.
  told bigint not null,
  -- Of these, those that the first attempt has delivered, and those that a later one has.
  at_once bigint not null,
  later bigint not null,
  -- Answers of any status.
  answered bigint not null,
  primary key (hour, owner_id, speed)
) with (fillfactor = 80);
create index hook_tallies_of_owner on hook_tallies (owner_id, hour);
-- An attempt's mark is the first id of the moment that it began at.
insert into tally_marks (source, up_to, as_of)
select source, '00000000-0000-0000-0000-000000000000', '1970-01-01T00:00:00Z'
from unnest(array['events', 'deliveries', 'bank_transfers', 'bank_postings']) source;

-- What is counted, beside tally_facts: a row for each event, and for each attempt that was answered. An event is
-- heard once: where it was sent again, or its attempts were removed because it had been, that counts for nothing.
create view hook_facts as
  select 'events' as source, id as event_id, null::timestamptz as started_at, hour_of(id) as hour,
         coalesce(shop_id, user_id) as owner_id, -1 as speed,
         1 as told, 0 as at_once, 0 as later, 0 as answered
  from events where hook_url is not null
  union all
  select 'deliveries', delivery.event_id, delivery.started_at, hour_of(delivery.event_id),
         event.owner_id,
         least(60, floor(ln(greatest(1, delivery.duration_ms)::double precision)
           / ln(1.25::double precision)))::integer,
         0, (heard.is_first and delivery.attempt = 1)::integer,
         (heard.is_first and delivery.attempt > 1)::integer, 1
  from deliveries delivery
  cross join lateral (select coalesce(shop_id, user_id) as owner_id, attempts_removed from events
                      where id = delivery.event_id and hook_url is not null limit 1) event
  cross join lateral (
    select delivery.status between 200 and 299 and event.attempts_removed = 0
           and not exists (select from deliveries earlier
                           where earlier.event_id = delivery.event_id
                             and earlier.attempt < delivery.attempt
                             and earlier.status between 200 and 299) as is_first) heard
  where delivery.status is not null;

-- Hours counted from their sources, as far as these were folded.
create function count_hooks(from_id uuid, before_id uuid)
returns setof hook_tallies language sql stable as $$
  select hour, coalesce(owner_id, '00000000-0000-0000-0000-000000000000'), speed,
         sum(told), sum(at_once), sum(later), sum(answered)
  from hook_facts
  where event_id >= from_id and event_id < before_id
    and case source
      when 'events' then event_id < (select up_to from tally_marks where source = 'events')
      else started_at < (select moment_of(up_to) from tally_marks where source = 'deliveries') end
  group by grouping sets ((hour, owner_id, speed), (hour, speed))
$$;

-- As tally_differences: events and attempts may be removed a day later, and then more were counted than are left.
create function hook_differences(from_id uuid, before_id uuid, whole_from timestamptz)
returns table (hour timestamptz, detail text) language sql stable as $$
  select hour, 'the webhooks of ' || owner_id || ' at ' || (hour at time zone 'UTC')
               || ' are not what was told and heard'
  from (select hour, owner_id, sum(side * told) as told, sum(side * at_once) as at_once,
               sum(side * later) as later, sum(side * answered) as answered
        from (select counted.*, 1 as side from count_hooks(from_id, before_id) counted
              union all
              select stored.*, -1 from hook_tallies stored
              where hour >= hour_of(from_id) and hour < hour_of(before_id)) both_sides
        group by hour, owner_id, speed) missing
  group by hour, owner_id
  having greatest(max(told), max(at_once), max(later), max(answered)) > 0
    or least(min(told), min(at_once), min(later), min(answered)) < 0 and hour >= whole_from
$$;

-- Of what was paid, the bank that it came to; a requisite never changes its own. The sources are counted once more, by
-- marks of their own, so that what was paid before this table was made is in it, too.
create table bank_tallies (
  hour timestamptz not null,
  shop_id uuid not null,
  currency text not null,
  bank text not null,
  paid bigint not null,
  received_minor bigint not null,
  primary key (hour, shop_id, currency, bank)
) with (fillfactor = 80);
create index bank_tallies_of_shop on bank_tallies (shop_id, currency, hour);

-- Credits as in tally_facts.
create view bank_facts as
  select credit.source, credit.id, hour_of(credit.id) as hour, payment.shop_id, payment.currency,
         (select bank from requisites where id = payment.requisite_id) as bank,
         1 as paid, payment.received_minor
  from (select 'bank_transfers' as source, id, payment_id from transfers
        where state = 'matched' and suspense_reason is null
        union all
        select 'bank_postings', posting.id,
               (select payment_id from transfers where id = posting.source_id)
        from ledger_postings posting
        where posting.kind = 'suspense_assigned' and posting.suspense_minor <> 0
          and posting.currency = any(array(select distinct currency from requisites))) credit
  cross join lateral (select shop_id, currency, requisite_id, received_minor from payments
                      where id = credit.payment_id limit 1) payment;

create function count_banks(from_id uuid, before_id uuid)
returns setof bank_tallies language sql stable as $$
  select hour, coalesce(shop_id, '00000000-0000-0000-0000-000000000000'), currency, bank,
         sum(paid), sum(received_minor)::bigint
  from bank_facts fact
  where id >= from_id and id < before_id
    and id < (select up_to from tally_marks where source = fact.source)
  group by grouping sets ((hour, shop_id, currency, bank), (hour, currency, bank))
$$;

create function bank_differences(from_id uuid, before_id uuid)
returns table (hour timestamptz, detail text) language sql stable as $$
  select hour, 'the banks of shop ' || shop_id || ' at ' || (hour at time zone 'UTC') || ' in '
               || currency || ' are not what was paid'
  from (select counted.*, 1 as side from count_banks(from_id, before_id) counted
        union all
        select stored.*, -1 from bank_tallies stored
        where hour >= hour_of(from_id) and hour < hour_of(before_id)) both_sides
  group by hour, shop_id, currency, bank
  having sum(side * paid) <> 0 or sum(side * received_minor) <> 0
$$;

-- What came of asking for details and is stored nowhere else: why there were none, and when an amount was raised.
-- Of a shop, or of all under the id that is nobody's. Each gateway counts in its memory and adds that up here.
create table details_tallies (
  hour timestamptz not null,
  shop_id uuid not null,
  outcome text not null check (outcome in ('nothing_free', 'limits', 'share', 'off', 'invoice',
    'raised')),
  times bigint not null,
  primary key (hour, shop_id, outcome)
) with (fillfactor = 80);
create index details_tallies_of_shop on details_tallies (shop_id, hour);
