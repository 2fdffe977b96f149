-- What must always hold, as one function: it answers with one row for each violation, and so with
-- nothing while the books are right. The numbers are those of the list in docs/money.md.

create function violations(at_moment timestamptz)
returns table (invariant integer, detail text) language sql stable as $$
  select 1, 'posting ' || kind || ' of ' || source_id || ' does not sum to zero'
  from ledger_postings
  where bank_minor + bank_out_minor + suspense_minor + fees_minor + frozen_minor + available_minor
    + reserved_minor <> 0
  union all
  select 1, 'the ledger does not sum to zero in ' || currency
  from ledger_postings group by currency
  having sum(bank_minor) + sum(bank_out_minor) + sum(suspense_minor) + sum(fees_minor)
    + sum(frozen_minor) + sum(available_minor) + sum(reserved_minor) <> 0
  union all
  select 1, 'posting ' || kind || ' of ' || source_id || ' moves nothing'
  from ledger_postings
  where (bank_minor, bank_out_minor, suspense_minor, fees_minor, frozen_minor, available_minor,
    reserved_minor) = (0, 0, 0, 0, 0, 0, 0)
  union all
  select 2, 'the table ledger_postings can be changed'
  where not exists (select from pg_trigger
                    where tgrelid = 'ledger_postings'::regclass
                      and tgname = 'ledger_postings_append_only' and tgenabled = 'O')
  union all
  select 3, 'the balance of user ' || user_id || ' in ' || currency || ' is not what was posted: '
            || available || ' available, ' || frozen || ' frozen, ' || reserved || ' reserved too much'
  from (select user_id, currency, sum(available_minor) as available, sum(frozen_minor) as frozen,
               sum(reserved_minor) as reserved
        from (select user_id, currency, available_minor, frozen_minor, reserved_minor
              from ledger_balances
              union all
              select user_id, currency, -available_minor, -frozen_minor, -reserved_minor
              from ledger_postings where user_id is not null) parts
        group by user_id, currency) totals
  where (available, frozen, reserved) <> (0, 0, 0)
  union all
  select 3, 'posting ' || kind || ' of ' || source_id || ' is of no known user or requisite'
  from ledger_postings posting
  where (user_id is not null and not exists (select from users where id = posting.user_id))
    or (requisite_id is not null
        and not exists (select from requisites where id = posting.requisite_id))
  union all
  select 4, 'the balance of user ' || user_id || ' in ' || currency || ' is below zero'
  from ledger_balances where least(available_minor, frozen_minor, reserved_minor) < 0
  union all
  select 5, 'payment ' || payment.id || ' was credited ' || count(transfer.id) || ' times'
  from payments payment left join transfers transfer on transfer.payment_id = payment.id
  where payment.state = 'paid' group by payment.id having count(transfer.id) <> 1
  union all
  select 5, 'transfer ' || transfer.id || ' is booked ' || count(posting.kind) || ' times as a credit'
  from transfers transfer left join ledger_postings posting on posting.source_id = transfer.id
    and posting.kind in ('transfer_matched', 'suspense_assigned')
  group by transfer.id, transfer.state
  having count(posting.kind) <> case when transfer.state = 'matched' then 1 else 0 end
  union all
  select 5, 'transfer ' || transfer.id || ' and payment ' || payment.id || ' differ'
  from transfers transfer join payments payment on payment.id = transfer.payment_id
  where payment.state <> 'paid' or payment.received_minor <> transfer.amount_minor
    or payment.currency <> transfer.currency
  union all
  select 33, 'transfer ' || transfer.id || ' was not made in the time of payment ' || payment.id
  from transfers transfer join payments payment on payment.id = transfer.payment_id
  where transfer.settled_at is null
    and (coalesce(transfer.made_from, transfer.received_at) >= payment.slot_until
      or payment.created_at
        > coalesce(transfer.made_to, transfer.received_at) + interval '5 seconds')
  union all
  select 6, 'suspense in ' || totals.currency || ' holds ' || totals.booked || ', transfers waiting '
            || totals.waiting
  from (select currency, sum(booked) as booked, sum(waiting) as waiting from (
          select currency, suspense_minor as booked, 0 as waiting
          from ledger_postings where suspense_minor <> 0
          union all
          select currency, 0, amount_minor from transfers where state = 'suspense') parts
        group by currency) totals
  where totals.booked <> totals.waiting
  union all
  select 6, 'returned transfer ' || transfer.id || ' is not booked as returned'
  from transfers transfer
  where transfer.state = 'returned'
    and not exists (select from ledger_postings
                    where source_id = transfer.id and kind = 'suspense_returned')
  union all
  select 7, 'requisite ' || requisite_id || ' and ' || to_pay_minor || ' are held '
            || count(*) || ' times'
  from payments where slot_until > at_moment
  group by requisite_id, to_pay_minor having count(*) > 1
  union all
  select 7, 'payment ' || payment.id || ' has lost its slot'
  from payments payment
  where payment.slot_until > at_moment
    and not exists (select from slots slot where slot.payment_id = payment.id
                      and slot.requisite_id = payment.requisite_id
                      and slot.amount_minor = payment.to_pay_minor
                      and slot.held_until >= payment.slot_until)
  union all
  select 8, 'requisite ' || usage.requisite_id || ' counts ' || usage.live_payments || ' live, has '
            || count(payment.id)
  from requisite_usage usage left join payments payment
    on payment.requisite_id = usage.requisite_id and payment.state = 'live'
  group by usage.requisite_id having usage.live_payments <> count(payment.id)
  union all
  select 8, 'requisite ' || usage.requisite_id || ' counts ' || usage.day_sum_minor
            || ' for the day, has ' || coalesce(sum(payment.to_pay_minor), 0)
  from requisite_usage usage left join payments payment
    on payment.requisite_id = usage.requisite_id and payment.created_on = usage.day
    and (payment.state = 'live' or payment.state = 'paid' and not payment.late)
  group by usage.requisite_id
  having usage.day_sum_minor <> coalesce(sum(payment.to_pay_minor), 0)
    or usage.day_payments <> count(payment.id)
  union all
  select 9, 'the fee of payment ' || id || ' does not add up'
  from payments
  where to_pay_minor <> amount_minor + payer_fee_minor + nudge_minor
    or payer_fee_minor > fee_minor
    or state = 'paid' and credited_minor <> received_minor - fee_minor
  union all
  select 9, 'payment ' || payment.id || ' is credited with ' || payment.credited_minor
            || ', booked with ' || coalesce(sum(posting.frozen_minor), 0)
  from payments payment
  join transfers transfer on transfer.payment_id = payment.id
  left join ledger_postings posting on posting.source_id = transfer.id
    and posting.kind in ('transfer_matched', 'suspense_assigned')
  group by payment.id having payment.credited_minor <> coalesce(sum(posting.frozen_minor), 0)
  union all
  select 10, 'the credit of payment ' || payment.id || ' is not frozen as it was booked'
  from payments payment left join ledger_freezes frozen on frozen.payment_id = payment.id
  where payment.state = 'paid' and frozen.amount_minor is distinct from payment.credited_minor
  union all
  select 10, 'the freeze of payment ' || frozen.payment_id || ' was released early or not once'
  from ledger_freezes frozen left join ledger_postings posting
    on posting.source_id = frozen.payment_id and posting.kind = 'freeze_over'
  where (frozen.released_at is null) <> (posting.kind is null)
    or frozen.released_at < frozen.frozen_until
  union all
  select 11, 'user ' || totals.user_id || ' has ' || totals.held || ' of ' || totals.due
  from (select user_id, sum(held) as held, sum(due) as due from (
          select user_id, available_minor + frozen_minor + reserved_minor as held, 0 as due
          from ledger_balances
          union all
          select shop.user_id, 0, payment.credited_minor - payment.refunded_minor
          from payments payment join shops shop on shop.id = payment.shop_id
          where payment.state = 'paid') parts
        group by user_id) totals
  where totals.held <> totals.due
  union all
  select 11, 'payment ' || payment.id || ' says ' || payment.refunded_minor || ' refunded, refunds '
            || coalesce(sum(refund.amount_minor), 0)
  from payments payment left join refunds refund on refund.payment_id = payment.id
  group by payment.id having payment.refunded_minor <> coalesce(sum(refund.amount_minor), 0)
  union all
  select 13, 'invoice ' || invoice.id || ' is ' || invoice.state || ' with '
            || count(payment.id) filter (where payment.state = 'paid') || ' paid of '
            || count(payment.id) || ' payments'
  from invoices invoice left join payments payment on payment.invoice_id = invoice.id
  group by invoice.id
  having (invoice.state in ('paid', 'refunded'))
      <> (count(payment.id) filter (where payment.state = 'paid') = 1)
    or invoice.state = 'created' and count(payment.id) > 0
    or invoice.state = 'pending' and count(payment.id) = 0
  union all
  select 14, 'payment ' || payment.id || ' is live, and not its invoice''s newest'
  from payments payment join invoices invoice on invoice.id = payment.invoice_id
  where payment.state = 'live' and payment.number <> invoice.details
  union all
  select 14, 'invoice ' || invoice.id || ' counts ' || invoice.details || ' details, has '
            || count(payment.id)
  from invoices invoice left join payments payment on payment.invoice_id = invoice.id
  group by invoice.id having invoice.details <> count(payment.id)
  union all
  select 14, 'invoice ' || invoice_id || ' has ' || count(*) || ' live payments'
  from payments where state = 'live' group by invoice_id having count(*) > 1
  union all
  select 15, 'order ' || order_id || ' of shop ' || shop_id || ' has ' || count(*) || ' invoices'
  from invoices group by shop_id, order_id having count(*) > 1
  union all
  select 17, 'payment ' || id || ' is live past its end'
  from payments where state = 'live' and ends_at + interval '5 seconds' < at_moment
  union all
  select 17, 'invoice ' || id || ' is ' || state || ' past its end'
  from invoices
  where state in ('created', 'pending') and expires_at + interval '5 seconds' < at_moment
  union all
  select 27, kind || ' has failed ' || failures || ' times on ' || id || ', and tries it again: '
            || error
  from failing_rows
  union all
  select 17, 'payment ' || id || ' is live and falls never due'
  from payments where state = 'live'
    and not exists (select from dues where dues.kind = 'lapse-payments' and dues.id = payments.id)
  union all
  select 17, 'invoice ' || id || ' is ' || state || ' and falls never due'
  from invoices where state in ('created', 'pending')
    and not exists (select from dues where dues.kind = 'expire-invoices' and dues.id = invoices.id)
  union all
  select 10, 'the freeze of payment ' || payment_id || ' falls never due'
  from ledger_freezes where released_at is null
    and not exists (select from dues
                    where dues.kind = 'release-freezes' and dues.id = ledger_freezes.payment_id)
  union all
  select 18, 'invoice ' || invoice.id || ' is ' || invoice.state || ' and its shop was not told'
  from invoices invoice
  where invoice.state in ('paid', 'refunded', 'expired', 'failed')
    and not exists (
      select from events where invoice_id = invoice.id
        and body::json ->> 'status' = case invoice.state
          when 'expired' then 'expired' when 'failed' then 'fail' else 'success' end)
  union all
  select 18, 'payment ' || payment.id || ' has ' || payment.refunds || ' refunds, its shop was told '
            || 'of ' || payment.told
  from (select one.id,
               (select count(*) from refunds where payment_id = one.id) as refunds,
               (select count(*) from events where invoice_id = one.invoice_id
                  and body::json ->> 'status' = 'refund') as told
        from payments one where one.state = 'paid') payment
  where payment.refunds <> payment.told
  union all
  select 19, 'event ' || work.event_id || ' waits and nobody will look for it'
  from outbox work left join receivers receiver on receiver.id = work.receiver
  left join failing_rows failing on failing.kind = 'deliver-events' and failing.id = work.event_id
  where work.next_attempt_at is not null
    and (receiver.id is null or receiver.next_due_at
           > greatest(work.next_attempt_at, work.leased_until, failing.next_try_at))
  union all
  select 19, 'event ' || event.id || ' is neither delivered nor in the outbox'
  from events event
  left join lateral (select attempt, status from deliveries where event_id = event.id
                     order by attempt desc limit 1) last on true
  where not exists (select from outbox where event_id = event.id)
    and (last.attempt is not null or event.hook_url is not null)
    and (last.status between 200 and 299) is not true
  union all
  select 20, 'the table events can be changed'
  where not exists (select from pg_trigger where tgrelid = 'events'::regclass
                      and tgname = 'events_append_only' and tgenabled = 'O')
  union all
  select 20, 'the events of invoice ' || invoice.id || ' are not numbered 1 to ' || invoice.events
  from invoices invoice left join events event on event.invoice_id = invoice.id
  group by invoice.id
  having count(event.id) <> invoice.events or min(event.sequence) <> 1
    or max(event.sequence) <> invoice.events
  union all
  select 20, 'the body of event ' || id || ' is not its own'
  from events
  where body::json ->> 'event_id' <> id::text or body::json ->> 'sequence' <> sequence::text
  union all
  select 21, 'the attempts of event ' || event_id || ' are not numbered 1 to '
            || greatest(max(attempt), max(newest))
  from (select event_id, attempt, 0 as newest from attempts
        union all
        select event_id, null, attempts from outbox) told
  group by event_id
  having count(attempt) <> greatest(max(attempt), max(newest))
    or count(attempt) <> count(distinct attempt)
$$;
