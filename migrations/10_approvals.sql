-- Approvals: what several people have to say before it happens. One table for payouts, transfers and statement lines.

create table approvals (
  id uuid primary key,
  subject_type text not null,
  subject_id uuid not null,
  action text not null,
  -- Of a payout's outcome: which attempt it is about; 0 for none.
  attempt integer not null default 0 check (attempt >= 0),
  -- Of a transfer: the payment that it is to be assigned to.
  payment_id uuid references payments,
  by uuid not null references operators,
  -- The person behind that operator: all tokens that one person has made count as one.
  person_id uuid not null references operators,
  reason text check (char_length(reason) between 1 and 500),
  at timestamptz not null,
  withdrawn_at timestamptz,
  -- Null where evidence contradicts it, or the same person approves again by another token.
  withdrawn_by uuid references operators,
  withdrawn_reason text check (char_length(withdrawn_reason) between 1 and 500),
  payout_id uuid generated always as (case when subject_type = 'payout' then subject_id end) stored
    references payouts,
  transfer_id uuid generated always as (case when subject_type = 'transfer' then subject_id end) stored
    references transfers,
  line_id uuid generated always as (case when subject_type = 'statement_line' then subject_id end) stored
    references statement_lines,
  constraint approvals_of_known_actions check ((subject_type, action) in (
    ('payout', 'approve'), ('payout', 'sent'), ('payout', 'not_sent'), ('payout', 'returned'),
    ('transfer', 'assign'), ('statement_line', 'book'))),
  check ((action = 'assign') = (payment_id is not null)),
  check (attempt = 0 or action in ('sent', 'not_sent')),
  check (action = 'approve' or reason is not null),
  check (withdrawn_at is not null or coalesce(withdrawn_by::text, withdrawn_reason) is null)
);

-- One person approves the same thing once.
create unique index approvals_once
  on approvals (subject_id, subject_type, action, attempt, person_id) where withdrawn_at is null;
create index approvals_of_subject on approvals (subject_id, id);
-- What may wait for a second approval. An approved payout stays approved, so it is found by its state.
create index approvals_open on approvals (action, id)
  where withdrawn_at is null and action in ('assign', 'book', 'returned');

create function guard_approval() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if old.withdrawn_at is not null or new.withdrawn_at is null
      or (old.id, old.subject_type, old.subject_id, old.action, old.attempt, old.payment_id, old."by",
          old.person_id, old.reason, old.at)
        is distinct from
         (new.id, new.subject_type, new.subject_id, new.action, new.attempt, new.payment_id, new."by",
          new.person_id, new.reason, new.at) then
      raise exception 'an approval is withdrawn once, and never changed' using errcode = '23514';
    end if;
    return new;
  end if;
  new.person_id := person_of(new."by");
  if new.action = 'approve' and exists (
    select from payouts where id = new.subject_id and person_of(author_id) = new.person_id) then
    raise exception 'a person cannot approve a payout of their own' using errcode = '23514';
  end if;
  return new;
end $$;
create trigger approvals_are_guarded before insert or update on approvals
  for each row execute function guard_approval();
create trigger approvals_stay before delete or truncate on approvals
  for each statement execute function refuse_change();

-- How many people approve it. Each has one open approval, see approvals_once.
create function count_approvals(subject uuid, what text, of_attempt integer, of_payment uuid)
returns bigint language sql stable as $$
  select count(*) from approvals
  where subject_id = subject and action = what and attempt = of_attempt and withdrawn_at is null
    and payment_id is not distinct from of_payment
$$;

-- Where one person has approved something, one person alone does not do it, whatever a gateway is set to. Which of them
-- may still act, the gateways check.
create function refuse_unapproved_assignment() returns trigger language plpgsql as $$
begin
  if (new.suspense_reason = 'told_by_hand'
      or exists (select from approvals where subject_id = new.id and withdrawn_at is null))
    and count_approvals(new.id, 'assign', 0, new.payment_id) < 2 then
    raise exception 'a transfer that needs two approvals is assigned by one' using errcode = '23514';
  end if;
  return null;
end $$;
-- The matching rule, which settles as kopeck, has other evidence and needs no approval.
create trigger transfers_need_approvals after update of state on transfers for each row
  when (old.state = 'suspense' and new.state = 'matched' and new.settled_by <> 'kopeck')
  execute function refuse_unapproved_assignment();

create function refuse_unapproved_booking() returns trigger language plpgsql as $$
begin
  if count_approvals(new.id, 'book', 0, null) = 1 then
    raise exception 'a line that needs two approvals is booked by one' using errcode = '23514';
  end if;
  return null;
end $$;
create trigger statement_lines_need_approvals after update of outcome on statement_lines for each row
  when (old.transfer_id is null and new.transfer_id is not null)
  execute function refuse_unapproved_booking();

create function refuse_undecided_attempt() returns trigger language plpgsql as $$
begin
  if count_approvals(new.payout_id, 'not_sent', new.number, null) < 2 then
    raise exception 'two people have to approve that a payout has not left after it was said to have'
      using errcode = '23514';
  end if;
  return null;
end $$;
create trigger contradicted_attempts_need_approvals after update on payout_attempts for each row
  when (old.state = 'unknown' and old.reopened_at is not null
    and old.reopened_by is distinct from 'accepted' and new.state = 'not_sent')
  execute function refuse_undecided_attempt();

-- What waits for another approval, by people who have not lost their role. Whether a token has run out, only a gateway's
-- clock knows: see ends_at.
create view waiting_approvals as
select approval.id, approval.action, approval.subject_id, approval.by, operator.name as by_name,
       approval.reason, approval.at, operator.ends_at, subject.amount_minor, subject.currency
from approvals approval
join operators operator on operator.id = approval.by and operator.revoked_at is null
  and operator.role in ('operator', 'cashier')
cross join lateral (
  select amount_minor, currency from transfers
  where approval.action = 'assign' and id = approval.subject_id and state = 'suspense'
  union all
  select receive_minor, currency from payouts
  where approval.action = 'returned' and id = approval.subject_id and state = 'done'
  union all
  select amount_minor, (select currency from requisites where id = requisite_id) from statement_lines
  where approval.action = 'book' and id = approval.subject_id
    and outcome in ('changed', 'reversal', 'ahead', 'payout', 'account', 'reopened')) subject
where approval.withdrawn_at is null and approval.action in ('assign', 'book', 'returned');
