-- Running the gateway: who may manage it, what they changed, tariffs that hold for every shop, and a
-- way into every list. Lists are read newest first by id (ids begin with their moment), so each index
-- here ends in the id that a page goes on from.

-- Whoever manages the gateway, by a token of which only a keyed digest is kept.
create table operators (
  id uuid primary key,
  name text not null check (name <> ''),
  role text not null check (role in ('operator', 'viewer')),
  digest bytea not null unique check (length(digest) = 32),
  created_at timestamptz not null,
  ends_at timestamptz,
  revoked_at timestamptz
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
  created_at timestamptz not null
);
create index audit_log_of_subject on audit_log (subject, id);
create index audit_log_of_operator on audit_log (operator_id, id);
create trigger audit_log_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_change();

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
  check (min_minor <= max_minor)
);

-- The key of digests, sealed: it outlives a rotation of the secret key, because the secrets that were
-- digested with it are known to nobody any more. Without it the secret key itself gives it.
alter table installation add column digest_key_sealed bytea;

drop index shops_of_user;
create index shops_of_user on shops (user_id, id);

create index invoices_of_shop on invoices (shop_id, id);
create index invoices_by_state on invoices (state, id);
create index invoices_by_amount on invoices (amount_minor, id);

-- Payments are listed in the order of their invoices, so that one index also finds the invoices that
-- were to be paid to a requisite.
drop index payments_of_invoice;
create index payments_of_invoice on payments (invoice_id, id);
create index payments_of_shop on payments (shop_id, invoice_id, id);
create index payments_of_requisite on payments (requisite_id, invoice_id, id);
create index payments_by_amount on payments (to_pay_minor, invoice_id, id);

drop index transfers_waiting;
create index transfers_waiting on transfers (id) where state = 'suspense';
create index transfers_of_requisite on transfers (requisite_id, id);
create index transfers_by_amount on transfers (amount_minor, id);

create index refunds_of_shop on refunds (shop_id, id);

create index events_of_shop on events (shop_id, id);
create index events_exhausted on events (id) where state = 'exhausted';
