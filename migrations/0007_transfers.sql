-- Money that arrived on a requisite: the evidence, stored once by the bank's reference.

create table transfers (
  id uuid primary key,
  requisite_id uuid not null,
  reference text not null check (char_length(reference) between 1 and 255),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount_minor bigint not null check (amount_minor > 0),
  payer text,
  state text not null check (state in ('matched', 'suspense', 'returned')),
  payment_id uuid unique,
  received_at timestamptz not null,
  -- Who settled it by hand, when and why.
  settled_at timestamptz,
  settled_by text,
  settled_reason text,
  unique (requisite_id, reference),
  check ((state = 'matched') = (payment_id is not null)),
  check (num_nonnulls(settled_at, settled_by, settled_reason) in (0, 3))
);
create index transfers_waiting on transfers (id) where state = 'suspense';
create index transfers_of_requisite on transfers (requisite_id, id);
create index transfers_by_amount on transfers (amount_minor, id);

create function refuse_orphan_transfers() returns trigger language plpgsql as $$
begin
  if exists (select from fresh
             where (select true from requisites where id = fresh.requisite_id) is null
               or fresh.payment_id is not null
                 and (select true from payments where id = fresh.payment_id) is null) then
    raise exception 'a transfer points to nothing' using errcode = '23503';
  end if;
  return null;
end $$;
create trigger transfers_point_to_rows after insert on transfers
  referencing new table as fresh for each statement execute function refuse_orphan_transfers();
-- The one reference that is set later: a transfer that waited is assigned to a payment.
create trigger transfers_still_point_to_rows after update on transfers
  referencing new table as fresh for each statement execute function refuse_orphan_transfers();
create trigger requisites_of_transfers_stay before update of id or delete or truncate on requisites
  for each statement execute function refuse_loss('transfers');
