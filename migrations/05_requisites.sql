-- Receiving cards and phones, what each may take, and slots: the reservation of one requisite and amount.

-- A receiving account of the operator. Its card, phone and account number stand in requisite_numbers.
create table requisites (
  id uuid primary key,
  bank text not null check (bank in ('sber', 'tinkoff')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  receiver_name text not null,
  min_minor bigint not null check (min_minor > 0),
  max_minor bigint not null,
  created_at timestamptz not null,
  check (min_minor <= max_minor)
);
create trigger requisites_stay_in_the_ledger before update of id or delete or truncate on requisites
  for each statement execute function refuse_loss('ledger_postings');
create trigger settings_changed after insert or update or delete or truncate on requisites
  for each statement execute function settings_changed();

-- Every card, phone and account that a requisite has or had. Numbers are sealed; the digests find and compare them.
-- A number that money may have been sent to stays its requisite's: reports may still name a former one.
create table requisite_numbers (
  digest bytea primary key,
  requisite_id uuid not null references requisites,
  kind text not null check (kind in ('card', 'phone', 'account')),
  sealed bytea not null,
  -- When the requisite first got it; null if the requisite was added with it.
  since timestamptz,
  -- When another number replaced it; null for the current one.
  until timestamptz,
  -- A statement names accounts: an account that one has named stays.
  check (kind <> 'account' or until is null)
);
create unique index requisite_numbers_current on requisite_numbers (requisite_id, kind) where until is null;
create trigger settings_changed after insert or update or delete or truncate on requisite_numbers
  for each statement execute function settings_changed();

create function requisite_needs_number() returns trigger language plpgsql as $$
begin
  if not exists (select from requisite_numbers where requisite_id = new.id and kind <> 'account') then
    raise check_violation using message = 'a requisite needs a card or a phone';
  end if;
  return null;
end $$;
create constraint trigger requisites_need_numbers after insert on requisites
  deferrable initially deferred for each row execute function requisite_needs_number();

-- What a requisite may take, and what it has taken: now, and on the last day (of the service's time zone)
-- that it was used. This narrow row is what a choice locks, so all that a choice depends on is in it.
create table requisite_usage (
  requisite_id uuid primary key references requisites,
  enabled boolean not null,
  max_live_payments integer not null check (max_live_payments >= 0),
  max_day_payments integer not null check (max_day_payments >= 0),
  max_day_sum_minor bigint not null check (max_day_sum_minor >= 0),
  live_payments integer not null default 0 check (live_payments >= 0),
  day date,
  day_payments integer not null default 0 check (day_payments >= 0),
  day_sum_minor bigint not null default 0 check (day_sum_minor >= 0),
  last_used_at timestamptz,
  -- Since when no payer is given it, because its message sources are silent.
  resting_since timestamptz
) with (fillfactor = 50);

-- The right of one payment to one (requisite, amount). The primary key is what forbids two at once;
-- a slot whose time is over, quarantine included, is taken over in place.
create table slots (
  requisite_id uuid not null,
  amount_minor bigint not null check (amount_minor > 0),
  payment_id uuid not null,
  held_until timestamptz not null,
  -- Who holds it: nobody may hold more than a share.
  shop_id uuid not null,
  user_id uuid not null,
  -- The block of addresses that asked on the payment page.
  payer text,
  primary key (requisite_id, amount_minor)
) with (fillfactor = 85);
create trigger requisites_stay before update of id or delete or truncate on requisites
  for each statement execute function refuse_loss('slots');

-- A slot is removed only after its payment's end; violations() sees whether the quarantine was over, too.
create trigger slots_of_live_payments_stay after delete on slots
  referencing old table as gone for each statement execute function refuse_deletion(
    '(select state <> ''live'' from payments where id = gone.payment_id)');
