-- Invoices, payments, refunds, and what payers say.

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
  -- A shop of the family's dialect may have no address to go to after paying: the page ends on its receipt.
  success_url text,
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

create trigger invoices_edges before update of state on invoices for each row
  when (old.state <> new.state and old.state || '>' || new.state <> all (
    '{created>pending,created>expired,created>failed,pending>paid,pending>expired,pending>failed,'
    'paid>refunded,expired>paid}'))
  execute function refuse_edge();

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

-- An event of a user is never removed: its invoice is not there, nor expired.
create function refuse_orphan_events() returns trigger language plpgsql as $$
begin
  if exists (select from fresh
             where (select shop_id from invoices where id = fresh.invoice_id)
                     is distinct from fresh.shop_id
               or fresh.user_id is not null
                 and (select true from users where id = fresh.user_id) is null) then
    raise exception 'an event points to nothing' using errcode = '23503';
  end if;
  return null;
end $$;
create trigger events_point_to_rows after insert on events
  referencing new table as fresh for each statement execute function refuse_orphan_events();
create trigger invoices_of_events_stay before update of id, shop_id or truncate on invoices
  for each statement execute function refuse_loss('events');
create trigger events_go_with_invoices after delete on events
  referencing old table as gone for each statement execute function refuse_deletion(
    '(select state in (''expired'', ''failed'') and details = 0 from invoices where id = gone.invoice_id)
     and not exists (select from outbox where event_id = gone.id)');

create table payments (
  id uuid primary key,
  invoice_id uuid not null,
  -- 1 for the first details of its invoice, 2 for the next.
  number integer not null check (number > 0),
  shop_id uuid not null,
  user_id uuid not null,
  requisite_id uuid not null,
  service text not null,
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
  -- The block of addresses that asked on the payment page.
  payer text,
  created_at timestamptz not null,
  created_on date not null,
  ends_at timestamptz not null,
  -- Until when the payment's slot is held for it. It stands here as well because a slot's row is taken
  -- over by the next payment, and what was promised must stay checkable.
  slot_until timestamptz not null,
  -- Only a payment that was paid has these; credited is what the user got, refunded what went back.
  paid_at timestamptz,
  late boolean,
  received_minor bigint check (received_minor > 0),
  credited_minor bigint check (credited_minor = received_minor - fee_minor and credited_minor > 0),
  refunded_minor bigint not null default 0,
  check ((state = 'paid') = (num_nonnulls(paid_at, late, received_minor, credited_minor) = 4)),
  check (refunded_minor between 0 and coalesce(credited_minor, 0)),
  constraint payments_add_up check (to_pay_minor = amount_minor + payer_fee_minor + nudge_minor),
  constraint payments_leave_credit check (state <> 'live' or fee_minor - payer_fee_minor < amount_minor),
  check (ends_at > created_at),
  constraint payments_slot_outlives_details
    check (slot_until between ends_at and ends_at + interval '24 hours')
) with (fillfactor = 50);

create trigger payments_edges before update of state on payments for each row
  when (old.state <> new.state and old.state || '>' || new.state <> all (
    '{live>paid,live>lapsed,lapsed>paid}'))
  execute function refuse_edge();

-- Two who are given the next details of one invoice at once cannot both be.
create unique index payments_of_invoice on payments (invoice_id, number);

-- Ids begin with their moment: those of a requisite that may still be live are its newest.
create index payments_of_requisite on payments (requisite_id, id);
create index payments_of_shop on payments (shop_id, id);

-- Whose money is it that came to a requisite with an amount, at some moment.
create index payments_expecting on payments (requisite_id, to_pay_minor, created_at);

create function refuse_orphan_payments() returns trigger language plpgsql as $$
begin
  if exists (select from fresh
             where (select shop_id from invoices where id = fresh.invoice_id)
                     is distinct from fresh.shop_id
               or (select true from requisites where id = fresh.requisite_id) is null
               or (select true from services where code = fresh.service) is null) then
    raise exception 'a payment points to nothing' using errcode = '23503';
  end if;
  return null;
end $$;
create trigger payments_point_to_rows after insert on payments
  referencing new table as fresh for each statement execute function refuse_orphan_payments();
create trigger payments_stay before update of id, invoice_id, shop_id, requisite_id, service
  or delete or truncate on payments
  for each statement execute function refuse_loss('payments');
create trigger invoices_stay before update of id, shop_id or truncate on invoices
  for each statement execute function refuse_loss('payments');
create trigger invoices_stay_once_offered after delete on invoices
  referencing old table as gone for each statement execute function refuse_deletion(
    'state in (''expired'', ''failed'') and details = 0
     and not exists (select from events where invoice_id = gone.id)
     and not exists (select from payments where invoice_id = gone.id)');
create trigger services_stay before update of code or delete or truncate on services
  for each statement execute function refuse_loss('payments');

create function refuse_orphan_freezes() returns trigger language plpgsql as $$
begin
  if exists (select from fresh
             where (select true from payments where id = fresh.payment_id) is null
               or (select true from users where id = fresh.user_id) is null) then
    raise exception 'a freeze points to nothing' using errcode = '23503';
  end if;
  return null;
end $$;
create trigger ledger_freezes_point_to_rows after insert on ledger_freezes
  referencing new table as fresh for each statement execute function refuse_orphan_freezes();

create table refunds (
  id uuid primary key,
  payment_id uuid not null references payments,
  shop_id uuid not null references shops,
  amount_minor bigint not null check (amount_minor > 0),
  reason text not null,
  author text not null,
  created_at timestamptz not null,
  -- Of whoever asks for it: asked again, after an answer that got lost, it goes back once. A refund
  -- without one is a new one each time.
  reference text check (char_length(reference) between 1 and 255),
  unique (payment_id, reference)
);
create index refunds_of_shop on refunds (shop_id, id);

-- What a payer says of the transfer for a payment. Nobody has proven it, and it moves no money: it is for
-- whoever looks for the transfer.
create table payer_words (
  payment_id uuid primary key references payments,
  -- When the payer first said to have paid, and when the rest was last told.
  paid_said_at timestamptz not null,
  told_at timestamptz,
  -- How often it was told: a payer may mend it, not write it without end.
  times integer not null default 0 check (times between 0 and 5),
  amount_minor bigint check (amount_minor > 0),
  bank text check (char_length(bank) between 1 and 64),
  -- In the payer's words, as the bank's app shows it.
  sent_when text check (char_length(sent_when) between 1 and 64)
);
