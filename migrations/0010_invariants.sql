-- What must always hold: a function for each part of the books, which answers with one row for each
-- violation in one range of ids, and so with nothing while they are right. The numbers are those of the
-- list in docs/money.md. Whatever belongs together is found in the same range of an index of each table
-- and judged in one snapshot: that is right however money moves, and a range costs as much as it holds.
-- What is wrong with a row is a list of texts that begin with their number. It is made behind "offset 0",
-- once for each row, and taken apart only where it says something.

create function violations_of_invoices(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
  with offered as (
    select invoice_id as id, count(*) as payments, count(*) filter (where state = 'paid') as paid,
           count(*) filter (where state = 'live') as live,
           max(number) filter (where state = 'live') as newest_live,
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
         then '10 has a credit that is not frozen as it was booked' end,
      case when coalesce(refunded_minor, 0) <> coalesce(sent_minor, 0)
         then '11 says ' || coalesce(refunded_minor, 0) || ' refunded, refunds '
              || coalesce(sent_minor, 0) end,
      case when state = 'live' and ends_at + interval '5 seconds' < at_moment
         then '17 is live past its end' end,
      case when state = 'live'
                and id not in (select due.id from dues due where kind = 'lapse-payments')
         then '17 is live and falls never due' end] as wrong
    from (select * from payments where id > after and id <= up_to) payment
    full join (select payment_id as id, count(*) as transfers from transfers
               where payment_id > after and payment_id <= up_to group by payment_id) paid_by using (id)
    full join (select payment_id as id, amount_minor as frozen_minor from ledger_freezes
               where payment_id > after and payment_id <= up_to) frozen using (id)
    full join (select payment_id as id, sum(amount_minor) as sent_minor from refunds
               where payment_id > after and payment_id <= up_to group by payment_id) sent using (id)
    offset 0) judged
  cross join lateral unnest(wrong) as found(what)
  where array_to_string(wrong, '') <> '' and what is not null
$$;

-- The ledger, posting by posting, beside what they are of: transfers, freezes, refunds. Where each posting
-- sums to zero all of them do; where each transfer that waits is in suspense, the account is what waits.
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
           count(*) filter (where bank_minor + bank_out_minor + suspense_minor + fees_minor
             + frozen_minor + available_minor + reserved_minor <> 0) as unbalanced,
           count(*) filter (where (bank_minor, bank_out_minor, suspense_minor, fees_minor,
             frozen_minor, available_minor, reserved_minor) = (0, 0, 0, 0, 0, 0, 0)) as empty,
           count(*) filter (where user_id not in (select id from users)
             or requisite_id not in (select id from requisites)) as strange
    from ledger_postings where source_id > after and source_id <= up_to group by source_id
  )
  select left(what, 2)::integer, 'transfer ' || id || substr(what, 3)
  from (
    select id, array[
      case when coalesce(credits, 0) <> case when state = 'matched' then 1 else 0 end
        then '05 is booked ' || coalesce(credits, 0) || ' times as a credit' end,
      case when payment_id is not null and (paid_state = 'paid' and paid_currency = currency
                                              and received_minor = amount_minor) is not true
        then '05 and payment ' || payment_id || ' differ' end,
      case when coalesce(suspense, 0) <> case when state = 'suspense' then amount_minor else 0 end
        then '06 is ' || state || ' with ' || coalesce(suspense, 0) || ' in suspense' end,
      case when coalesce(returns, 0) <> case when state = 'returned' then 1 else 0 end
        then '06 is ' || state || ' and was returned ' || coalesce(returns, 0) || ' times' end,
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
                              currency as paid_currency, created_at as issued_at from payments
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
      case when frozen.released_at is null
            and frozen.payment_id not in (select id from dues where kind = 'release-freezes')
          then '10 falls never due' end] as wrong
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
      case when refunds > 0 and -available is distinct from
                (select amount_minor from refunds refund where refund.id = booked.id)
         then '11 takes ' || -available || ', and its refund another amount' end] as wrong
    from booked
    offset 0) judged
  cross join lateral unnest(wrong) as found(what)
  where array_to_string(wrong, '') <> '' and what is not null
$$;

-- All that is a user's, in one snapshot: sums that are compared must be of one moment.
create function violations_of_users(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
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
  select 11, 'user ' || user_id || ' has ' || held || ' of ' || due
  from (select user_id, sum(held) as held, sum(due) as due
        from (select user_id, available_minor + frozen_minor + reserved_minor as held, 0 as due
              from ledger_balances where user_id > after and user_id <= up_to
              union all
              select shop.user_id, 0, paid.due
              from (select shop_id, sum(credited_minor - refunded_minor) as due from payments
                    where shop_id = any(array(
                        select id from shops where user_id > after and user_id <= up_to))
                      and state = 'paid'
                    group by shop_id) paid
              join shops shop on shop.id = paid.shop_id) parts
        group by user_id) totals
  where held <> due
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
      case when attempts is null and (last is distinct from delivered_by
                or last is null and removed = 0 and hook_url is not null)
         then '19 is neither delivered nor in the outbox' end,
      case when coalesce(tries, 0) + removed + coalesce(under_way, 0) <> made or first <= removed
                or under_way = 1 and last >= attempts
         then '21 has attempts that are not numbered 1 to ' || made end] as wrong
    from (select id, hook_url, attempts_removed as removed from events
          where id > after and id <= up_to) event
    left join (
      select event_id as id, count(*) as tries, min(attempt) as first, max(attempt) as last,
             max(attempt) filter (where status between 200 and 299) as delivered_by
      from deliveries where event_id > after and event_id <= up_to group by event_id) told using (id)
    left join (
      select event_id as id, attempts, (leased_until is not null)::integer as under_way
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

-- What no range has: the guards themselves, and what jobs fail on.
create function violations_of_guards()
returns table (invariant integer, detail text) language sql stable as $$
  select guard.invariant, 'the table ' || guard.table_name || ' can be changed'
  from (values (2, 'ledger_postings', 'ledger_postings_append_only'),
               (20, 'events', 'events_append_only'),
               (20, 'events', 'events_stay'),
               (20, 'events', 'events_go_with_invoices')) guard(invariant, table_name, name)
  where not exists (select from pg_trigger where tgrelid = guard.table_name::regclass
                      and tgname = guard.name and tgenabled = 'O')
  union all
  -- What is unique by an index is so in every row of it.
  select 15, 'orders can have several invoices'
  where not exists (select from pg_constraint join pg_index on indexrelid = conindid
                    where conrelid = 'invoices'::regclass and contype = 'u' and indisvalid
                      and pg_get_constraintdef(pg_constraint.oid) = 'UNIQUE (shop_id, order_id)')
  union all
  select 27, kind || ' has failed ' || failures || ' times on ' || id || ', and tries it again: '
            || error
  from failing_rows
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
    union all select * from violations_of_guards()) violation
$$;
