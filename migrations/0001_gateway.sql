-- The gateway's tables up to the moment a payer is told where to send the money.
-- Each money rule of the code stands here again as a constraint. The service gives every id and every
-- moment itself: nothing here calls now() or makes a value up.

-- One row: which mode this database was made for, and a digest that only the right secret key gives.
create table installation (
  only_row boolean primary key default true check (only_row),
  mode text not null check (mode in ('sandbox', 'live')),
  secret_check bytea not null,
  -- How far the sandbox's time has been moved on.
  clock_offset_seconds bigint not null default 0 check (clock_offset_seconds >= 0),
  created_at timestamptz not null
);

create table users (
  id uuid primary key,
  name text not null,
  created_at timestamptz not null
);

create table shops (
  id uuid primary key,
  user_id uuid not null references users,
  name text not null,
  h2h_enabled boolean not null,
  success_url text,
  fail_url text,
  hook_url text,
  -- How many kopecks an amount may be raised by to find a free slot; 0 turns it off.
  nudge_max_minor bigint not null default 99 check (nudge_max_minor between 0 and 99),
  late_policy text not null default 'credit' check (late_policy in ('credit', 'hold')),
  created_at timestamptz not null
);
create index shops_of_user on shops (user_id);

-- A keyed digest of the secret and its owner, never the secret. Several may live during a rotation.
create table api_keys (
  id uuid primary key,
  shop_id uuid references shops,
  user_id uuid references users,
  digest bytea not null unique check (length(digest) = 32),
  created_at timestamptz not null,
  ends_at timestamptz,
  check (num_nonnulls(shop_id, user_id) = 1)
);
create index api_keys_of_shop on api_keys (shop_id) where shop_id is not null;
create index api_keys_of_user on api_keys (user_id) where user_id is not null;

-- Payment methods. The method decides how long the money stays frozen.
create table services (
  code text primary key,
  label text not null,
  freeze_seconds integer not null check (freeze_seconds >= 0)
);
insert into services (code, label, freeze_seconds) values
  ('p2p_card', 'Перевод на карту', 86400),
  ('p2p_sbp', 'Перевод по СБП', 3600),
  ('card', 'Банковская карта', 86400);

-- Rates are parts per million: 6 % is 60000.
create table tariffs (
  shop_id uuid not null references shops,
  service text not null references services,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  percent_ppm integer not null check (percent_ppm between 0 and 1000000),
  shop_percent_ppm integer not null check (shop_percent_ppm >= 0),
  user_percent_ppm integer not null check (user_percent_ppm >= 0),
  fix_minor bigint not null check (fix_minor >= 0),
  min_minor bigint not null check (min_minor > 0),
  max_minor bigint not null,
  enabled boolean not null,
  primary key (shop_id, service, currency),
  check (percent_ppm = shop_percent_ppm + user_percent_ppm),
  check (min_minor <= max_minor)
);

create table invoices (
  id uuid primary key,
  shop_id uuid not null references shops,
  order_id text not null check (char_length(order_id) between 1 and 255),
  -- Tells a retry, which gets the first answer again, from another order under the same id.
  content_digest bytea not null check (length(content_digest) = 32),
  type text not null check (type in ('direct', 'link')),
  state text not null
    check (state in ('created', 'pending', 'paid', 'expired', 'failed', 'refunded')),
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  services text[] not null check (cardinality(services) between 1 and 20),
  success_url text not null,
  fail_url text,
  hook_url text,
  email text,
  comment text check (char_length(comment) <= 255),
  custom_fields text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  unique (shop_id, order_id),
  paid_at timestamptz,
  check (expires_at > created_at),
  check (type = 'link' or cardinality(services) = 1),
  check ((state in ('paid', 'refunded')) = (paid_at is not null))
);
create index invoices_due on invoices (expires_at) where state in ('created', 'pending');

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

-- One attempt to pay an invoice. What the payer is told never changes once it is written here.
create table payments (
  id uuid primary key,
  invoice_id uuid not null references invoices,
  shop_id uuid not null references shops,
  requisite_id uuid not null references requisites,
  service text not null references services,
  state text not null check (state in ('live', 'paid', 'lapsed')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount_minor bigint not null check (amount_minor > 0),
  -- The rates and the fees of the tariff as they were when the details were issued.
  percent_ppm integer not null check (percent_ppm >= 0),
  user_percent_ppm integer not null check (user_percent_ppm between 0 and percent_ppm),
  fee_minor bigint not null check (fee_minor >= 0),
  payer_fee_minor bigint not null check (payer_fee_minor between 0 and fee_minor),
  nudge_minor bigint not null check (nudge_minor between 0 and 99),
  to_pay_minor bigint not null,
  payer_ip text,
  payer_user_agent text,
  created_at timestamptz not null,
  created_on date not null,
  ends_at timestamptz not null,
  -- Only a payment that was paid has these; credited is what the user got, refunded what went back.
  paid_at timestamptz,
  late boolean,
  received_minor bigint check (received_minor > 0),
  credited_minor bigint check (credited_minor = received_minor - fee_minor and credited_minor > 0),
  refunded_minor bigint not null default 0,
  check ((state = 'paid') = (num_nonnulls(paid_at, late, received_minor, credited_minor) = 4)),
  check (refunded_minor between 0 and coalesce(credited_minor, 0)),
  constraint payments_add_up check (to_pay_minor = amount_minor + payer_fee_minor + nudge_minor),
  check (ends_at > created_at)
);
create unique index payments_one_live on payments (invoice_id) where state = 'live';
create index payments_of_invoice on payments (invoice_id);
create index payments_due on payments (ends_at) where state = 'live';

-- The right of one payment to one (requisite, amount). The primary key is what forbids two at once;
-- a slot whose time is over, quarantine included, is taken over in place.
create table slots (
  requisite_id uuid not null references requisites,
  amount_minor bigint not null check (amount_minor > 0),
  payment_id uuid not null unique,
  held_until timestamptz not null,
  primary key (requisite_id, amount_minor)
);
