-- An attempt that was said not to have left, and then to have, is not taken for unsent again by the first word told
-- once more, such as a notice that is delivered twice: that takes two people who have spoken since. What was only
-- said to be on its way may be older than the first word, and the rail is asked.
alter table payout_attempts add column reopened_by text
  check (reopened_by in ('sent', 'accepted'));

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
