-- Events that are told to a user, of a payout: beside those that are told to a shop, of an invoice. Of what is
-- left to do about them a row says by `shop_id` whose it is: in outbox, receivers and webhook_keys that is the
-- shop's id, or the user's own where the event is. A gateway of the version before finds no such shop: what it
-- takes of a user it tells nobody, and its lease runs out as if it had stopped.

alter table events
  alter column shop_id drop not null,
  alter column invoice_id drop not null,
  add column user_id uuid,
  add column payout_id uuid,
  -- Rows of before hold to it: both of their columns were not null. So nobody waits for a look at all of them.
  add constraint events_of_one check (
    num_nonnulls(shop_id, invoice_id) = 2 and num_nonnulls(user_id, payout_id) = 0
    or num_nonnulls(shop_id, invoice_id) = 0 and num_nonnulls(user_id, payout_id) = 2) not valid;
create unique index events_of_payout on events (payout_id, sequence) where payout_id is not null;
create index events_of_user on events (user_id, id) where user_id is not null;

-- As in 0004_invoices.sql. An event of a user is never removed: its invoice is not there, nor expired.
create or replace function refuse_orphan_events() returns trigger language plpgsql as $$
begin
  if exists (select from fresh
             where (select shop_id from invoices where id = fresh.invoice_id)
                     is distinct from fresh.shop_id
               or fresh.user_id is not null
                 and (select true from users where id = fresh.user_id) is null) then
    raise exception 'an event points to nothing' using errcode = '23503';
  end if;
  return null;
end $$;

-- The keys of shops and of users are found, sealed and replaced by the same statements.
alter table webhook_keys drop constraint webhook_keys_shop_id_fkey;
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

-- An event of a user is in the feed of that user, and in no shop's.
alter table event_feed alter column shop_id drop not null;

-- Beside event_feed_queue, in one row with it: a gateway of the version before removes from there what has no
-- shop, and gives it no position.
create table user_event_feed_queue (
  id bigint primary key default nextval('event_feed_queue_id_seq'),
  event_id uuid not null,
  user_id uuid not null
);

create or replace function queue_events() returns trigger language plpgsql as $$
begin
  insert into event_feed_queue (event_id, shop_id)
  select id, shop_id from fresh where shop_id is not null;
  insert into user_event_feed_queue (event_id, user_id)
  select id, user_id from fresh where user_id is not null;
  return null;
end $$;

-- As in 0015_event_feed.sql, with both queues, and the feed that an event of a user is in.
create or replace function violations_of_events(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
  select left(what, 2)::integer, 'event ' || id || substr(what, 3)
  from (
    select id, array[
      case when attempts is null and (last is distinct from delivered_by
                or last is null and removed = 0 and hook_url is not null)
         then '19 is neither delivered nor in the outbox' end,
      case when owner <> coalesce(shop_id, user_id)
         then '19 is in the outbox of somebody else' end,
      case when coalesce(tries, 0) + removed + coalesce(under_way, 0) <> made or first <= removed
                or under_way = 1 and last >= attempts
         then '21 has attempts that are not numbered 1 to ' || made end,
      case when position is null and queued is null
         then '35 has no position in the feed, and waits for none' end,
      case when queued > 1 or position is not null and queued = 1
         then '35 has a position in the feed, and waits for another' end,
      case when position is null and queued > 0 and created_at < at_moment - interval '10 seconds'
         then '17 has waited for its position in the feed for more than 10 s' end,
      case when position is not null and removed is null
         then '35 has a position in the feed, and is not there' end,
      case when position is not null and removed is not null
             and (feed_shop, feed_user) is distinct from
               (shop_id, coalesce(user_id, (select shops.user_id from shops
                                            where shops.id = event.shop_id limit 1)))
         then '35 is in the feed of somebody else' end,
      case when position > (select end_row.position from event_feed_end end_row)
         then '35 has a position that will be given once more' end] as wrong
    from (select id, shop_id, user_id, created_at, hook_url, attempts_removed as removed from events
          where id > after and id <= up_to) event
    full join (
      select event_id as id, shop_id as feed_shop, user_id as feed_user, position
      from event_feed where event_id > after and event_id <= up_to) feed using (id)
    left join (
      select event_id as id, count(*) as queued
      from (select event_id from event_feed_queue
            union all select event_id from user_event_feed_queue) queue
      where event_id > after and event_id <= up_to group by event_id) waiting using (id)
    left join (
      select event_id as id, count(*) as tries, min(attempt) as first, max(attempt) as last,
             max(attempt) filter (where status between 200 and 299) as delivered_by
      from deliveries where event_id > after and event_id <= up_to group by event_id) told using (id)
    left join (
      select event_id as id, shop_id as owner, attempts, (leased_until is not null)::integer as under_way
      from outbox where event_id > after and event_id <= up_to) work using (id)
    cross join lateral (select greatest(last, attempts, removed) as made) newest
    offset 0) judged
  cross join lateral unnest(wrong) as found(what)
  where array_to_string(wrong, '') <> '' and what is not null
$$;
