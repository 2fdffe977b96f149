-- Retention removes the bodies of events that were delivered, and keeps the status that they told: a payout's last one
-- is known by that then, see 0019_outflow.sql.
create or replace function violations_of_payouts(at_moment timestamptz, after uuid, up_to uuid)
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
      select payout_id as id, count(distinct operator_id) filter (where subject = 'approve') as approvals,
             count(*) filter (where subject = 'approve' and operator_id = (
               select author_id from payouts where id = payout_id)) as by_author
      from payout_votes where payout_id > after and payout_id <= up_to group by payout_id) voted
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
