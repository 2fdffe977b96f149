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
  min_minor bigint not null check (min_minor > 0),
  max_minor bigint not null,
  created_at timestamptz not null,
  check (min_minor <= max_minor),
  check ((card_sealed is null) = (card_digest is null)),
  check ((phone_sealed is null) = (phone_digest is null)),
  check (num_nonnulls(card_digest, phone_digest) > 0)
);
create trigger requisites_stay_in_the_ledger before update of id or delete or truncate on requisites
  for each statement execute function refuse_loss('ledger_postings');
create trigger settings_changed after insert or update or delete or truncate on requisites
  for each statement execute function settings_changed();

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
  last_used_at timestamptz
) with (fillfactor = 50);
-- Only what an operator sets is a setting.
create trigger settings_changed after insert or delete or truncate
  or update of enabled, max_live_payments, max_day_payments, max_day_sum_minor on requisite_usage
  for each statement execute function settings_changed();

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
