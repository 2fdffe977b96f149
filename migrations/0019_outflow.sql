-- Money that leaves. What left by our word stands in bank_out until a statement shows it, and what a
-- statement shows is booked: then a requisite has in the books what its bank says to be there.

-- What is the operator's own.
alter table ledger_postings
  add column own_minor bigint not null default 0,
  drop constraint ledger_postings_kind_check,
  add constraint ledger_postings_kind_check check (kind in ('transfer_matched', 'transfer_suspense',
    'suspense_assigned', 'suspense_returned', 'freeze_over', 'refund', 'payout_reserved',
    'payout_done', 'payout_released', 'payout_returned', 'payout_recovered', 'suspense_cleared',
    'suspense_owned', 'return_rerouted', 'outflow_seen', 'bank_charge', 'internal_seen', 'own_seen',
    'line_corrected', 'own_opening', 'own_opening_back', 'own_withdrawn', 'fees_withdrawn')),
  drop constraint ledger_postings_sum_to_zero,
  add constraint ledger_postings_sum_to_zero check (bank_minor + bank_out_minor + suspense_minor
    + fees_minor + frozen_minor + available_minor + reserved_minor + own_minor = 0),
  drop constraint ledger_postings_move_money,
  add constraint ledger_postings_move_money check (greatest(bank_minor, bank_out_minor, suspense_minor,
    fees_minor, frozen_minor, available_minor, reserved_minor, own_minor) > 0);
create index ledger_postings_of_own on ledger_postings (currency, id) where own_minor <> 0;

create or replace view ledger_entries as
  select posting.id as posting_id, posting.source_id, posting.kind, posting.currency, entry.account,
         case when entry.account in ('frozen', 'available', 'reserved') then posting.user_id end
           as user_id,
         case when entry.account = 'bank' then posting.requisite_id end as requisite_id,
         entry.amount_minor
  from ledger_postings posting
  cross join lateral (values ('bank', bank_minor), ('bank_out', bank_out_minor),
    ('suspense', suspense_minor), ('fees', fees_minor), ('frozen', frozen_minor),
    ('available', available_minor), ('reserved', reserved_minor), ('own', own_minor))
    entry(account, amount_minor)
  where entry.amount_minor <> 0;

-- Returns were taken from the bank account at once. Now they leave as everything does: by bank_out, until a
-- statement shows them; only what nobody had proven was never there. The new posting stands beside the old one, under an id that differs in its last bit.
insert into ledger_postings (id, source_id, kind, currency, requisite_id, created_at, bank_minor,
  bank_out_minor)
select encode(set_byte(uuid_send(id), 15, get_byte(uuid_send(id), 15) # 1), 'hex')::uuid, source_id,
       'return_rerouted', currency, requisite_id, created_at, -bank_minor, bank_minor
from ledger_postings posting
where kind = 'suspense_returned' and exists (
  select from transfers where transfers.id = posting.source_id and not needs_proof
    and suspense_reason is distinct from 'balance_break');

-- Money that waited, and was the operator's own or a payout that came back.
alter table transfers
  drop constraint transfers_state_check,
  add constraint transfers_state_check check (state in ('matched', 'suspense', 'returned', 'cleared')),
  drop constraint transfers_suspense_reason_check,
  add constraint transfers_suspense_reason_check check (suspense_reason in ('nobody_expected',
    'several_expected', 'paid_already', 'invoice_closed', 'late_held', 'contested',
    'other_currency', 'below_commission', 'balance_break', 'maybe_known', 'payout_return'));

-- Whether a line that is no payer's money is in the books: by a posting of its own, or (false) by that of the
-- same movement in another format. Null until somebody has looked: a job does so for all that are here
-- already, and for what a gateway of before still writes down.
alter table statement_lines
  add column posted boolean,
  -- The payout that it names, and which attempt, where it is the rail's name of one.
  add column payout_id uuid references payouts,
  add column payout_attempt integer,
  add check (payout_id is not null or payout_attempt is null),
  drop constraint statement_lines_waits_for_check,
  add constraint statement_lines_waits_for_check
    check (waits_for in ('changed', 'reversal', 'ahead', 'payout')),
  drop constraint statement_lines_fate_check,
  add constraint statement_lines_fate_check check (fate in ('booked', 'joined', 'outflow', 'charge',
    'internal', 'own', 'ignored', 'waiting')),
  add check (posted is null or fate in ('outflow', 'charge', 'internal', 'own'));
create index statement_lines_of_payout on statement_lines (payout_id) where payout_id is not null;
-- What a payout is called in files for the bank's client.
create index payouts_of_document on payouts (upper(right(id::text, 12)));
create index statement_lines_to_post on statement_lines (import_id, id)
  where posted is null and fate in ('outflow', 'charge', 'internal', 'own');
create index statement_lines_posted on statement_lines (requisite_id, day, amount_minor)
  where posted is not null;

-- What the operator has put on a requisite, or takes: said by a person, once for a reference.
create table own_moves (
  id uuid primary key,
  kind text not null check (kind in ('opening', 'opening_back', 'deposit', 'withdrawal')),
  account text not null check (account in ('own', 'fees')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount_minor bigint not null check (amount_minor > 0),
  requisite_id uuid references requisites,
  transfer_id uuid unique references transfers,
  reference text not null check (char_length(reference) between 1 and 255),
  reason text not null check (char_length(reason) between 1 and 500),
  author text not null,
  created_at timestamptz not null,
  unique (kind, reference),
  check (account = 'own' or kind = 'withdrawal'),
  check ((kind = 'withdrawal') = (requisite_id is null)),
  check ((kind = 'deposit') = (transfer_id is not null))
);
create index own_moves_of_requisite on own_moves (requisite_id) where requisite_id is not null;

-- What must always hold of it; see 0010_invariants.sql.

create or replace function violations_of_ledger_postings(at_moment timestamptz, after uuid, up_to uuid)
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
      case when seen > 0 and (select true from statement_lines where id = booked.id) is null
        then '34 is of no known line' end,
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

-- Whether a whole number stands in a text that should have none: digits as many as a card has, and the right
-- last one.
create function holds_card_number(texts text) returns boolean language sql immutable as $$
  select exists (
    select from regexp_matches(texts, '\d{13,19}', 'g') as found(digits)
    where (select sum(case when place % 2 = 1 then digit when digit > 4 then digit * 2 - 9
                           else digit * 2 end)
           from (select place, substr(reverse(digits[1]), place, 1)::integer as digit
                 from generate_series(1, length(digits[1])) as place) placed) % 10 = 0)
$$;

-- A line tells of the transfer that says so; what it shows of no payer's money is in the books as that.
create or replace function violations_of_statement_lines(at_moment timestamptz, after uuid, up_to uuid)
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
  select 34, 'line ' || id || ' is ' || fate || ', and the books have something else of it'
  from (
    select id, fate, (-came, case when fate in ('outflow', 'internal') then came else 0 end,
        case when fate = 'charge' then came else 0 end, case when fate = 'own' then came else 0 end)
      <> (coalesce(bank, 0), coalesce(bank_out, 0), coalesce(fees, 0), coalesce(own, 0)) as is_wrong
    from (select id, fate, case when posted is not true then 0 when direction = 'in' then amount_minor
                                else -amount_minor end as came
          from statement_lines where id > after and id <= up_to) line
    left join (
      select source_id as id, sum(bank_minor) as bank, sum(bank_out_minor) as bank_out,
             sum(fees_minor) as fees, sum(own_minor) as own
      from ledger_postings where source_id > after and source_id <= up_to group by source_id) booked
      using (id)
    offset 0) judged
  where is_wrong
  union all
  select 37, 'line ' || id || ' tells a whole number'
  from statement_lines
  where id > after and id <= up_to and holds_card_number(concat_ws(' ', number, party, purpose))
$$;

-- What the operator has said is what was booked: of itself, or of the transfer that it came as.
create function violations_of_own_moves(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
  select 34, 'the operator''s own move ' || id || ' is booked as something else'
  from (select id, transfer_id, account,
               case kind when 'opening_back' then -amount_minor when 'withdrawal' then 0
                    else amount_minor end as came,
               case kind when 'withdrawal' then amount_minor else 0 end as gone
        from own_moves where id > after and id <= up_to) move
  where (select (sum(bank_minor), sum(bank_out_minor), sum(fees_minor), sum(own_minor))
           = (-came, gone, case account when 'fees' then -gone else 0 end,
              case account when 'own' then came - gone else 0 end)
         from ledger_postings where source_id = coalesce(move.transfer_id, move.id)) is not true
$$;

-- A payout beside its postings, its attempts, its votes and its events.
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
      case when coalesce(told.events, 0) <> sequence or last_told <> sequence
        then '20 has events that are not numbered 1 to ' || sequence end,
      case when state in ('done', 'failed', 'canceled', 'returned') and (last_code = case state
               when 'done' then '1' when 'failed' then '41' when 'canceled' then '42' else '43' end)
             is not true
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
             (array_agg(body::jsonb ->> 'code' order by sequence desc))[1] as last_code,
             string_agg(body::jsonb ->> 'wallet', ' ') as wallets
      from events where payout_id > after and payout_id <= up_to group by payout_id) told using (id)
    offset 0) judged
  cross join lateral unnest(wrong) as found(what)
  where array_to_string(wrong, '') <> '' and what is not null
$$;

-- All that is a user's, in one snapshot, payouts included.
create or replace function violations_of_users(at_moment timestamptz, after uuid, up_to uuid)
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
              join shops shop on shop.id = paid.shop_id
              union all
              select user_id, 0, case state when 'done' then -withdraw_minor
                       else receive_minor - withdraw_minor + case when refunds_fee then fee_minor else 0 end
                     end
              from payouts
              where user_id > after and user_id <= up_to and state in ('done', 'returned')) parts
        group by user_id) totals
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

-- What no range has: the guards themselves, and what jobs fail on.
create or replace function violations_of_guards()
returns table (invariant integer, detail text) language sql stable as $$
  select guard.invariant, 'the table ' || guard.table_name || ' can be changed'
  from (values (2, 'ledger_postings', 'ledger_postings_append_only'),
               (20, 'events', 'events_append_only'),
               (20, 'events', 'events_stay'),
               (20, 'events', 'events_go_with_invoices'),
               (12, 'payout_attempts', 'payout_attempts_stay'),
               (29, 'payouts', 'payouts_stay'),
               (36, 'payout_votes', 'payout_votes_append_only'),
               (36, 'payout_votes', 'payout_votes_are_of_others')) guard(invariant, table_name, name)
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
               (30, 'payouts_of_reference', 'a bank''s reference can prove several payouts'))
         guard(invariant, name, what)
  where not exists (select from pg_index where indexrelid = to_regclass(guard.name)
                      and indisunique and indisvalid)
  union all
  select 38, kind || ' has failed ' || failures || ' times on ' || id || ', and tries it again: '
            || error
  from failing_rows
$$;

-- All of it, at one moment.
create or replace function violations(at_moment timestamptz)
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
    union all select * from violations_of_imports(at_moment, after, up_to)
    union all select * from violations_of_own_moves(at_moment, after, up_to)
    union all select * from violations_of_payouts(at_moment, after, up_to)
    union all select * from violations_of_guards()) violation
$$;
