-- What the last charts are drawn from: webhooks, banks and details by the hour, and what of a user is frozen.

-- What of a user is released from a moment on. Not only of what is frozen still: a condition on released_at would
-- be a column of the index, and no release could stay in its page.
create index ledger_freezes_of_user on ledger_freezes (user_id, frozen_until);

-- Attempts in the order that they began in, which is not that of their key: by it the fold goes on.
create index deliveries_by_start on deliveries (started_at);

-- The moment that an id was made at; of a first_id_at that moment itself.
create function moment_of(id uuid) returns timestamptz language sql immutable strict as $$
  select to_timestamp(('x' || left(id::text, 8) || substr(id::text, 10, 4))::bit(48)::bigint
    / 1000::double precision)
$$;

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

create or replace function violations_of_tally_hours(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
  select 39, wrong.detail
  from tally_hours closed
  cross join lateral (values (closed.id, first_id_at(closed.hour + interval '1 hour'),
    at_moment - interval '23 hours')) span(from_id, before_id, whole_from)
  cross join lateral (
    select detail from tally_differences(span.from_id, span.before_id, span.whole_from)
    union all
    select detail from hook_differences(span.from_id, span.before_id, span.whole_from)
    union all
    select detail from bank_differences(span.from_id, span.before_id)) wrong
  where closed.id > after and closed.id <= up_to and closed.healed is not null
    and closed.hour >= at_moment - interval '48 hours'
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
