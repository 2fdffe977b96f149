-- What shops ask for.

create table invoices (
  id uuid primary key,
  shop_id uuid not null,
  user_id uuid not null,
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
  -- How often it was given details. A payment has its number, and only the newest can be live.
  details integer not null default 0 check (details >= 0),
  -- How many events its shop was told of it: the next is one more.
  events integer not null default 0 check (events >= 0),
  check (expires_at > created_at),
  check (type = 'link' or cardinality(services) = 1),
  check ((state in ('paid', 'refunded')) = (paid_at is not null))
) with (fillfactor = 50);
-- No index knows a state: a change of it stays within its page. What is open is found by its due.
create index invoices_of_shop on invoices (shop_id, id);

-- What a row points to must be there: checked once for each statement instead of once for each row. A
-- foreign key looks every row up by a statement of its own and locks what it finds, 10 µs each. Without
-- the lock the other side must hold still (refuse_loss). Each is a look-up by a primary key: as a join it
-- would be planned as a reading of the whole table.
create function refuse_orphan_invoices() returns trigger language plpgsql as $$
begin
  if exists (select from fresh where (select true from shops where id = fresh.shop_id) is null) then
    raise exception 'an invoice points to nothing' using errcode = '23503';
  end if;
  return null;
end $$;
create trigger invoices_point_to_rows after insert on invoices
  referencing new table as fresh for each statement execute function refuse_orphan_invoices();
create trigger shops_stay before update of id or delete or truncate on shops
  for each statement execute function refuse_loss('invoices');

create function refuse_orphan_events() returns trigger language plpgsql as $$
begin
  if exists (select from fresh
             where (select shop_id from invoices where id = fresh.invoice_id)
                     is distinct from fresh.shop_id) then
    raise exception 'an event points to nothing' using errcode = '23503';
  end if;
  return null;
end $$;
create trigger events_point_to_rows after insert on events
  referencing new table as fresh for each statement execute function refuse_orphan_events();
create trigger invoices_of_events_stay before update of id, shop_id or truncate on invoices
  for each statement execute function refuse_loss('events');

-- An invoice that expired without ever having had details may be removed, after its events; those that a
-- shop was not told stay.
create trigger events_go_with_invoices after delete on events
  referencing old table as gone for each statement execute function refuse_deletion(
    '(select state = ''expired'' and details = 0 from invoices where id = gone.invoice_id)
     and not exists (select from outbox where event_id = gone.id)');
