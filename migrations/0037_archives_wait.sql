-- As in 0025_months.sql and 0028_archive_digests.sql: money that waits keeps the months in which whoever settles it may
-- find what it was meant for. It is looked for among the details of seven days before (near-queries.ts), which
-- quarantines are part of; what somebody proposes it for may be older.
create or replace function archive_obstacles(before uuid, at_moment timestamptz)
returns table (reason text, found bigint, example uuid) language sql stable as $$
  with since as materialized (select archived_before() as id)
  select reason, count(*), (array_agg(id order by id))[1]
  from (
    select 'invoices are open' as reason, id from invoices
    where id < before and state in ('created', 'pending')
    union all
    select 'payments may still be paid: their quarantine is not over', id from payments
    where (id < before or invoice_id < before) and (state = 'live' or slot_until > at_moment)
    union all
    select 'payments lie before the end of the month and their invoices after it: archive the next month too', id
    from payments where id < before and invoice_id >= before
    union all
    select 'events lie before the end of the month and what they tell of after it: archive the next month too', id
    from events where id < before and (invoice_id >= before or payout_id >= before)
    union all
    select 'credits are frozen', payment_id from ledger_freezes, since
    where payment_id >= since.id and payment_id < before and released_at is null
    union all
    select 'transfers wait in suspense', id from transfers
    where state = 'suspense' and (id < before
      or coalesce(made_from, received_at) < moment_of(before) + interval '7 days')
    union all
    select 'proposals wait for somebody to confirm or decline them', id from transfer_proposals
    where state = 'open' and payment_id < before
    union all
    select 'transfers wait for a proof', id from transfers
    where needs_proof and state <> 'returned' and (id < before or payment_id < before)
    union all
    select 'events wait to be told', event_id from outbox
    where next_attempt_at is not null and (event_id < before or (
      select invoice_id < before or payout_id < before from events where id = outbox.event_id))
    union all
    select 'events wait for their position in the feed', event_id from event_feed_queue
    where event_id < before
    union all
    select 'events wait for their position in the feed', event_id from user_event_feed_queue
    where event_id < before
    union all
    select 'payouts are under way', payouts.id from payouts, since
    where payouts.id >= since.id and payouts.id < before
      and state in ('held', 'queued', 'sending', 'unknown')
    union all
    select 'a job fails on rows of that time', id from failing_rows where id < before
    union all
    select 'figures are not counted that far', up_to from tally_marks
    where as_of < moment_of(before)) obstacle
  group by reason
$$;
