-- Hourly statistics, and checks of the ledger.

-- Ids begin with their moment: the hour that one was made in, and the first id of a moment.
create function hour_of(id uuid) returns timestamptz language sql immutable strict as $$
  select to_timestamp((('x' || left(id::text, 8) || substr(id::text, 10, 4))::bit(48)::bigint
    / 3600000 * 3600)::double precision)
$$;

-- Rows of each shop, and rows of all shops together under the id 0: an operator's page reads only these.
create table statistics (
  hour timestamptz not null,
  shop_id uuid not null,
  currency text not null,
  -- Of invoices the one method that was asked for, or '' where the payer chooses; of money the method that was paid by.
  method text not null,
  created bigint not null,
  -- Of the invoices created in this hour: paid ever, and ended without payment.
  converted bigint not null,
  expired bigint not null,
  -- Credits and refunds of this hour.
  paid bigint not null,
  paid_in_time bigint not null,
  received_minor bigint not null,
  credited_minor bigint not null,
  fee_minor bigint not null,
  refunds bigint not null,
  refunded_minor bigint not null,
  primary key (hour, shop_id, currency, method)
) with (fillfactor = 80);
create index statistics_of_shop on statistics (shop_id, currency, hour);

-- One row. The job holds it while it counts, so only one gateway counts at a time.
create table statistics_progress (
  id integer primary key check (id = 1),
  counted_to timestamptz not null,
  -- The older hours are counted again once an hour: in which hour last, and how far that has come.
  recount_hour timestamptz not null,
  recounted_to timestamptz not null
) with (fillfactor = 50);
insert into statistics_progress (id, counted_to, recount_hour, recounted_to)
values (1, '1970-01-01T00:00:00Z', '1970-01-01T00:00:00Z', '1970-01-01T00:00:00Z');

-- Each time the books were checked, by hand or on the machine itself.
create table book_checks (
  id uuid primary key,
  -- Who asked for it.
  author text not null check (char_length(author) between 1 and 255),
  asked_at timestamptz not null,
  -- Of whichever gateway checks; one that falls silent has its turn taken over.
  started_at timestamptz,
  worker uuid,
  beat_at timestamptz,
  ended_at timestamptz,
  violations integer check (violations >= 0),
  -- The first few of them, in words.
  details text[] not null default '{}',
  check ((ended_at is null) = (violations is null)),
  check (ended_at is null or started_at is not null),
  check (num_nonnulls(worker, beat_at) in (0, 2))
);

-- One at a time.
create unique index book_checks_under_way on book_checks ((true)) where ended_at is null;
create trigger book_checks_stay before delete or truncate on book_checks
  for each statement execute function refuse_change();
