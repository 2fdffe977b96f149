-- From a sum on, that a line of a statement which waits is money of its own is said by two people: the first one's word
-- is a vote, and moves nothing; with the second one's the line is booked, and proves what it tells of.
create table line_votes (
  line_id uuid not null references statement_lines,
  operator_id uuid not null references operators,
  reason text not null check (char_length(reason) between 1 and 500),
  created_at timestamptz not null,
  primary key (line_id, operator_id)
);
create trigger line_votes_append_only before update or delete or truncate on line_votes
  for each statement execute function refuse_change();

-- What one has said so of is not booked by one, whatever a gateway is set to. Who may still act is the gateways' to
-- know; that they are of two hands is seen here.
create function refuse_line_of_one() returns trigger language plpgsql as $$
begin
  if (select count(distinct hand_of(operator_id)) from line_votes
      where line_id = new.id having count(*) > 0) < 2 then
    raise exception 'a line that takes two is booked by one' using errcode = '23514';
  end if;
  return null;
end $$;
create trigger statement_lines_take_two after update of fate on statement_lines for each row
  when (old.fate = 'waiting' and new.fate in ('booked', 'joined'))
  execute function refuse_line_of_one();

-- As in 0019_outflow.sql, and the votes of a line that was booked are of two hands.
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
  union all
  select 36, 'line ' || line_id || ' was booked by one hand'
  from line_votes
  where line_id > after and line_id <= up_to
  group by line_id
  having count(distinct hand_of(operator_id)) < 2
    and (select fate in ('booked', 'joined') from statement_lines where id = line_id)
$$;

-- As in 0031_proposals.sql, with the guards of these.
create or replace function violations_of_guards()
returns table (invariant integer, detail text) language sql stable as $$
  select guard.invariant, 'the table ' || guard.table_name || ' can be changed'
  from (values (2, 'ledger_postings', 'ledger_postings_append_only'),
               (20, 'events', 'events_append_only'),
               (20, 'events', 'events_stay'),
               (20, 'events', 'events_go_with_invoices'),
               (3, 'ledger_openings', 'ledger_openings_append_only'),
               (3, 'archives', 'archives_append_only'),
               (12, 'payout_attempts', 'payout_attempts_stay'),
               (29, 'payouts', 'payouts_stay'),
               (36, 'payout_votes', 'payout_votes_append_only'),
               (36, 'payout_votes', 'payout_votes_are_of_others'),
               (36, 'transfer_proposals', 'transfer_proposals_stay'),
               (36, 'transfer_proposals', 'transfer_proposals_end_once'),
               (36, 'transfers', 'transfers_end_proposals'),
               (36, 'line_votes', 'line_votes_append_only'),
               (36, 'statement_lines', 'statement_lines_take_two')) guard(invariant, table_name, name)
  where not exists (select from pg_trigger where tgrelid = guard.table_name::regclass
                      and tgname = guard.name and tgenabled = 'O')
  union all
  -- What is unique by an index is so in every row of it.
  select 15, 'orders can have several invoices'
  where not exists (select from pg_constraint join pg_index on indexrelid = conindid
                    where conrelid = 'invoices'::regclass and contype = 'u' and indisvalid
                      and pg_get_constraintdef(pg_constraint.oid) = 'UNIQUE (shop_id, order_id)')
    -- In months, no order enters that is known: for every statement one of the two claims it, or the one always.
    and (select count(*) + count(*) filter (where tgqual is null) from pg_trigger
         where tgrelid = 'invoices'::regclass and tgenabled = 'O'
           and tgname in ('invoices_claim_order', 'invoices_claim_orders')) < 2
  union all
  select 15, 'an order of invoice ' || id || ' can be placed again'
  from (select id, shop_id, order_id from invoices order by id desc limit 1000) recent
  where (select relkind from pg_class where oid = 'invoices'::regclass) = 'p'
    and not exists (select from orders where shop_id = recent.shop_id and order_id = recent.order_id)
  union all
  select guard.invariant, guard.what
  from (values (12, 'one_attempt_may_have_left', 'a payout can have several attempts that may have left'),
               (36, 'transfer_proposals_open', 'a transfer can have several open proposals'),
               (30, 'payouts_of_reference', 'a bank''s reference can prove several payouts'))
         guard(invariant, name, what)
  where not exists (select from pg_index where indexrelid = to_regclass(guard.name)
                      and indisunique and indisvalid)
  union all
  select 38, kind || ' has failed ' || failures || ' times on ' || id || ', and tries it again: '
            || error
  from failing_rows
$$;
