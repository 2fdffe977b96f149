-- What goes back of a requisite's openings is at most what was opened there. A gateway of the version before is refused
-- as well. Moves are made one after another, under a lock of the table.
create function refuse_more_back_than_opened() returns trigger language plpgsql as $$
begin
  if exists (select from own_moves
             where kind in ('opening', 'opening_back') and requisite_id in (
               select requisite_id from fresh where kind = 'opening_back')
             group by requisite_id
             having sum(case kind when 'opening' then amount_minor else -amount_minor end) < 0) then
    raise exception 'more goes back than was opened' using errcode = '23514';
  end if;
  return null;
end $$;
create trigger own_moves_go_back_within_openings after insert on own_moves
  referencing new table as fresh for each statement execute function refuse_more_back_than_opened();

-- What a payout came back as: one transfer at most, said with the return or once its line is there.
alter table payouts
  add column return_transfer_id uuid references transfers,
  add constraint payouts_come_back_as_transfers
    check (return_transfer_id is null or state = 'returned') not valid;
