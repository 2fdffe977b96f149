-- Receiving cards and phones, what each may take, and slots: the reservation of one requisite and amount.

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
  -- One requisite is one account: a statement speaks of accounts.
  account_sealed bytea,
  account_digest bytea unique,
  min_minor bigint not null check (min_minor > 0),
  max_minor bigint not null,
  created_at timestamptz not null,
  -- Whether it had its card or its phone before and has it back: then payers may have seen it.
  card_was_former boolean not null default false,
  phone_was_former boolean not null default false,
  -- When it got the card or the phone that it has, where it was added without one or had another before.
  card_since timestamptz,
  phone_since timestamptz,
  check (min_minor <= max_minor),
  check ((card_sealed is null) = (card_digest is null)),
  check ((phone_sealed is null) = (phone_digest is null)),
  check ((account_sealed is null) = (account_digest is null)),
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
  last_used_at timestamptz,
  -- Since when no payer is given it, because its message sources are silent.
  resting_since timestamptz,
  -- How often it got another card or phone: an allocation read before that is stale.
  renumbered integer not null default 0
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

-- Numbers that a requisite had before and payers were shown: a card that was issued anew, a phone that was changed.
-- They stay its own, or another requisite that got one would have the money of the same tellings again.
create table former_wallets (
  digest bytea primary key,
  requisite_id uuid not null references requisites,
  kind text not null check (kind in ('card', 'phone')),
  sealed bytea not null,
  replaced_at timestamptz not null
);
