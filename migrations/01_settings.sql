-- Operators, merchants, shops, keys, tariffs, and what the gateway is set to. The service gives every id and
-- every moment itself: no default calls now(). Each money rule of the code stands in these files again, as a constraint.

-- One row: which mode this database was made for, and a digest that only the right secret key gives.
create table installation (
  only_row boolean primary key default true check (only_row),
  mode text not null check (mode in ('sandbox', 'live')),
  secret_check bytea not null,
  -- How far the sandbox's time has been moved on.
  clock_offset_seconds bigint not null default 0 check (clock_offset_seconds >= 0),
  created_at timestamptz not null,
  -- The key of digests, sealed: it outlives a rotation of the secret key, because the secrets that were
  -- digested with it are known to nobody any more. Without it the secret key itself gives it.
  digest_key_sealed bytea
);

-- What a job could not do with one row, while it did the others: tried again alone, with growing pauses.
create table failing_rows (
  kind text not null,
  id uuid not null,
  failures integer not null check (failures > 0),
  error text not null,
  failed_at timestamptz not null,
  next_try_at timestamptz not null check (next_try_at > failed_at),
  primary key (kind, id)
);

-- What falls due by itself, a row for each thing and each job that waits for it. The tables of the
-- business have no index of what is still open, so that a change of their states stays within its page.
create table dues (
  kind text not null,
  due_at timestamptz not null,
  id uuid not null,
  primary key (kind, due_at, id)
);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = '23001';
end $$;

-- A trigger calls it for a change of state that is no edge of the table's states in src/domain.
create function refuse_edge() returns trigger language plpgsql as $$
begin
  raise exception '% cannot go from % to %', tg_table_name, old.state, new.state
    using errcode = '23514', constraint = tg_name;
end $$;

-- Of a table that keeps what it has, the rows that may be removed all the same: a condition on those that
-- go, which every one of them has to meet.
create function refuse_deletion() returns trigger language plpgsql as $$
declare
  is_kept boolean;
begin
  execute format('select exists (select from gone where (%s) is not true)', tg_argv[0]) into is_kept;
  if is_kept then
    raise exception '% is append-only', tg_table_name using errcode = '23001';
  end if;
  return null;
end $$;

-- What is pointed to is never deleted, and its id never changed.
create function refuse_loss() returns trigger language plpgsql as $$
declare
  is_pointed_to boolean;
begin
  execute format('select exists (select from %I)', tg_argv[0]) into is_pointed_to;
  if is_pointed_to then
    raise exception '% is pointed to by %', tg_table_name, tg_argv[0] using errcode = '23503';
  end if;
  return null;
end $$;

-- Operators: whoever manages the gateway, by a token of which only a keyed digest is kept.
create table operators (
  id uuid primary key,
  name text not null check (name <> ''),
  role text not null check (role in ('operator', 'cashier', 'viewer', 'bank')),
  digest bytea not null unique check (length(digest) = 32),
  created_at timestamptz not null,
  ends_at timestamptz,
  revoked_at timestamptz,
  -- The operator who made the token; null for people who sign in, and for tokens made on the machine itself.
  created_by uuid references operators check (created_by <> id)
);

-- One row for each change, written in the transaction that makes it. Without an operator it was the
-- command line on the machine itself.
create table audit_log (
  id uuid primary key,
  operator_id uuid references operators,
  operator_name text not null,
  act text not null,
  subject text not null,
  before json,
  after json,
  created_at timestamptz not null,
  -- Of a change by a merchant's member, the merchant: its people may read it.
  user_id uuid
);
create index audit_log_of_subject on audit_log (subject, id);
create index audit_log_of_operator on audit_log (operator_id, id);
create trigger audit_log_append_only before update or truncate on audit_log
  for each statement execute function refuse_change();

-- An act that only showed something is called ….reveal. Whatever changed something stays for ever.
create trigger audit_log_keeps_changes after delete on audit_log
  referencing old table as gone for each statement
  execute function refuse_deletion('act like ''%.reveal''');

-- Merchants.
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
  created_at timestamptz not null,
  -- What its payment page looks like.
  title text check (char_length(title) between 1 and 100),
  logo_url text check (logo_url like 'https://%'),
  color text check (color ~ '^#[0-9a-f]{6}$'),
  -- Which requests it sends: those of the specification, or what the clients of this family of API send.
  dialect text not null default 'strict' check (dialect in ('strict', 'family')),
  -- Whom a payer may ask: a URL, an e-mail address or a phone number.
  support text check (char_length(support) between 1 and 255)
);
create index shops_of_user on shops (user_id, id);

-- A keyed digest of the secret and its owner, never the secret. Several may live during a rotation.
create table api_keys (
  id uuid primary key,
  shop_id uuid references shops,
  user_id uuid references users,
  digest bytea not null unique check (length(digest) = 32),
  created_at timestamptz not null,
  ends_at timestamptz,
  -- A key that was revoked is dead whatever a gateway's clock says; only the grace of a rotation is a
  -- moment.
  revoked_at timestamptz,
  check (num_nonnulls(shop_id, user_id) = 1)
);
create index api_keys_of_shop on api_keys (shop_id) where shop_id is not null;
create index api_keys_of_user on api_keys (user_id) where user_id is not null;

-- What a shop's webhooks are signed with: both must be read again, so they are sealed, not digested.
create table webhook_keys (
  shop_id uuid primary key,
  key_sealed bytea not null,
  secret_sealed bytea not null,
  -- The keys before the last rotation: until their end webhooks are signed with them, too.
  old_key_sealed bytea,
  old_secret_sealed bytea,
  old_until timestamptz,
  check (num_nonnulls(old_key_sealed, old_secret_sealed, old_until) in (0, 3))
);

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

-- A fee stays below what is paid, so that whatever is paid can be credited. The payer's part of a fee
-- comes on top of the amount, so it is the shop's part that must be below the amount. With a whole rate
-- of at most 100 % an amount that is larger by one leaves no less, so the smallest amount speaks for all.
create function leaves_credit(amount_minor bigint, percent_ppm integer, user_percent_ppm integer,
    fix_minor bigint) returns boolean language sql immutable as $$
  -- Multiplied, not divided: numeric keeps every digit of a product.
  select ceil(0.000001 * amount_minor * percent_ppm) - ceil(0.000001 * amount_minor * user_percent_ppm)
         + fix_minor < amount_minor
$$;

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
  check (min_minor <= max_minor),
  constraint tariffs_leave_credit
    check (not enabled or leaves_credit(min_minor, percent_ppm, user_percent_ppm, fix_minor))
);

-- What a shop pays for a service where it has no tariff of its own.
create table default_tariffs (
  service text not null references services,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  percent_ppm integer not null check (percent_ppm between 0 and 1000000),
  shop_percent_ppm integer not null check (shop_percent_ppm >= 0),
  user_percent_ppm integer not null check (user_percent_ppm >= 0),
  fix_minor bigint not null check (fix_minor >= 0),
  min_minor bigint not null check (min_minor > 0),
  max_minor bigint not null,
  enabled boolean not null,
  primary key (service, currency),
  check (percent_ppm = shop_percent_ppm + user_percent_ppm),
  check (min_minor <= max_minor),
  constraint default_tariffs_leave_credit
    check (not enabled or leaves_credit(min_minor, percent_ppm, user_percent_ppm, fix_minor))
);

-- The banks that are connected to the fast payment system, as its directory numbers and names them.
create table sbp_banks (
  id text primary key,
  name text not null check (name <> '')
);
insert into sbp_banks (id, name) values :sbp_banks.csv;

-- Which settings stand now. It is read for every set of requests, so that a gateway may keep what it
-- read at a version for as long as the version stands, and no process ever answers by settings that
-- another one has changed. It never repeats, not even after the database was restored to an earlier
-- state: it follows the database's clock, to the microsecond, and so names one content for ever.
create table settings_version (
  only_row boolean primary key default true check (only_row),
  version bigint not null
);
insert into settings_version (version)
values ((extract(epoch from clock_timestamp()) * 1000000)::bigint);

-- Where nobody but one process writes to the database, as with the embedded engine, that process need not ask for the
-- version of the settings: it is told on its own connection, before it hears of the commit that changed them.
-- Operators are among the settings, so that who has a token is proven like who has a key.
create function settings_changed() returns trigger language plpgsql as $$
begin
  update settings_version
  set version = greatest(version + 1,
                         (extract(epoch from clock_timestamp()) * 1000000)::bigint);
  -- On a server, commits that tell of something wait for each other, in all of its databases.
  if current_setting('kopeck.one_connection', true) = 'on' then
    notify settings_changed;
  end if;
  return null;
end
$$;
create trigger settings_changed after insert or update or delete or truncate on api_keys
  for each statement execute function settings_changed();
create trigger settings_changed after insert or update or delete or truncate on shops
  for each statement execute function settings_changed();
create trigger settings_changed after insert or update or delete or truncate on services
  for each statement execute function settings_changed();
create trigger settings_changed after insert or update or delete or truncate on tariffs
  for each statement execute function settings_changed();
create trigger settings_changed after insert or update or delete or truncate on default_tariffs
  for each statement execute function settings_changed();
create trigger settings_changed after insert or update or delete or truncate on sbp_banks
  for each statement execute function settings_changed();

-- Of the schemes' ranges and lengths only, and not right beside a letter, as in the code
-- (card-number.ts): of the numbers and codes that banks call a payment by, one in ten has a right check digit.
create function holds_card_number(texts text) returns boolean language sql immutable as $$
  select exists (
    select from regexp_matches(texts, '(?<![[:alnum:]])\d{13,19}(?![[:alnum:]])', 'g') as found(digits)
    where digits[1] ~ ('^(4(\d{12}|\d{15}|\d{18})|3[47]\d{13}|3(095|[689]\d\d)\d{10,15}|'
        || '(5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|220[0-4]\d{12,15}|'
        || '35(2[89]|[3-8]\d)\d{12,15}|(5[06-8]|6\d)\d{14,17}|'
        || '(8[12]\d\d|8600|9051|9112|9417|9792|9860)\d{12,15})$')
      and (select sum(case when place % 2 = 1 then digit when digit > 4 then digit * 2 - 9
                           else digit * 2 end)
           from (select place, substr(reverse(digits[1]), place, 1)::integer as digit
                 from generate_series(1, length(digits[1])) as place) placed) % 10 = 0)
$$;
create index audit_log_of_user on audit_log (user_id, id) where user_id is not null;

create function first_id_at(moment timestamptz) returns uuid language sql immutable strict as $$
  select (lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0')
    || '70008000000000000000')::uuid
$$;
create index users_by_name on users (lower(name) text_pattern_ops);
create index shops_by_name on shops (lower(name) text_pattern_ops);

-- The moment that an id was made at; of a first_id_at that moment itself.
create function moment_of(id uuid) returns timestamptz language sql immutable strict as $$
  select to_timestamp(('x' || left(id::text, 8) || substr(id::text, 10, 4))::bit(48)::bigint
    / 1000::double precision)
$$;

-- Tokens that a person has made, directly or by another token of theirs, count as that person.
create function person_of(operator uuid) returns uuid language sql stable as $$
  with recursive makers(id, created_by) as (
    select id, created_by from operators where id = operator
    union
    select maker.id, maker.created_by from operators maker join makers on maker.id = makers.created_by)
  select id from makers where created_by is null
$$;
create trigger settings_changed after insert or update or delete or truncate on operators
  for each statement execute function settings_changed();
