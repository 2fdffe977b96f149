-- A transfer stays when its payment is archived, and changes once more: who sent the money is removed in its time. So an
-- update answers for what it makes a transfer point to, and not for what the transfer has pointed to before.
create function refuse_orphaned_transfers() returns trigger language plpgsql as $$
begin
  if exists (select from fresh join former using (id)
             where fresh.requisite_id <> former.requisite_id
               and (select true from requisites where id = fresh.requisite_id) is null
               or fresh.payment_id is distinct from former.payment_id
               and fresh.payment_id is not null
               and (select true from payments where id = fresh.payment_id) is null) then
    raise exception 'a transfer points to nothing' using errcode = '23503';
  end if;
  return null;
end $$;
create or replace trigger transfers_still_point_to_rows after update on transfers
  referencing old table as former new table as fresh
  for each statement execute function refuse_orphaned_transfers();
