-- Events, the outbox, delivery attempts, and the event feed.

create table events (
  id uuid primary key,
  shop_id uuid,
  invoice_id uuid,
  user_id uuid,
  payout_id uuid,
  sequence integer not null check (sequence > 0),
  -- Exactly the bytes that are signed and sent, the same in every attempt; null once it was removed.
  body text,
  -- What a removed body said.
  status text,
  -- The address as it was then: the invoice's own, which stays, or what the shop had. An attempt goes to
  -- what the shop has by now. Null where there was none.
  hook_url text,
  hook_is_own boolean not null check (hook_url is not null or not hook_is_own),
  created_at timestamptz not null,
  -- So many attempts were made, of which nothing else is known any more: the last of them delivered it.
  attempts_removed integer not null default 0 check (attempts_removed >= 0),
  unique (invoice_id, sequence),
  constraint events_of_one check (
    num_nonnulls(shop_id, invoice_id) = 2 and num_nonnulls(user_id, payout_id) = 0
    or num_nonnulls(shop_id, invoice_id) = 0 and num_nonnulls(user_id, payout_id) = 2),
  check ((body is null) = (status is not null))
);
create index events_of_shop on events (shop_id, id);

-- One row for each event that waits to be told, or that was given up: then its next moment is null. When
-- the event is delivered the row goes. An attempt changes nothing that an index knows, so that claiming
-- stays in its page, for which half of a page is left free.
create table outbox (
  event_id uuid primary key,
  shop_id uuid not null,
  -- Receivers take turns, so that a dead one holds up nobody else. A digest of the shop and the origin of
  -- the address, so that nothing that a merchant writes is ever too long for an index; or the shop's own
  -- id where the shop has too many origins.
  receiver uuid not null,
  -- Grows by one with every claim, and so is the fence as well: only the holder of the newest attempt may
  -- write what came of it.
  attempts integer not null default 0,
  -- Attempts that were made before it was last sent again; they do not count for the schedule.
  attempts_before integer not null default 0,
  next_attempt_at timestamptz,
  -- The newest attempt, and while it is under way the end of its lease.
  started_at timestamptz,
  leased_until timestamptz,
  check (attempts_before between 0 and attempts),
  check (leased_until is null
    or leased_until > started_at and attempts > attempts_before and next_attempt_at is not null)
) with (fillfactor = 50);

-- The only way in to what waits, on purpose. Beside it an index by the moment alone tempts the planner
-- to look for one receiver's events among everybody's: with 50,000 events of a dead receiver and 1,000
-- others a claim then took over 10 s, through this one it takes milliseconds.
create index outbox_waiting on outbox (receiver, next_attempt_at) where next_attempt_at is not null;
create index outbox_exhausted on outbox (event_id) where next_attempt_at is null;

-- One row for each attempt that is over, written with what came of it. Without a duration nobody heard
-- how it ended: the process stopped, and whoever took the event over wrote that down.
create table deliveries (
  event_id uuid not null,
  attempt integer not null check (attempt > 0),
  started_at timestamptz not null,
  status integer check (status between 100 and 999),
  error text,
  duration_ms integer check (duration_ms >= 0),
  -- Where it went, if not to the event's address: the shop had corrected its own.
  corrected_url text,
  primary key (event_id, attempt),
  check (num_nonnulls(status, error) = num_nonnulls(duration_ms))
);

-- Its last attempt succeeded, or was removed because it had, and it was not sent again since.
create function is_delivered(event events) returns boolean language sql stable as $$
  select not exists (select from outbox where event_id = event.id)
    and case when exists (select from deliveries where event_id = event.id)
        then (select status between 200 and 299 from deliveries where event_id = event.id
              order by attempt desc limit 1) is true
        else event.attempts_removed > 0 end
$$;

-- An event never changes. Of one that was delivered the body may be removed, and its attempts, all of
-- them: what it said, and how many they were, stays.
create function refuse_change_of_event() returns trigger language plpgsql as $$
declare
  rest events := new;
begin
  rest.body := old.body;
  rest.status := old.status;
  rest.attempts_removed := old.attempts_removed;
  if rest is distinct from old or not is_delivered(old)
    or (new.body, new.status) is distinct from (old.body, old.status)
      and (new.body, new.status) is distinct from (null::text, old.body::json ->> 'status')
    or new.attempts_removed <> old.attempts_removed
      and new.attempts_removed is distinct from
        (select max(attempt) from deliveries where event_id = old.id) then
    raise exception 'events is append-only' using errcode = '23001';
  end if;
  return new;
end $$;
create trigger events_append_only before update on events
  for each row execute function refuse_change_of_event();
create trigger events_stay before truncate on events
  for each statement execute function refuse_change();

-- An attempt goes with its event, or where the event says so.
create trigger deliveries_append_only before update or truncate on deliveries
  for each statement execute function refuse_change();
create trigger deliveries_stay after delete on deliveries
  referencing old table as gone for each statement execute function refuse_deletion(
    'attempt <= coalesce((select attempts_removed from events where id = gone.event_id), attempt)');

-- Looked up by the primary key once for each statement, as for invoices.
create function refuse_without_event() returns trigger language plpgsql as $$
begin
  if exists (select from fresh where (select true from events where id = fresh.event_id) is null) then
    raise exception '% points to no event', tg_table_name using errcode = '23503';
  end if;
  return null;
end $$;
create trigger outbox_points_to_rows after insert on outbox
  referencing new table as fresh for each statement execute function refuse_without_event();
create trigger deliveries_point_to_rows after insert on deliveries
  referencing new table as fresh for each statement execute function refuse_without_event();

-- One row for each receiver that something waits for; a claim reads those that are due, not those that
-- wait. It is moved on, or removed, when a claim finds nothing to take. Whoever makes something due for a
-- receiver writes its row anew, changed or not: by its xmin a claim knows whether it has seen everything.
create table receivers (
  id uuid primary key,
  shop_id uuid not null,
  -- Never later than the first of its events; it may be earlier, and then a claim finds that out.
  next_due_at timestamptz not null
) with (fillfactor = 50);
create index receivers_due on receivers (next_due_at);
create index receivers_of_shop on receivers (shop_id);

-- Every attempt, also those under way.
create view attempts as
select event_id, attempt, started_at, status, error, duration_ms from deliveries
union all
select event_id, attempts, started_at, null, null, null from outbox where leased_until is not null;

create function address_of(event_url text, is_own boolean, shop_url text) returns text
language sql immutable as $$
  select case when is_own then event_url else shop_url end
$$;

-- What became of each event, and where it goes or went.
create view event_states as
select event.id as event_id,
       case when work.next_attempt_at is not null then 'waiting'
            when work.event_id is not null then 'exhausted'
            when last.error = 'no address' then 'no_address'
            when last.attempt is not null or event.attempts_removed > 0
              or event.hook_url is not null then 'delivered'
            else 'no_address' end as state,
       coalesce(work.attempts, last.attempt, event.attempts_removed) as attempts,
       greatest(work.next_attempt_at, work.leased_until) as next_attempt_at,
       case when work.next_attempt_at is not null
            then address_of(event.hook_url, event.hook_is_own, shop.hook_url)
            when last.error is distinct from 'no address'
            then coalesce(last.corrected_url, event.hook_url) end as hook_url
from events event
left join shops shop on shop.id = event.shop_id
left join outbox work on work.event_id = event.id
left join lateral (select attempt, error, corrected_url from deliveries where event_id = event.id
                   order by attempt desc limit 1) last on true;

-- Events that have no position yet, in the order in which they were written: of one invoice that is the
-- order of their sequences, because whoever writes one holds the invoice.
create table event_feed_queue (
  id bigint generated by default as identity primary key,
  event_id uuid not null,
  shop_id uuid not null
);

create table event_feed (
  event_id uuid primary key,
  -- An event of a user is in no shop's feed.
  shop_id uuid,
  user_id uuid not null,
  position bigint not null check (position > 0),
  -- When it got its position: a reader begins before a moment by it.
  placed_at timestamptz not null,
  unique (shop_id, position),
  unique (user_id, position)
);

-- The last position that was given; also where its event was removed since. Whoever gives positions holds
-- this row, and so does it alone.
create table event_feed_end (
  only_row boolean primary key default true check (only_row),
  position bigint not null default 0 check (position >= 0)
);
insert into event_feed_end default values;
create trigger event_feed_append_only before update or truncate on event_feed
  for each statement execute function refuse_change();
create trigger event_feed_stays after delete on event_feed
  referencing old table as gone for each statement execute function refuse_deletion(
    'not exists (select from events where id = gone.event_id)');
create trigger event_feed_points_to_rows after insert on event_feed
  referencing new table as fresh for each statement execute function refuse_without_event();

create function queue_events() returns trigger language plpgsql as $$
begin
  insert into event_feed_queue (event_id, shop_id)
  select id, shop_id from fresh where shop_id is not null;
  insert into user_event_feed_queue (event_id, user_id)
  select id, user_id from fresh where user_id is not null;
  return null;
end $$;
create trigger events_are_queued after insert on events
  referencing new table as fresh for each statement execute function queue_events();
create unique index events_of_payout on events (payout_id, sequence) where payout_id is not null;
create index events_of_user on events (user_id, id) where user_id is not null;

create function refuse_orphan_webhook_keys() returns trigger language plpgsql as $$
begin
  if exists (select from fresh where not exists (select from shops where id = fresh.shop_id)
                                 and not exists (select from users where id = fresh.shop_id)) then
    raise exception 'webhook keys of nobody' using errcode = '23503';
  end if;
  return null;
end $$;
create trigger webhook_keys_point_to_rows after insert on webhook_keys
  referencing new table as fresh for each statement execute function refuse_orphan_webhook_keys();

-- The same of events of users, in one order with those of shops.
create table user_event_feed_queue (
  id bigint primary key default nextval('event_feed_queue_id_seq'),
  event_id uuid not null,
  user_id uuid not null
);

create index event_feed_by_moment on event_feed (placed_at);
