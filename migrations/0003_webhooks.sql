-- Events: facts that a shop is told about, each written in the transaction that makes it true, and
-- what became of every attempt to tell them.

create table events (
  id uuid primary key,
  shop_id uuid not null,
  invoice_id uuid not null,
  sequence integer not null check (sequence > 0),
  -- Exactly the bytes that are signed and sent, the same in every attempt.
  body text not null,
  hook_url text,
  -- Receivers take turns, so that a dead one holds up nobody else. A digest of the shop and the origin of
  -- the address, so that nothing that a merchant writes is ever too long for an index; or the shop's own
  -- id where the shop has too many origins.
  receiver uuid,
  state text not null check (state in ('waiting', 'delivered', 'exhausted', 'no_address')),
  -- Grows by one with every claim, and so is the fence as well: only the holder of the newest
  -- attempt may write what came of it.
  attempts integer not null default 0 check (attempts >= 0),
  -- Attempts that were made before it was last sent again; they do not count for the schedule.
  attempts_before integer not null default 0,
  -- When it may be claimed: the moment of its next attempt or, while one is under way, the end of
  -- that one's lease.
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  unique (invoice_id, sequence),
  check (attempts_before between 0 and attempts),
  check ((state = 'waiting') = (next_attempt_at is not null)),
  check ((state = 'no_address') = (hook_url is null)),
  check ((receiver is null) = (hook_url is null))
);
-- The only way in to what waits, on purpose. Beside it an index by the moment alone tempts the planner
-- to look for one receiver's events among everybody's: with 50,000 events of a dead receiver and 1,000
-- others a claim then took over 10 s, through this one it takes milliseconds.
create index events_waiting on events (receiver, next_attempt_at) where state = 'waiting';
create index events_of_shop on events (shop_id, id);
create index events_exhausted on events (id) where state = 'exhausted';

-- One row for each attempt, written when it starts. Without a duration nobody heard how it ended: the
-- process stopped, or another one had taken the event over.
create table deliveries (
  event_id uuid not null references events,
  attempt integer not null check (attempt > 0),
  started_at timestamptz not null,
  status integer check (status between 100 and 999),
  error text,
  duration_ms integer check (duration_ms >= 0),
  primary key (event_id, attempt),
  check (num_nonnulls(status, error) = num_nonnulls(duration_ms))
);

-- One row for each receiver that something waits for; a claim reads those that are due, not those that
-- wait. It is removed when a claim finds nothing that waits.
create table receivers (
  id uuid primary key,
  shop_id uuid not null,
  -- Never later than the first of its events; it may be earlier, and then a claim finds that out.
  next_due_at timestamptz not null,
  -- The transaction that last made something due for it. A claim moves next_due_at on only where this is
  -- what it has read: what others added since then, it has not seen.
  changed_in xid8 not null
) with (fillfactor = 50);
create index receivers_due on receivers (next_due_at);
create index receivers_of_shop on receivers (shop_id);
