-- Where payers send the money, and who was promised what of it.

-- A receiving card or phone of the operator. Numbers are sealed; the digests find and compare them.
create table requisites (
  id uuid primary key,
  bank text not null check (bank in ('sber', 'tinkoff')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  receiver_name text not null,
  card_sealed bytea,
  card_digest bytea unique,
  phone_sealed bytea,
  phone_digest bytea unique,
  enabled boolean not null,
  min_minor bigint not null check (min_minor > 0),
  max_minor bigint not null,
  max_live_payments integer not null check (max_live_payments >= 0),
  max_day_payments integer not null check (max_day_payments >= 0),
  max_day_sum_minor bigint not null check (max_day_sum_minor >= 0),
  -- What it has taken so far: now, and on the last day (of the service's time zone) it was used.
  -- It stands in this row because this row is what a choice locks.
  live_payments integer not null default 0 check (live_payments >= 0),
  day date,
  day_payments integer not null default 0 check (day_payments >= 0),
  day_sum_minor bigint not null default 0 check (day_sum_minor >= 0),
  last_used_at timestamptz,
  created_at timestamptz not null,
  check (min_minor <= max_minor),
  check ((card_sealed is null) = (card_digest is null)),
  check ((phone_sealed is null) = (phone_digest is null)),
  check (num_nonnulls(card_digest, phone_digest) > 0)
);
create index requisites_longest_unused on requisites (bank, currency, last_used_at nulls first, id)
  where enabled;
create trigger requisites_stay_in_the_ledger before update of id or delete or truncate on requisites
  for each statement execute function refuse_loss('ledger_postings');

-- The right of one payment to one (requisite, amount). The primary key is what forbids two at once;
-- a slot whose time is over, quarantine included, is taken over in place.
create table slots (
  requisite_id uuid not null,
  amount_minor bigint not null check (amount_minor > 0),
  payment_id uuid not null unique,
  held_until timestamptz not null,
  -- Who holds it: nobody may hold more than a share.
  shop_id uuid not null,
  user_id uuid not null,
  -- The block of addresses that asked on the payment page.
  payer text,
  primary key (requisite_id, amount_minor)
);

create function refuse_orphan_slots() returns trigger language plpgsql as $$
begin
  if exists (select from fresh
             where (select true from requisites where id = fresh.requisite_id) is null) then
    raise exception 'a slot points to nothing' using errcode = '23503';
  end if;
  return null;
end $$;
create trigger slots_point_to_rows after insert on slots
  referencing new table as fresh for each statement execute function refuse_orphan_slots();
create trigger requisites_stay before update of id or delete or truncate on requisites
  for each statement execute function refuse_loss('slots');
