-- What a statement has shown to have left, and nobody here had sent, is known from now on by an attempt at the desk in
-- nobody's hands, written down with the line. Here for the lines of before: such a payout is in line no longer, what
-- is held is not sent once it is approved, and what was given back can be recovered.
with shown as materialized (
  select payout.id, payout.state, line.at
  from payouts payout
  cross join lateral (
    select import.created_at as at
    from statement_lines seen join imports import on import.id = seen.import_id
    where seen.payout_id = payout.id and seen.direction = 'out' and seen.fate = 'outflow'
      and seen.payout_attempt is null
    limit 1) line
  where payout.state in ('held', 'queued', 'failed', 'canceled') and payout.attempts = 0
  for no key update of payout
), added as (
  insert into payout_attempts (payout_id, number, rail, state, claimed_at, lease_until, dispatched_at,
    reopened_at, detail)
  select id, 1, 'desk', case state when 'queued' then 'unknown' else 'not_sent' end, at, at,
         case state when 'queued' then at end, at, 'Not sent through the gateway.'
  from shown
), moved as (
  update payouts set attempts = 1, queued_at = null,
    state = case state when 'queued' then 'unknown' else state end
  where id = any(array(select id from shown))
)
update statement_lines set payout_attempt = 1
where payout_id = any(array(select id from shown)) and direction = 'out' and payout_attempt is null;
