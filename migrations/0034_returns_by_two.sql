-- From a sum on, that a payout has come back is said by two people, as that one has not left is. The first one's word
-- is a vote; whoever knows better takes it back for all by another one.
alter table payout_votes
  drop constraint payout_votes_subject_check,
  add constraint payout_votes_subject_check
    check (subject in ('approve', 'sent', 'not_sent', 'returned', 'not_returned')),
  -- What was said before somebody contradicted it can be said anew.
  drop constraint payout_votes_pkey,
  add primary key (payout_id, subject, attempt, operator_id, created_at);
-- What waits for the second one.
create index payout_votes_of_returns on payout_votes (payout_id) where subject = 'returned';

-- When an attempt that was said not to have left was said to have: nobody's word of before counts any more.
alter table payout_attempts add column reopened_at timestamptz;
update payout_attempts attempt set reopened_at = said.last
from (select payout_id, attempt as number, max(created_at) as last from payout_votes
      where subject = 'not_sent' group by 1, 2 having count(*) > 1) said
where (attempt.payout_id, attempt.number) = (said.payout_id, said.number) and attempt.state = 'unknown';

-- Since when words of this subject count.
create function words_begin(payout uuid, what text, of_attempt integer) returns timestamptz
language sql stable as $$
  select coalesce(case what
    when 'not_sent' then (select reopened_at from payout_attempts
                          where payout_id = payout and number = of_attempt)
    when 'returned' then (select max(created_at) from payout_votes
                          where payout_id = payout and subject = 'not_returned') end, '-infinity')
$$;

-- As in 0032_hands.sql, of words that count.
create or replace function refuse_own_approval() returns trigger language plpgsql as $$
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
