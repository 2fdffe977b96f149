-- What takes several people of payouts takes several hands, as what is proposed does: nobody approves what their own
-- hand has asked for, and of what one hand has said by several tokens one counts. See 0031_proposals.sql.
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
      = (fresh.payout_id, fresh.subject, fresh.attempt) and other.operator_id <> fresh.operator_id
    join hands theirs on theirs.id = other.operator_id and theirs.counts
    where fresh.subject <> 'sent' and theirs.hand = own.hand) then
    raise exception 'a payout is not approved by the hand that asked for it, nor twice by one'
      using errcode = '23514';
  end if;
  return null;
end $$;
