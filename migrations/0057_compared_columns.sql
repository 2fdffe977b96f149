-- What the check of the books compares besides: a posting and its source, a payment and its invoice, a freeze and its
-- payment, a payout and its destination, and the days that payouts are counted for. Sums are added up for each currency.

-- Between two changes a function need not be whole.
set local check_function_bodies = off;
do $$
declare
  change record;
  made text;
begin
  for change in select * from (values
    ('violations_of_invoices', $q$as newest_live,$q$, $q$& max(number) as newest,$q$),
    ('violations_of_invoices', $q$      case when live > 1 then$q$,
      $q$      case when newest <> payments
         then '14 has ' || payments || ' payments, and their last number is ' || newest end,
&$q$),
    ('violations_of_invoices', $q$where array_to_string(wrong, '') <> '' and what is not null$q$, $q$&
  union all
  select 13, 'payment ' || payment.id || ' is of another amount, currency, shop or user than its invoice'
  from payments payment join invoices invoice on invoice.id = payment.invoice_id
  where payment.invoice_id > after and payment.invoice_id <= up_to
    and invoice.id > after and invoice.id <= up_to
    and (payment.amount_minor, payment.currency, payment.shop_id, payment.user_id)
      <> (invoice.amount_minor, invoice.currency, invoice.shop_id, invoice.user_id)$q$),
    ('violations_of_payments', $q$         then '10 has a credit$q$,
      $q$           or (user_id, currency) <> (frozen_user, frozen_currency)
&$q$),
    ('violations_of_payments', $q$as frozen_minor from ledger_freezes$q$,
      $q$as frozen_minor, user_id as frozen_user,
                 currency as frozen_currency from ledger_freezes$q$),
    ('violations_of_payments', $q$      case when state = 'live' and ends_at$q$,
      $q$      case when elsewhere > 0 then '11 has a refund of another shop' end,
&$q$),
    ('violations_of_payments', $q$as sent_minor from refunds$q$, $q$as sent_minor,
                 count(*) filter (where shop_id <> (select shop_id from payments
                                                    where payments.id = payment_id)) as elsewhere
               from refunds$q$),
    ('violations_of_ledger_postings', $q$and received_minor = amount_minor)$q$,
      $q$and received_minor = amount_minor
               and (paid_on = requisite_id or settled_at is not null))$q$),
    ('violations_of_ledger_postings', $q$currency as paid_currency,$q$, $q$& requisite_id as paid_on,$q$),
    ('violations_of_ledger_postings', $q$  select left(what, 2)::integer, 'transfer '$q$,
      $q$  select left(what, 2)::integer, 'a posting of ' || source_id || substr(what, 3)
  from (
    select '05 is of another requisite, currency or amount than its transfer' as what, id, requisite_id,
           currency, amount_minor
    from transfers where id > after and id <= up_to
    union all
    select '34 is of another requisite or currency than its line', line.id, requisite.id, currency, null
    from statement_lines line join requisites requisite on requisite.id = line.requisite_id
    where line.id > after and line.id <= up_to
    union all
    select '34 is of another requisite or currency than its move', id, requisite_id, currency, null
    from own_moves where id > after and id <= up_to) source
  join ledger_postings posting on source_id = source.id
  where source_id > after and source_id <= up_to
    and (posting.currency <> source.currency or posting.requisite_id <> source.requisite_id
      or greatest(abs(bank_minor), abs(suspense_minor)) <> source.amount_minor)
  union all
&$q$),
    ('violations_of_users', $q$  select 3, $q$,
      $q$  select 28, 'user ' || user_id || ' has counted ' || counted || ' ' || currency || ' of payouts by '
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
&$q$),
    ('violations_of_users', $q$' has ' || held || ' of ' || due$q$,
      $q$' has ' || held || ' ' || currency || ' of ' || due$q$),
    ('violations_of_users', $q$select user_id, sum(held)$q$, $q$select user_id, currency, sum(held)$q$),
    ('violations_of_users', $q$select user_id, available_minor + $q$,
      $q$select user_id, currency, available_minor + $q$),
    ('violations_of_users', $q$select shop.user_id, 0, paid.due$q$,
      $q$select shop.user_id, paid.currency, 0, paid.due$q$),
    ('violations_of_users', $q$select shop_id, sum($q$, $q$select shop_id, currency, sum($q$),
    ('violations_of_users', $q$group by shop_id) paid$q$, $q$group by shop_id, currency) paid$q$),
    ('violations_of_users', $q$select owner_id, 0, amount_minor$q$, $q$select owner_id, currency, 0, amount_minor$q$),
    ('violations_of_users', $q$select user_id, 0, case state$q$, $q$select user_id, currency, 0, case state$q$),
    ('violations_of_users', $q$group by user_id) totals$q$, $q$group by user_id, currency) totals$q$),
    ('violations_of_own_moves', $q$select id, transfer_id, account,$q$, $q$& currency, requisite_id,$q$),
    ('violations_of_own_moves', $q$move.id)) is not true$q$, $q$&
    or (select (currency, requisite_id) <> (move.currency, move.requisite_id)
        from transfers where id = move.transfer_id)$q$),
    ('violations_of_payouts', $q$      case when coalesce(told.events, 0)$q$,
      $q$      case when return_transfer_id is not null
             and (select (state, amount_minor, currency) = ('cleared', receive_minor, payout.currency)
                  from transfers where transfers.id = return_transfer_id) is not true
        then '29 came back as a transfer that is not cleared, or of other money' end,
      case when (select (user_id, service, currency) = (payout.user_id, payout.service, payout.currency)
                 from payout_destinations where payout_destinations.id = destination_id) is not true
        then '29 went to a destination of another user, service or currency' end,
&$q$))
    changes(name, old, fresh)
  loop
    made := pg_get_functiondef(change.name::regproc);
    if position(change.old in made) = 0 then raise exception '% is not as it was made', change.name; end if;
    execute replace(made, change.old, replace(change.fresh, '&', change.old));
  end loop;
end $$;
