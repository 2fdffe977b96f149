-- Four eyes: what one person says of money by hand, and another one has to confirm before anything moves.

-- Every row has passed the list of before, which is part of this one: none has to be read for it.
alter table transfers
  drop constraint transfers_suspense_reason_check,
  add constraint transfers_suspense_reason_check check (suspense_reason in ('nobody_expected',
    'several_expected', 'paid_already', 'invoice_closed', 'late_held', 'contested',
    'other_currency', 'below_commission', 'balance_break', 'maybe_known', 'payout_return',
    'told_by_hand')) not valid;

-- Whoever makes a token has seen it, and may act by it. So the hand of a token is that of its maker, from token to
-- token; who signs in, or was given a token on the machine itself, is a hand of their own.
create function hand_of(operator uuid) returns uuid language sql stable as $$
  with recursive makers(id, step) as (
    select operator, 0
    union all
    select made.operator_id, step + 1
    from makers join audit_log made on made.subject = makers.id::text
      and made.act = 'operator.create' and made.operator_id is not null)
  select id from makers order by step desc limit 1
$$;

-- That a transfer which waits was meant for a payment.
create table transfer_proposals (
  id uuid primary key,
  transfer_id uuid not null references transfers,
  payment_id uuid not null,
  reason text not null check (char_length(reason) between 1 and 500),
  proposed_by uuid not null references operators,
  created_at timestamptz not null,
  -- Over: the transfer was settled in another way meanwhile.
  state text not null default 'open'
    check (state in ('open', 'confirmed', 'declined', 'withdrawn', 'over')),
  ended_by uuid references operators,
  ended_reason text check (char_length(ended_reason) between 1 and 500),
  ended_at timestamptz,
  check ((state = 'open') = (ended_at is null)),
  check ((state in ('open', 'over')) = (ended_by is null)),
  check ((state in ('declined', 'withdrawn')) = (ended_reason is not null)),
  -- It takes two to move money, and one to leave it where it is.
  constraint transfer_proposals_take_two
    check (state not in ('confirmed', 'declined') or ended_by <> proposed_by),
  constraint transfer_proposals_are_withdrawn_by_their_own
    check (state <> 'withdrawn' or ended_by = proposed_by)
);
-- One at a time: whoever wants another payment has to end it first.
create unique index transfer_proposals_open on transfer_proposals (transfer_id) where state = 'open';
create index transfer_proposals_of_transfer on transfer_proposals (transfer_id, id);
create trigger transfer_proposals_point_to_rows after insert on transfer_proposals
  referencing new table as fresh for each statement execute function refuse_without_payment();
create trigger transfer_proposals_stay before delete or truncate on transfer_proposals
  for each statement execute function refuse_change();

create function guard_proposal() returns trigger language plpgsql as $$
begin
  if old.state <> 'open'
    or (old.id, old.transfer_id, old.payment_id, old.reason, old.proposed_by, old.created_at)
      is distinct from
      (new.id, new.transfer_id, new.payment_id, new.reason, new.proposed_by, new.created_at) then
    raise exception 'a proposal ends once, and stays as it was' using errcode = '23514';
  end if;
  if new.state = 'confirmed' and hand_of(new.ended_by) = hand_of(new.proposed_by) then
    raise exception 'a proposal is not confirmed by the hand that made it' using errcode = '23514';
  end if;
  return new;
end $$;
create trigger transfer_proposals_end_once before update on transfer_proposals
  for each row execute function guard_proposal();

-- What somebody has proposed, and what a person alone has told of, is matched by who confirms it, or by the rule
-- (which is called kopeck). Whatever else settles it ends the proposal, whichever code does so.
create function end_proposal() returns trigger language plpgsql as $$
begin
  if new.state = 'matched' and new.settled_by <> 'kopeck'
    and (exists (select from transfer_proposals where transfer_id = new.id and state = 'open')
      or new.suspense_reason = 'told_by_hand' and not exists (
        select from transfer_proposals where transfer_id = new.id and state = 'confirmed'
          and payment_id = new.payment_id)) then
    raise exception 'a transfer that takes two is matched by one' using errcode = '23514';
  end if;
  update transfer_proposals set state = 'over', ended_at = new.settled_at
  where transfer_id = new.id and state = 'open';
  return null;
end $$;
create trigger transfers_end_proposals after update of state on transfers for each row
  when (old.state = 'suspense' and new.state <> 'suspense') execute function end_proposal();

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
               (36, 'transfers', 'transfers_end_proposals')) guard(invariant, table_name, name)
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
