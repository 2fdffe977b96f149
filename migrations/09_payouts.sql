-- Payouts: rails, tariffs, destinations, attempts, files, and the operator's own funds.

-- Whoever sends: an operator at the desk, a file for the bank's client, a program of the operator's own, and
-- in the sandbox one that plays every ending. No payout is bound to one before it is claimed.
create table rails (
  code text primary key check (code ~ '^[a-z][a-z0-9_-]{0,31}$'),
  kind text not null check (kind in ('desk', 'file', 'http', 'sandbox')),
  services text[] not null check (services <@ array['card', 'sbp'] and cardinality(services) > 0),
  paused boolean not null default false,
  -- Of a program.
  url text,
  secret_sealed bytea,
  -- For so long it takes the same request with the same key for the same one.
  repeatable_seconds integer not null default 0 check (repeatable_seconds >= 0),
  created_at timestamptz not null,
  check ((kind = 'http') = (url is not null and secret_sealed is not null)),
  check (num_nonnulls(url, secret_sealed) in (0, 2))
);
insert into rails (code, kind, services, created_at) values
  ('desk', 'desk', '{card,sbp}', '2026-01-01T00:00:00Z'),
  ('file', 'file', '{card,sbp}', '2026-01-01T00:00:00Z');

-- What a payout costs, its limits, and when a person has to look at it. Without a user it is for everybody who
-- has none of their own.
create table payout_tariffs (
  id uuid primary key,
  user_id uuid references users,
  service text not null check (service in ('card', 'sbp')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  percent_ppm integer not null check (percent_ppm between 0 and 1000000),
  fix_minor bigint not null check (fix_minor >= 0),
  min_minor bigint not null check (min_minor > 0),
  max_minor bigint not null,
  -- Of all payouts of a user in a day, and of those to one destination; null for no limit.
  day_sum_minor bigint check (day_sum_minor > 0),
  day_count integer check (day_count > 0),
  destination_day_sum_minor bigint check (destination_day_sum_minor > 0),
  destination_day_count integer check (destination_day_count > 0),
  -- A person looks at larger ones, at the first to a destination, and at what goes beyond a sum in a day; two
  -- look at the largest.
  hold_over_minor bigint check (hold_over_minor >= 0),
  hold_first boolean not null default true,
  hold_day_sum_minor bigint check (hold_day_sum_minor >= 0),
  four_eyes_over_minor bigint check (four_eyes_over_minor >= 0),
  -- So long it waits for a person, and is canceled then.
  hold_seconds integer not null default 259200 check (hold_seconds > 0),
  -- Whether the fee goes back with the money where a payout is returned.
  refunds_fee boolean not null default false,
  enabled boolean not null default true,
  check (min_minor <= max_minor),
  unique nulls not distinct (user_id, service, currency)
);
create trigger settings_changed after insert or update or delete or truncate on payout_tariffs
  for each statement execute function settings_changed();

-- Where a user's money goes to: one row for one number (and bank) in a currency, so that another secret key seals only these
-- anew.
create table payout_destinations (
  id uuid primary key,
  user_id uuid not null,
  service text not null check (service in ('card', 'sbp')),
  bank_id text,
  digest bytea not null check (length(digest) = 32),
  number_sealed bytea not null,
  masked text not null check (masked like '%***%'),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- The first payout that arrived there.
  first_done_at timestamptz,
  created_at timestamptz not null,
  unique (user_id, digest),
  check ((service = 'sbp') = (bank_id is not null))
) with (fillfactor = 80);

create table payouts (
  id uuid primary key,
  user_id uuid not null,
  order_id text check (char_length(order_id) between 1 and 255),
  service text not null check (service in ('card', 'sbp')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  destination_id uuid not null,
  -- As it was asked for; what leaves the balance, what arrives, and the fee between them, by the tariff of
  -- that moment.
  amount_minor bigint not null check (amount_minor > 0),
  withdraw_minor bigint not null,
  receive_minor bigint not null check (receive_minor > 0),
  fee_minor bigint not null check (fee_minor >= 0),
  subtract text not null check (subtract in ('balance', 'amount')),
  refunds_fee boolean not null,
  -- As the first answer said it.
  balance_after_minor bigint not null check (balance_after_minor >= 0),
  comment text check (char_length(comment) <= 255),
  hook_url text,
  -- By a user's program, or by hand.
  origin text not null check (origin in ('api', 'payoff')),
  author_id uuid references operators,
  state text not null check (state in ('held', 'queued', 'sending', 'unknown', 'done', 'failed', 'canceled',
    'returned')),
  -- Why a person has to look, how many have to, and until when.
  held_reason text check (held_reason in ('by_hand', 'large', 'first', 'day', 'repeat')),
  approvals_needed smallint not null default 0 check (approvals_needed between 0 and 2),
  held_until timestamptz,
  -- Since when it stands in line; a later moment where it is to be tried again only then.
  queued_at timestamptz,
  -- How many attempts there were.
  attempts integer not null default 0 check (attempts >= 0),
  -- Of its last event.
  sequence integer not null default 0 check (sequence >= 0),
  -- Why it failed.
  error text check (char_length(error) between 1 and 255),
  bank_reference text check (char_length(bank_reference) between 1 and 255),
  created_at timestamptz not null,
  -- The day that its limits are counted for.
  created_on date not null,
  settled_at timestamptz,
  -- When it was known to have left; it stays so where it comes back.
  done_at timestamptz,
  unique (order_id, user_id),
  constraint payouts_add_up check (withdraw_minor = receive_minor + fee_minor),
  constraint payouts_take_fee check (amount_minor =
    case subtract when 'balance' then receive_minor else withdraw_minor end),
  check ((state = 'queued') = (queued_at is not null)),
  check ((state in ('done', 'failed', 'canceled', 'returned')) = (settled_at is not null)),
  check ((held_reason is null) = (approvals_needed = 0) and (held_reason is null) = (held_until is null)),
  check (state <> 'held' or held_reason is not null),
  check ((state in ('failed', 'canceled', 'returned')) = (error is not null)),
  check (origin = 'payoff' or author_id is null),
  check ((state in ('done', 'returned')) = (done_at is not null)),
  check (bank_reference is null or state in ('done', 'returned')),
  -- The transfer of its return: one at most.
  return_transfer_id uuid references transfers,
  constraint payouts_come_back_as_transfers check (return_transfer_id is null or state = 'returned')
) with (fillfactor = 80);

create trigger payouts_edges before update of state on payouts for each row
  when (old.state <> new.state and old.state || '>' || new.state <> all (
    '{held>queued,held>canceled,queued>sending,queued>canceled,queued>unknown,sending>queued,'
    'sending>done,sending>failed,sending>unknown,unknown>queued,unknown>done,unknown>failed,'
    'done>returned,failed>done,canceled>done}'))
  execute function refuse_edge();

-- The key of a receipt: it proves one payout.
create unique index payouts_of_reference on payouts (currency, bank_reference) where bank_reference is not null;
create index payouts_of_user on payouts (user_id, id);
create index payouts_of_destination on payouts (destination_id, created_at);
create index payouts_unknown on payouts (destination_id) where state = 'unknown';
create index payouts_in_line on payouts (queued_at) where queued_at is not null;
create index payouts_tried_again on payouts (id) where queued_at is not null and attempts > 0;
create index payouts_of_state on payouts (state, id);

-- Looked up by the primary key once for each statement, as for invoices.
create function refuse_orphan_payouts() returns trigger language plpgsql as $$
begin
  if exists (select from fresh
             where (select user_id from payout_destinations where id = fresh.destination_id)
                     is distinct from fresh.user_id) then
    raise exception 'a payout points to nothing' using errcode = '23503';
  end if;
  return null;
end $$;
create trigger payouts_point_to_rows after insert on payouts
  referencing new table as fresh for each statement execute function refuse_orphan_payouts();

create function refuse_orphan_destinations() returns trigger language plpgsql as $$
begin
  if exists (select from fresh where (select true from users where id = fresh.user_id) is null) then
    raise exception 'a destination points to nothing' using errcode = '23503';
  end if;
  return null;
end $$;
create trigger payout_destinations_point_to_rows after insert on payout_destinations
  referencing new table as fresh for each statement execute function refuse_orphan_destinations();
create trigger payout_destinations_stay before update of id, user_id or delete or truncate
  on payout_destinations for each statement execute function refuse_loss('payouts');
create trigger users_of_destinations_stay before update of id or delete or truncate on users
  for each statement execute function refuse_loss('payout_destinations');
create trigger payouts_stay before delete or truncate on payouts
  for each statement execute function refuse_change();

-- What a user has asked for in a day, but for what did not leave after all.
create table payout_days (
  user_id uuid,
  service text,
  currency text,
  day date,
  sum_minor bigint not null check (sum_minor >= 0),
  payouts integer not null check (payouts >= 0),
  primary key (user_id, service, currency, day)
) with (fillfactor = 50);

-- A file for the bank's client: once written it never changes, and what is in it enters no other.
create table payout_batches (
  id uuid primary key,
  rail text not null references rails,
  format text not null check (format in ('csv', '1c')),
  currency text not null,
  content_sealed bytea not null,
  -- Not unique: what a bank wants again may be in a file of the same bytes.
  digest bytea not null check (length(digest) = 32),
  payouts integer not null check (payouts > 0),
  sum_minor bigint not null check (sum_minor > 0),
  created_by text not null,
  created_at timestamptz not null
);
create trigger payout_batches_append_only before delete or truncate on payout_batches
  for each statement execute function refuse_change();

-- Every attempt to send a payout. dispatched_at is the marker that is committed before anything is sent: before
-- it nothing has left, after it nobody knows until somebody says.
create table payout_attempts (
  payout_id uuid not null references payouts,
  number integer not null check (number > 0),
  rail text not null references rails,
  state text not null check (state in ('claimed', 'dispatched', 'accepted', 'unknown', 'sent', 'not_sent')),
  -- The operator at the desk, or who made the batch; of two by one name only one has it.
  author_id uuid references operators,
  batch_id uuid references payout_batches,
  claimed_at timestamptz not null,
  -- Until then whoever has it says what came of it.
  lease_until timestamptz not null,
  dispatched_at timestamptz,
  -- What the rail calls it.
  rail_id text check (char_length(rail_id) between 1 and 255),
  detail text check (char_length(detail) between 1 and 500),
  -- How often it was asked what came of it, and when it is asked next.
  looks integer not null default 0 check (looks >= 0),
  next_look_at timestamptz,
  -- When an attempt that was said not to have left was said to have, and by what: earlier words count no more, and
  -- two people have to say again that it has not left.
  reopened_at timestamptz,
  reopened_by text check (reopened_by in ('sent', 'accepted')),
  primary key (payout_id, number),
  check (state = 'not_sent' or (state = 'claimed') = (dispatched_at is null))
) with (fillfactor = 70);

create trigger payout_attempts_edges before update of state on payout_attempts for each row
  when (old.state <> new.state and old.state || '>' || new.state <> all (
    '{claimed>dispatched,claimed>not_sent,dispatched>accepted,dispatched>unknown,dispatched>sent,'
    'dispatched>not_sent,accepted>unknown,accepted>sent,accepted>not_sent,unknown>sent,'
    'unknown>not_sent,not_sent>unknown}'))
  execute function refuse_edge();

-- None of the two may be forgotten: a second attempt while the first may have left would be a second payment.
create unique index one_attempt_may_have_left on payout_attempts (payout_id) where state <> 'not_sent';
create index payout_attempts_of_batch on payout_attempts (batch_id) where batch_id is not null;
create index payout_attempts_of_rail_id on payout_attempts (rail, rail_id) where rail_id is not null;
create trigger payout_attempts_stay before delete or truncate on payout_attempts
  for each statement execute function refuse_change();
create index statement_lines_of_payout on statement_lines (payout_id) where payout_id is not null;

-- What a payout is called in files for the bank's client.
create index payouts_of_document on payouts (upper(right(id::text, 12)));

-- What the operator has put on a requisite, or takes: said by a person, once for a reference.
create table own_moves (
  id uuid primary key,
  kind text not null check (kind in ('opening', 'opening_back', 'deposit', 'withdrawal')),
  account text not null check (account in ('own', 'fees')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount_minor bigint not null check (amount_minor > 0),
  requisite_id uuid references requisites,
  transfer_id uuid unique references transfers,
  reference text not null check (char_length(reference) between 1 and 255),
  reason text not null check (char_length(reason) between 1 and 500),
  author text not null,
  created_at timestamptz not null,
  unique (kind, reference),
  check (account = 'own' or kind = 'withdrawal'),
  check ((kind = 'withdrawal') = (requisite_id is null)),
  check ((kind = 'deposit') = (transfer_id is not null))
);
create index own_moves_of_requisite on own_moves (requisite_id) where requisite_id is not null;

-- What goes back of a requisite's openings is at most what was opened there. Moves are made one after another, under a lock of the table.
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
alter table statement_lines add foreign key (payout_id) references payouts;
