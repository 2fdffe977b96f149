-- What takes two people: approvals of payouts, assignments of transfers, and large statement lines.

-- What it takes several people to say: that a payout may leave, or what came of one that nobody knows of.
create table payout_votes (
  payout_id uuid not null references payouts,
  subject text not null check (subject in ('approve', 'sent', 'not_sent', 'returned', 'not_returned')),
  -- Of the attempt that it is about; 0 for none.
  attempt integer not null check (attempt >= 0),
  operator_id uuid not null references operators,
  reason text check (char_length(reason) between 1 and 500),
  created_at timestamptz not null,
  -- After a contradiction the same approval can be given again.
  primary key (payout_id, subject, attempt, operator_id, created_at)
);
create trigger payout_votes_append_only before update or delete or truncate on payout_votes
  for each statement execute function refuse_change();

-- Of approvals that count.
create function refuse_own_approval() returns trigger language plpgsql as $$
begin
  if exists (
    with hands as materialized (
      select id, hand_of(id) as hand, revoked_at is null as counts from operators
      where id in (select author_id from payouts where id in (select payout_id from fresh)
                   union select operator_id from payout_votes
                   where payout_id in (select payout_id from fresh)))
    select from fresh
    join hands own on own.id = fresh.operator_id
    join payouts payout on payout.id = fresh.payout_id
    join hands author on author.id = payout.author_id
    where fresh.subject = 'approve' and author.hand = own.hand
    union all
    select from fresh
    join hands own on own.id = fresh.operator_id
    join payout_votes other on (other.payout_id, other.subject, other.attempt)
        = (fresh.payout_id, fresh.subject, fresh.attempt)
      and (other.operator_id, other.created_at) <> (fresh.operator_id, fresh.created_at)
    join hands theirs on theirs.id = other.operator_id and theirs.counts
    where fresh.subject not in ('sent', 'not_returned') and theirs.hand = own.hand
      and other.created_at > words_begin(fresh.payout_id, fresh.subject, fresh.attempt)) then
    raise exception 'a payout is not approved by the hand that asked for it, nor twice by one'
      using errcode = '23514';
  end if;
  return null;
end $$;
create trigger payout_votes_are_of_others after insert on payout_votes
  referencing new table as fresh for each statement execute function refuse_own_approval();

-- That a transfer which waits was meant for a payment.
create table transfer_proposals (
  id uuid primary key,
  transfer_id uuid not null references transfers,
  payment_id uuid not null references payments,
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

-- What waits for the second one.
create index payout_votes_of_returns on payout_votes (payout_id) where subject = 'returned';

-- Since when words of this subject count.
create function words_begin(payout uuid, what text, of_attempt integer) returns timestamptz
language sql stable as $$
  select coalesce(case what
    when 'not_sent' then (select reopened_at from payout_attempts
                          where payout_id = payout and number = of_attempt)
    when 'returned' then (select max(created_at) from payout_votes
                          where payout_id = payout and subject = 'not_returned') end, '-infinity')
$$;

create function refuse_undecided_attempt() returns trigger language plpgsql as $$
begin
  if (select count(distinct hand_of(operator_id)) from payout_votes
      where payout_id = new.payout_id and attempt = new.number and subject = 'not_sent'
        and created_at > old.reopened_at) < 2 then
    raise exception 'who says that a payout has not left after it was said to have are two people'
      using errcode = '23514';
  end if;
  return null;
end $$;
create trigger contradicted_attempts_are_decided after update on payout_attempts for each row
  when (old.state = 'unknown' and old.reopened_at is not null
    and old.reopened_by is distinct from 'accepted' and new.state = 'not_sent')
  execute function refuse_undecided_attempt();

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
