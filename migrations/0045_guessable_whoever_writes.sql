-- A gateway of the version before, which goes on while others are upgraded, says nothing of balances that everybody
-- can guess. So the table does: what begins with nothing, or is nothing, stays guessable until a balance of the
-- bank's or a person's begins a stretch anew.
create function nothing_is_guessable() returns trigger language plpgsql as $$
begin
  new.guessable := new.guessable or coalesce(0 in (new.opening_minor, new.balance_minor), false);
  return new;
end $$;
create trigger nothing_is_guessable before insert or update on requisite_balances
  for each row execute function nothing_is_guessable();

-- Stretches that went through nothing in between.
update requisite_balances stretch set guessable = true
where not guessable and exists (
  select from messages message
  where message.requisite_id = stretch.requisite_id and message.fate in ('accepted', 'noted')
    and 0 in (message.balance_minor, message.balance_minor - message.change_minor)
);
