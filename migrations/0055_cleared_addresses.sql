-- An event without an address of its own goes to what the shop has now. A shop that clears its address gets no further
-- attempt: what waits leaves the outbox with an attempt that says 'no address'. A gateway of the version before still
-- sends to the address of then.

create function address_of(event_url text, is_own boolean, shop_url text) returns text
language sql immutable as $$
  select case when is_own then event_url else shop_url end
$$;

-- As in 0003_webhooks.sql, but for the address and for what ended without one.
create or replace view event_states as
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

-- As in 0017_user_events.sql, but for an event that ended without an address.
create or replace function violations_of_events(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
  select left(what, 2)::integer, 'event ' || id || substr(what, 3)
  from (
    select id, array[
      case when attempts is null and (last is distinct from ended_by
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
             max(attempt) filter (where status between 200 and 299
               or error = 'no address') as ended_by
      from deliveries where event_id > after and event_id <= up_to group by event_id) told using (id)
    left join (
      select event_id as id, shop_id as owner, attempts, (leased_until is not null)::integer as under_way
      from outbox where event_id > after and event_id <= up_to) work using (id)
    cross join lateral (select greatest(last, attempts, removed) as made) newest
    offset 0) judged
  cross join lateral unnest(wrong) as found(what)
  where array_to_string(wrong, '') <> '' and what is not null
$$;
