-- Numbers that a requisite had before and payers were shown: a card that was issued anew, a phone that was changed.
-- They stay its own, or another requisite that got one would have the money of the same tellings again.
create table former_wallets (
  digest bytea primary key,
  requisite_id uuid not null references requisites,
  kind text not null check (kind in ('card', 'phone')),
  sealed bytea not null,
  replaced_at timestamptz not null
);

-- Looked at after the row is written: by then whoever had the number before has committed.
create function refuse_anothers_number() returns trigger language plpgsql as $$
begin
  if exists (select from former_wallets where digest in (new.card_digest, new.phone_digest)) then
    raise unique_violation using message = 'a number is a requisite''s already';
  end if;
  return null;
end $$;
create trigger numbers_stay after insert or update of card_digest, phone_digest on requisites
  for each row execute function refuse_anothers_number();
