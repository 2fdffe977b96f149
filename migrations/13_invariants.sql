-- What must always hold: a function for each part, which returns a row for each violation in a range of ids.
-- The numbers are those of the list in docs/money.md. What belongs together is found in the same range of an index
-- of each table and judged in one snapshot. The list of violations of a row is made behind "offset 0", once.

create function violations_of_invoices(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
  with offered as (
    select invoice_id as id, count(*) as payments, count(*) filter (where state = 'paid') as paid,
           count(*) filter (where state = 'live') as live,
           max(number) filter (where state = 'live') as newest_live, max(number) as newest,
           sum(case when refunded_minor = 0 then 0 else
             (select count(*) from refunds where payment_id = payments.id) end) as refunds
    from payments where invoice_id > after and invoice_id <= up_to group by invoice_id
  ), told as (
    select invoice_id as id, count(*) as events, min(sequence) as first, max(sequence) as last,
           bool_or(status = 'success') as of_success, bool_or(status = 'expired') as of_expiry,
           bool_or(status = 'fail') as of_failure,
           count(*) filter (where status = 'refund') as refunds,
           count(*) filter (where not is_own) as strange
    from (select invoice_id, sequence, coalesce(status, told ->> 'status') as status,
                 (told ->> 'event_id', told ->> 'sequence') = (id::text, sequence::text) as is_own
          from (select id, invoice_id, sequence, status, body::jsonb as told from events
                where invoice_id > after and invoice_id <= up_to order by invoice_id) event) event
    group by invoice_id
  )
  select left(what, 2)::integer, 'invoice ' || id || substr(what, 3)
  from (
    select id, array[
      case when state is null then '13 is not there, and has payments or events' end,
      case when (state in ('paid', 'refunded')) <> (coalesce(paid, 0) = 1)
                or state = 'created' and payments > 0 or state = 'pending' and payments is null
         then '13 is ' || state || ' with ' || coalesce(paid, 0) || ' paid of '
              || coalesce(payments, 0) || ' payments' end,
      case when newest_live <> details then '14 has a live payment that is not its newest' end,
      case when coalesce(payments, 0) <> details
         then '14 counts ' || details || ' details, has ' || coalesce(payments, 0) end,
      case when newest <> payments
         then '14 has ' || payments || ' payments, and their last number is ' || newest end,
      case when live > 1 then '14 has ' || live || ' live payments' end,
      case when state in ('created', 'pending') and expires_at + interval '5 seconds' < at_moment
         then '17 is ' || state || ' past its end' end,
      case when state in ('created', 'pending')
                and id not in (select due.id from dues due where kind = 'expire-invoices')
         then '17 is ' || state || ' and falls never due' end,
      case when state in ('paid', 'refunded', 'expired', 'failed')
                and (case state when 'expired' then of_expiry when 'failed' then of_failure
                     else of_success end) is not true
         then '18 is ' || state || ' and its shop was not told' end,
      case when coalesce(offered.refunds, 0) <> coalesce(told.refunds, 0)
         then '18 has ' || coalesce(offered.refunds, 0) || ' refunds, its shop was told of '
              || coalesce(told.refunds, 0) end,
      case when first <> 1 or last <> invoice.events or coalesce(told.events, 0) <> invoice.events
         then '20 has events that are not numbered 1 to ' || invoice.events end,
      case when strange > 0 then '20 has an event whose body is not its own' end] as wrong
    from (select * from invoices where id > after and id <= up_to) invoice
    full join offered using (id) full join told using (id)
    offset 0) judged
  cross join lateral unnest(wrong) as found(what)
  where array_to_string(wrong, '') <> '' and what is not null
  union all
  select 13, 'payment ' || payment.id || ' is of another amount, currency, shop or user than its invoice'
  from payments payment join invoices invoice on invoice.id = payment.invoice_id
  where payment.invoice_id > after and payment.invoice_id <= up_to
    and invoice.id > after and invoice.id <= up_to
    and (payment.amount_minor, payment.currency, payment.shop_id, payment.user_id)
      <> (invoice.amount_minor, invoice.currency, invoice.shop_id, invoice.user_id)
$$;

create function violations_of_payments(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
  select left(what, 2)::integer, 'payment ' || id || substr(what, 3)
  from (
    select id, array[
      case when coalesce(transfers, 0) <> case when state = 'paid' then 1 else 0 end
        then '05 was credited ' || coalesce(transfers, 0) || ' times' end,
      -- A slot that is looked at when its time ends may be somebody else's in the same moment.
      case when slot_until > at_moment + interval '5 seconds'
               and ((select held_until from slots slot
                     where slot.requisite_id = payment.requisite_id
                       and slot.amount_minor = payment.to_pay_minor
                       and slot.payment_id = payment.id) >= slot_until) is not true
        then '07 has lost its slot' end,
      case when to_pay_minor <> amount_minor + payer_fee_minor + nudge_minor
               or payer_fee_minor > fee_minor
               or state = 'paid' and credited_minor <> received_minor - fee_minor
        then '09 has a fee that does not add up' end,
      case when credited_minor is distinct from frozen_minor
           or (user_id, currency) <> (frozen_user, frozen_currency)
         then '10 has a credit that is not frozen as it was booked' end,
      case when coalesce(refunded_minor, 0) <> coalesce(sent_minor, 0)
         then '11 says ' || coalesce(refunded_minor, 0) || ' refunded, refunds '
              || coalesce(sent_minor, 0) end,
      case when elsewhere > 0 then '11 has a refund of another shop' end,
      case when state = 'live' and ends_at + interval '5 seconds' < at_moment
         then '17 is live past its end' end,
      case when state = 'live'
                and id not in (select due.id from dues due where kind = 'lapse-payments')
         then '17 is live and falls never due' end] as wrong
    from (select * from payments where id > after and id <= up_to) payment
    full join (select payment_id as id, count(*) as transfers from transfers
               where payment_id > after and payment_id <= up_to group by payment_id) paid_by using (id)
    full join (select payment_id as id, amount_minor as frozen_minor, user_id as frozen_user,
                 currency as frozen_currency from ledger_freezes
               where payment_id > after and payment_id <= up_to) frozen using (id)
    full join (select payment_id as id, sum(amount_minor) as sent_minor,
                 count(*) filter (where shop_id <> (select shop_id from payments
                                                    where payments.id = payment_id)) as elsewhere
               from refunds
               where payment_id > after and payment_id <= up_to group by payment_id) sent using (id)
    offset 0) judged
  cross join lateral unnest(wrong) as found(what)
  where array_to_string(wrong, '') <> '' and what is not null
$$;

-- What must always hold of it.

create function violations_of_ledger_postings(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
  with booked as (
    select source_id as id,
           count(*) filter (where kind in ('transfer_matched', 'suspense_assigned')) as credits,
           count(*) filter (where kind = 'suspense_returned') as returns,
           count(*) filter (where kind = 'freeze_over') as releases,
           count(*) filter (where kind = 'refund') as refunds,
           sum(frozen_minor) as frozen, sum(available_minor) as available,
           sum(suspense_minor) as suspense,
           count(*) filter (where kind in ('suspense_cleared', 'suspense_owned')) as clearings,
           sum(bank_out_minor) as bank_out,
           count(*) filter (where kind like 'payout%') as payouts,
           count(*) filter (where kind in ('outflow_seen', 'bank_charge', 'internal_seen', 'own_seen',
             'line_corrected')) as seen,
           count(*) filter (where kind in ('own_opening', 'own_opening_back', 'own_withdrawn',
             'fees_withdrawn')) as moves,
           count(*) filter (where bank_minor + bank_out_minor + suspense_minor + fees_minor
             + frozen_minor + available_minor + reserved_minor + own_minor <> 0) as unbalanced,
           count(*) filter (where (bank_minor, bank_out_minor, suspense_minor, fees_minor,
             frozen_minor, available_minor, reserved_minor, own_minor) = (0, 0, 0, 0, 0, 0, 0, 0))
             as empty,
           count(*) filter (where user_id not in (select id from users)
             or requisite_id not in (select id from requisites)) as strange
    from ledger_postings where source_id > after and source_id <= up_to group by source_id
  )
  select left(what, 2)::integer, 'a posting of ' || source_id || substr(what, 3)
  from (
    select '05 is of another requisite, currency or amount than its transfer' as what, id, requisite_id,
           currency, amount_minor
    from transfers where id > after and id <= up_to
    union all
    select '34 is of another requisite or currency than its movement', movement.id, requisite.id, currency,
           movement.amount_minor
    from movements movement join requisites requisite on requisite.id = movement.requisite_id
    where movement.id > after and movement.id <= up_to
    union all
    select '34 is of another requisite or currency than its move', id, requisite_id, currency, null
    from own_moves where id > after and id <= up_to) source
  join ledger_postings posting on source_id = source.id
  where source_id > after and source_id <= up_to
    and (posting.currency <> source.currency or posting.requisite_id <> source.requisite_id
      or greatest(abs(bank_minor), abs(suspense_minor)) <> source.amount_minor)
  union all
  select left(what, 2)::integer, 'transfer ' || id || substr(what, 3)
  from (
    select id, array[
      case when coalesce(credits, 0) <> case when state = 'matched' then 1 else 0 end
        then '05 is booked ' || coalesce(credits, 0) || ' times as a credit' end,
      case when payment_id is not null and (paid_state = 'paid' and paid_currency = currency
                                              and received_minor = amount_minor
               and paid_invoice = invoice_id
               and (paid_on = requisite_id or settled_at is not null)) is not true
        then '05 and payment ' || payment_id || ' differ' end,
      case when coalesce(suspense, 0) <> case when state = 'suspense' then amount_minor else 0 end
        then '06 is ' || state || ' with ' || coalesce(suspense, 0) || ' in suspense' end,
      case when coalesce(returns, 0) <> case when state = 'returned' then 1 else 0 end
        then '06 is ' || state || ' and was returned ' || coalesce(returns, 0) || ' times' end,
      case when coalesce(clearings, 0) <> case when state = 'cleared' then 1 else 0 end
        then '06 is ' || state || ' and was cleared ' || coalesce(clearings, 0) || ' times' end,
      case when payment_id is not null and credited_minor is distinct from frozen
        then '09 is booked with ' || coalesce(frozen, 0) || ', credited with '
             || coalesce(credited_minor, 0) end,
      case when settled_at is null
                and (coalesce(made_from, received_at) >= slot_until
                  or issued_at > coalesce(made_to, received_at) + interval '5 seconds')
         then '33 was not made in the time of payment ' || payment_id end] as wrong
    from (select * from transfers where id > after and id <= up_to) transfer
    left join booked using (id)
    left join lateral (select state as paid_state, received_minor, credited_minor, slot_until,
                              currency as paid_currency, requisite_id as paid_on, invoice_id as paid_invoice,
                              created_at as issued_at from payments
                       where payments.id = transfer.payment_id limit 1) payment on true
    offset 0) judged
  cross join lateral unnest(wrong) as found(what)
  where array_to_string(wrong, '') <> '' and what is not null
  union all
  select left(what, 2)::integer, 'the freeze of payment ' || id || substr(what, 3)
  from (
    select frozen.payment_id as id, array[
      case when (frozen.released_at is null) <> (coalesce(booked.releases, 0) = 0)
            or frozen.released_at < frozen.frozen_until
          then '10 was released early or not once' end,
      case when booked.releases > 0 and booked.available <> frozen.amount_minor
          then '10 released ' || booked.available || ' of ' || frozen.amount_minor end,
      case when frozen.released_at is null and not frozen.needs_proof
            and frozen.payment_id not in (select id from dues where kind = 'release-freezes')
          then '10 falls never due' end,
      case when frozen.needs_proof and (select needs_proof from transfers
                                        where payment_id = frozen.payment_id) is not true
          then '31 waits for a proof that is there' end] as wrong
    from (select * from ledger_freezes where payment_id > after and payment_id <= up_to) frozen
    left join booked on booked.id = frozen.payment_id
    offset 0) judged
  cross join lateral unnest(wrong) as found(what)
  where array_to_string(wrong, '') <> '' and what is not null
  union all
  select left(what, 2)::integer, 'a posting of ' || id || substr(what, 3)
  from (
    select booked.id as id, array[
      case when unbalanced > 0 then '01 does not sum to zero' end,
      case when empty > 0 then '01 moves nothing' end,
      case when strange > 0 then '03 is of no known user or requisite' end,
      case when suspense <> 0 and (select true from transfers where id = booked.id) is null
        then '06 is of no known transfer' end,
      case when payouts > 0 and (select true from payouts where id = booked.id) is null
        then '29 is of no known payout' end,
      case when refunds > 0 and bank_out <> -available then '34 is of a refund that did not leave' end,
      case when seen > 0 and (select true from movements where id = booked.id) is null
        then '34 is of no known movement' end,
      case when moves > 0 and (select true from own_moves where id = booked.id) is null
        then '34 is of no known move of the operator''s own' end,
      case when refunds > 0 and -available is distinct from
                (select amount_minor from refunds refund where refund.id = booked.id)
         then '11 takes ' || -available || ', and its refund another amount' end] as wrong
    from booked
    offset 0) judged
  cross join lateral unnest(wrong) as found(what)
  where array_to_string(wrong, '') <> '' and what is not null
$$;

-- All that is a user's, in one snapshot, payouts included.
create function violations_of_users(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
  select 28, 'user ' || user_id || ' has counted ' || counted || ' ' || currency || ' of payouts by '
             || service || ' on ' || day || ', and made ' || made
  from (select user_id, service, currency, day, sum(counted) as counted, sum(made) as made,
               sum(payouts) as uneven
        from (select user_id, service, currency, day, sum_minor as counted, 0 as made, payouts
              from payout_days where user_id > after and user_id <= up_to
              union all
              select user_id, service, currency, created_on, 0, amount_minor, -1 from payouts
              where user_id > after and user_id <= up_to and state not in ('failed', 'canceled')) parts
        group by user_id, service, currency, day) totals
  where counted <> made or uneven <> 0
  union all
  select 3, 'the balance of user ' || user_id || ' in ' || currency || ' is not what was posted: '
            || available || ' available, ' || frozen || ' frozen, ' || reserved || ' reserved too much'
  from (select user_id, currency, sum(available_minor) as available, sum(frozen_minor) as frozen,
               sum(reserved_minor) as reserved
        from (select user_id, currency, available_minor, frozen_minor, reserved_minor
              from ledger_balances where user_id > after and user_id <= up_to
              union all
              select user_id, currency, -available_minor, -frozen_minor, -reserved_minor
              from ledger_postings where user_id > after and user_id <= up_to) parts
        group by user_id, currency) totals
  where (available, frozen, reserved) <> (0, 0, 0)
  union all
  select 4, 'the balance of user ' || user_id || ' in ' || currency || ' is below zero'
  from ledger_balances
  where user_id > after and user_id <= up_to and least(available_minor, frozen_minor, reserved_minor) < 0
  union all
  select 11, 'user ' || user_id || ' has ' || held || ' ' || currency || ' of ' || due
  from (select user_id, currency, sum(held) as held, sum(due) as due
        from (select user_id, currency, available_minor + frozen_minor + reserved_minor as held, 0 as due
              from ledger_balances where user_id > after and user_id <= up_to
              union all
              select shop.user_id, paid.currency, 0, paid.due
              from (select shop_id, currency, sum(credited_minor - refunded_minor) as due from payments
                    where shop_id = any(array(
                        select id from shops where user_id > after and user_id <= up_to))
                      and state = 'paid'
                    group by shop_id, currency) paid
              join shops shop on shop.id = paid.shop_id
              union all
              select user_id, currency, 0, case state when 'done' then -withdraw_minor
                       else receive_minor - withdraw_minor + case when refunds_fee then fee_minor else 0 end
                     end
              from payouts
              where user_id > after and user_id <= up_to and state in ('done', 'returned')) parts
        group by user_id, currency) totals
  where held <> due
  union all
  select 28, 'user ' || user_id || ' has ' || reserved || ' ' || currency || ' reserved, and payouts of '
            || due || ' under way'
  from (select user_id, currency, sum(reserved) as reserved, sum(due) as due
        from (select user_id, currency, reserved_minor as reserved, 0 as due
              from ledger_balances where user_id > after and user_id <= up_to
              union all
              select user_id, currency, 0, withdraw_minor from payouts
              where user_id > after and user_id <= up_to
                and state in ('held', 'queued', 'sending', 'unknown')) parts
        group by user_id, currency) totals
  where reserved <> due
$$;

create function violations_of_requisite_usage(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
  select left(what, 2)::integer, 'requisite ' || id || substr(what, 3)
  from (
    select usage.requisite_id as id, array[
      case when usage.live_payments <> taken.live
          then '08 counts ' || usage.live_payments || ' live, has ' || taken.live end,
      case when usage.day_sum_minor <> taken.day_sum or usage.day_payments <> taken.day_payments
          then '08 counts ' || usage.day_sum_minor || ' for the day, has ' || taken.day_sum end] as wrong
    from requisite_usage usage
    cross join lateral (
      select count(*) filter (where state = 'live') as live,
             count(*) filter (where is_of_day) as day_payments,
             coalesce(sum(to_pay_minor) filter (where is_of_day), 0) as day_sum
      from (select state, to_pay_minor, created_on = usage.day
                     and (state = 'live' or state = 'paid' and not late) as is_of_day
            from payments where requisite_id = usage.requisite_id) payment) taken
    where usage.requisite_id > after and usage.requisite_id <= up_to
    offset 0) judged
  cross join lateral unnest(wrong) as found(what)
  where array_to_string(wrong, '') <> '' and what is not null
$$;

-- Also one whose time is over: until it is taken over, it is that payment's. No two payments have one, for
-- (requisite, amount) is its key.
create function violations_of_slots(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
  select 7, 'the slot of ' || slot.amount_minor || ' on requisite ' || slot.requisite_id
            || ' is not that of its payment ' || slot.payment_id
  from slots slot
  left join lateral (select * from payments where id = slot.payment_id limit 1) payment on true
  where slot.requisite_id > after and slot.requisite_id <= up_to
    and (slot.requisite_id, slot.amount_minor, slot.shop_id, slot.user_id) is distinct from
      (payment.requisite_id, payment.to_pay_minor, payment.shop_id, payment.user_id)
$$;

create function violations_of_events(at_moment timestamptz, after uuid, up_to uuid)
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

create function violations_of_outbox(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
  select 19, 'event ' || work.event_id || ' waits and nobody will look for it'
  from outbox work left join receivers receiver on receiver.id = work.receiver
  left join failing_rows failing on failing.kind = 'deliver-events' and failing.id = work.event_id
  where work.event_id > after and work.event_id <= up_to and work.next_attempt_at is not null
    and (receiver.id is null or receiver.next_due_at
           > greatest(work.next_attempt_at, work.leased_until, failing.next_try_at))
$$;

create function violations_of_guards()
returns table (invariant integer, detail text) language sql stable as $$
  select guard.invariant, 'the table ' || guard.table_name || ' can be changed'
  from (values (2, 'ledger_postings', 'ledger_postings_append_only'),
               (34, 'own_moves', 'own_moves_go_back_within_openings'),
               (20, 'events', 'events_append_only'),
               (20, 'events', 'events_stay'),
               (20, 'events', 'events_go_with_invoices'),
               (12, 'payout_attempts', 'payout_attempts_stay'),
               (29, 'payouts', 'payouts_stay'),
               (13, 'statement_lines', 'statement_lines_edges'),
               (36, 'approvals', 'approvals_are_guarded'),
               (36, 'approvals', 'approvals_stay'),
               (36, 'transfers', 'transfers_need_approvals'),
               (36, 'payout_attempts', 'contradicted_attempts_need_approvals'),
               (36, 'statement_lines', 'statement_lines_need_approvals')) guard(invariant, table_name, name)
  where not exists (select from pg_trigger where tgrelid = guard.table_name::regclass
                      and tgname = guard.name and tgenabled = 'O')
  union all
  -- What is unique by an index is so in every row of it.
  select 15, 'orders can have several invoices'
  where not exists (select from pg_constraint join pg_index on indexrelid = conindid
                    where conrelid = 'invoices'::regclass and contype = 'u' and indisvalid
                      and pg_get_constraintdef(pg_constraint.oid) = 'UNIQUE (shop_id, order_id)')
  union all
  select guard.invariant, guard.what
  from (values (12, 'one_attempt_may_have_left', 'a payout can have several attempts that may have left'),
               (36, 'approvals_once', 'a person can approve the same thing twice'),
               (30, 'payouts_of_reference', 'a bank''s reference can prove several payouts'))
         guard(invariant, name, what)
  where not exists (select from pg_index where indexrelid = to_regclass(guard.name)
                      and indisunique and indisvalid)
  union all
  select 38, kind || ' has failed ' || failures || ' times on ' || id || ', and tries it again: '
            || error
  from failing_rows
$$;

-- What was returned as money that never came is not booked, so that whoever tells
-- of it then has told of nothing twice.
create function violations_of_transfers(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
  select left(what, 2)::integer, 'transfer ' || id || substr(what, 3)
  from (
    select id, array[
      case when (select true from evidence where transfer_id = transfer.id
                 and (requisite_id, amount_minor) <> (transfer.requisite_id, transfer.amount_minor)
                 limit 1)
        then '31 is told of with another requisite or amount' end,
      case when (select true from evidence
                 where transfer_id = transfer.id and evidence.teller = transfer.teller)
        then '31 was told of twice by ' || teller end,
      case when made_to < made_from + interval '2 minutes' and state <> 'returned'
            and (select true from evidence where transfer_id = transfer.id limit 1) is null
            and (select true from transfers other
                 where other.requisite_id = transfer.requisite_id
                   and other.amount_minor = transfer.amount_minor
                   and coalesce(other.made_from, other.received_at)
                     between transfer.made_from - interval '9 minutes' and transfer.made_from
                   and other.made_to < other.made_from + interval '2 minutes'
                   and other.teller <> transfer.teller and other.state <> 'returned'
                   and (select true from evidence where transfer_id = other.id limit 1) is null
                 limit 1)
        then '31 is money that another teller has told of' end] as wrong
    from (select * from transfers where id > after and id <= up_to) transfer
    offset 0) judged
  cross join lateral unnest(wrong) as found(what)
  where array_to_string(wrong, '') <> '' and what is not null
$$;

-- A line that one person has approved is booked by two.
create function violations_of_statement_lines(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
  select 32, 'line ' || id || ' and the transfer that it tells of differ'
  from (select * from statement_lines where id > after and id <= up_to
          and transfer_id is not null) line
  where (select (requisite_id, amount_minor) = (line.requisite_id, line.amount_minor)
           and (reference = 'line:' || line.format || ':' || line.key || ':' || line.ordinal
             or (select true from evidence where transfer_id = transfers.id
                   and teller = 'line:' || line.format
                   and key = line.key || ':' || line.ordinal) is true)
         from transfers where id = line.transfer_id) is not true
  union all
  select 34, 'line ' || id || ' is ' || outcome || ', and its movement is another'
  from statement_lines line
  where id > after and id <= up_to and movement_id is not null
    and (booked_as(line) <> outcome and outcome <> 'missing'
      or (select (requisite_id, day, direction, amount_minor)
            = (line.requisite_id, line.day, line.direction, line.amount_minor)
          from movements where id = line.movement_id) is not true)
  union all
  select 37, 'line ' || id || ' tells a whole number'
  from statement_lines
  where id > after and id <= up_to and holds_card_number(concat_ws(' ', number, party, purpose))
  union all
  select 36, 'line ' || subject_id || ' was booked by one person'
  from approvals
  where subject_id > after and subject_id <= up_to and action = 'book' and withdrawn_at is null
  group by subject_id
  having count(distinct person_id) < 2
    and (select transfer_id is not null from statement_lines where id = subject_id)
$$;

-- A movement that some line tells of is in the ledger as its kind, and no other one is.
create function violations_of_movements(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
  select 34, 'movement ' || id || ' is ' || kind || ', and the ledger has something else of it'
  from (
    select id, kind, (-came, case when kind in ('outflow', 'internal') then came else 0 end,
        case when kind = 'charge' then came else 0 end, case when kind = 'own' then came else 0 end)
      <> (coalesce(bank, 0), coalesce(bank_out, 0), coalesce(fees, 0), coalesce(own, 0)) as is_wrong
    from (select id, kind, case when place is null then 0 when direction = 'in' then amount_minor
                                else -amount_minor end as came
          from movements where id > after and id <= up_to) movement
    left join (
      select source_id as id, sum(bank_minor) as bank, sum(bank_out_minor) as bank_out,
             sum(fees_minor) as fees, sum(own_minor) as own
      from ledger_postings where source_id > after and source_id <= up_to group by source_id) booked
      using (id)
    offset 0) judged
  where is_wrong
  union all
  select 34, 'movement ' || id || case when place is null then ' is not in the ledger, and a line tells of it'
                                       else ' is in the ledger, and no line tells of it' end
  from movements movement
  where id > after and id <= up_to
    and (place is null) = exists (select from statement_lines where movement_id = movement.id)
$$;

-- The last file of its days: its lines are what it says to have come and gone.
create function violations_of_imports(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
  select 32, 'import ' || import_id || ' says ' || in_minor - out_minor || ' of ' || from_day
           || ' to ' || to_day || ', its lines ' || lines_minor
  from (
    select section.*, (
      select coalesce(sum(case direction when 'in' then amount_minor else -amount_minor end), 0)
      from statement_lines line
      where line.requisite_id = section.requisite_id and line.day >= section.from_day
        and line.day <= section.to_day and line.format = section.format
        and line.seen_in = section.import_id) as lines_minor
    from (select * from statement_sections where import_id > after and import_id <= up_to) section
    where (select applied_at from imports where id = section.import_id) is not null
      and not exists (
        select from statement_sections newer
        where newer.requisite_id = section.requisite_id and newer.to_day >= section.from_day
          and newer.from_day <= section.to_day and newer.format = section.format
          and newer.place > section.place)
    offset 0) told
  where lines_minor <> in_minor - out_minor
$$;

-- What the operator has said is what was booked: of itself, or of the transfer that it came as.
create function violations_of_own_moves(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
  select 34, 'the operator''s own move ' || id || ' is booked as something else'
  from (select id, transfer_id, account, currency, requisite_id,
               case kind when 'opening_back' then -amount_minor when 'withdrawal' then 0
                    else amount_minor end as came,
               case kind when 'withdrawal' then amount_minor else 0 end as gone
        from own_moves where id > after and id <= up_to) move
  where (select (sum(bank_minor), sum(bank_out_minor), sum(fees_minor), sum(own_minor))
           = (-came, gone, case account when 'fees' then -gone else 0 end,
              case account when 'own' then came - gone else 0 end)
         from ledger_postings where source_id = coalesce(move.transfer_id, move.id)) is not true
    or (select (currency, requisite_id) <> (move.currency, move.requisite_id)
        from transfers where id = move.transfer_id)
$$;

-- Retention removes the bodies of events that were delivered, and keeps the status that they told: a payout's last one
-- is known by that then.
create function violations_of_payouts(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
  select left(what, 2)::integer, 'payout ' || id || substr(what, 3)
  from (
    select id, array[
      case when state in ('held', 'queued', 'canceled', 'failed') and open > 0
        then '12 is ' || state || ', and an attempt may have left' end,
      case when coalesce(open, 0) <> 1 and state in ('sending', 'unknown')
             or coalesce(open, 0) > 1 or (state = 'unknown') <> (coalesce(unclear, 0) = 1)
        then '12 is ' || state || ' with ' || coalesce(open, 0) || ' attempts that may have left' end,
      case when released > 0 and open > 0 and recovered = 0
        then '12 was given back, and an attempt may have left' end,
      case when coalesce(made, 0) <> attempts or last <> attempts
        then '12 counts ' || attempts || ' attempts, has ' || coalesce(made, 0) end,
      case when withdraw_minor <> receive_minor + fee_minor or receive_minor <= 0 or fee_minor < 0
             or amount_minor <> case subtract when 'balance' then receive_minor else withdraw_minor end
        then '27 has parts that do not add up' end,
      case when (coalesce(reserved, 0), coalesce(released, 0), coalesce(done, 0) + coalesce(recovered, 0),
                 coalesce(returned, 0))
             <> (1, case when state in ('failed', 'canceled') or recovered > 0 then 1 else 0 end,
                 case when state in ('done', 'returned') then 1 else 0 end,
                 case when state = 'returned' then 1 else 0 end)
        then '29 is ' || state || ', and the books have something else of it' end,
      case when (coalesce(available, 0), coalesce(set_aside, 0), coalesce(bank_out, 0), coalesce(fees, 0))
             <> (case when state in ('failed', 'canceled') then 0
                      when state = 'returned' then receive_minor + back - withdraw_minor
                      else -withdraw_minor end,
                 case when state in ('held', 'queued', 'sending', 'unknown') then withdraw_minor else 0 end,
                 case when state = 'done' then receive_minor else 0 end,
                 case when state = 'done' then fee_minor when state = 'returned' then fee_minor - back
                      else 0 end)
             or strange > 0
        then '29 is ' || state || ', and other sums are booked of it' end,
      case when return_transfer_id is not null
             and (select (state, amount_minor, currency) = ('cleared', receive_minor, payout.currency)
                  from transfers where transfers.id = return_transfer_id) is not true
        then '29 came back as a transfer that is not cleared, or of other money' end,
      case when (select (user_id, service, currency) = (payout.user_id, payout.service, payout.currency)
                 from payout_destinations where payout_destinations.id = destination_id) is not true
        then '29 went to a destination of another user, service or currency' end,
      case when coalesce(told.events, 0) <> sequence or last_told <> sequence
        then '20 has events that are not numbered 1 to ' || sequence end,
      case when state in ('done', 'failed', 'canceled', 'returned') and (last_code in (case state
               when 'done' then '1' when 'failed' then '41' when 'canceled' then '42' else '43' end,
               case state when 'done' then 'success' else 'fail' end)) is not true
        then '18 is ' || state || ' and its user was not told' end,
      case when by_author > 0 then '36 was approved by who asked for it' end,
      case when state not in ('held', 'canceled') and coalesce(approvals, 0) < approvals_needed
        then '36 needs ' || approvals_needed || ' to approve it, has ' || coalesce(approvals, 0) end,
      case when holds_card_number(concat_ws(' ', error, details, wallets))
             or (select masked !~ '^[^*]*[*]{3,}[^*]*$' or length(regexp_replace(masked, '\D', '', 'g')) > 10
                 from payout_destinations where payout_destinations.id = payout.destination_id)
        then '37 tells a whole number' end] as wrong
    from (select *, case when refunds_fee then fee_minor else 0 end as back
          from payouts where id > after and id <= up_to) payout
    left join (
      select source_id as id, count(*) filter (where kind = 'payout_reserved') as reserved,
             count(*) filter (where kind = 'payout_released') as released,
             count(*) filter (where kind = 'payout_done') as done,
             count(*) filter (where kind = 'payout_recovered') as recovered,
             count(*) filter (where kind = 'payout_returned') as returned,
             sum(available_minor) as available, sum(reserved_minor) as set_aside,
             sum(bank_out_minor) as bank_out, sum(fees_minor) as fees,
             count(*) filter (where (select (user_id, currency) from payouts where id = source_id)
               is distinct from (posting.user_id, posting.currency)) as strange
      from ledger_postings posting where source_id > after and source_id <= up_to
        and kind like 'payout%' group by source_id) booked using (id)
    left join (
      select payout_id as id, count(*) as made, max(number) as last,
             count(*) filter (where state <> 'not_sent') as open,
             count(*) filter (where state = 'unknown') as unclear, string_agg(detail, ' ') as details
      from payout_attempts where payout_id > after and payout_id <= up_to group by payout_id) tried
      using (id)
    left join (
      select subject_id as id, count(distinct person_id) as approvals,
             count(*) filter (where person_id = (
               select person_of(author_id) from payouts where id = subject_id)) as by_author
      from approvals where subject_id > after and subject_id <= up_to
        and action = 'approve' and withdrawn_at is null group by subject_id) approved
      using (id)
    left join (
      select payout_id as id, count(*) as events, max(sequence) as last_told,
             (array_agg(coalesce(body::jsonb ->> 'code', status) order by sequence desc))[1] as last_code,
             string_agg(body::jsonb ->> 'wallet', ' ') as wallets
      from events where payout_id > after and payout_id <= up_to group by payout_id) told using (id)
    offset 0) judged
  cross join lateral unnest(wrong) as found(what)
  where array_to_string(wrong, '') <> '' and what is not null
$$;

-- All of it, at one moment.
create function violations(at_moment timestamptz)
returns table (invariant integer, detail text) language sql stable as $$
  select violation.*
  from (values ('00000000-0000-0000-0000-000000000000'::uuid,
                'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)) range(after, up_to)
  cross join lateral (
    select * from violations_of_invoices(at_moment, after, up_to)
    union all select * from violations_of_payments(at_moment, after, up_to)
    union all select * from violations_of_ledger_postings(at_moment, after, up_to)
    union all select * from violations_of_users(at_moment, after, up_to)
    union all select * from violations_of_requisite_usage(at_moment, after, up_to)
    union all select * from violations_of_slots(at_moment, after, up_to)
    union all select * from violations_of_events(at_moment, after, up_to)
    union all select * from violations_of_outbox(at_moment, after, up_to)
    union all select * from violations_of_transfers(at_moment, after, up_to)
    union all select * from violations_of_statement_lines(at_moment, after, up_to)
    union all select * from violations_of_movements(at_moment, after, up_to)
    union all select * from violations_of_imports(at_moment, after, up_to)
    union all select * from violations_of_own_moves(at_moment, after, up_to)
    union all select * from violations_of_payouts(at_moment, after, up_to)
    union all select * from violations_of_guards()) violation
$$;
