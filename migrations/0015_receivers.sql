-- Receivers as rows, found by the moment at which something is due for them; and rows that a job could
-- not work on.

-- An event's receiver is a digest, so nothing that a merchant writes is ever too long for an index: of
-- the shop and the origin of the address, or the shop's own id where the shop has too many origins.
alter table events alter column receiver type uuid using
  encode(substring(sha256(convert_to(shop_id || ' ' || receiver, 'UTF8')) for 16), 'hex')::uuid;

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

insert into receivers (id, shop_id, next_due_at, changed_in)
select receiver, shop_id, min(next_attempt_at), pg_current_xact_id() from events
where state = 'waiting' group by receiver, shop_id;

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
