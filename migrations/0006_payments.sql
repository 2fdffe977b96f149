-- Attempts to pay. What the payer is told never changes once it is written here.

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
    'state = ''expired'' and details = 0
     and not exists (select from events where invoice_id = gone.id)
     and not exists (select from payments where invoice_id = gone.id)');
-- A slot is removed only after its payment's end; violations() sees whether the quarantine was over, too.
create trigger slots_of_live_payments_stay after delete on slots
  referencing old table as gone for each statement execute function refuse_deletion(
    '(select state <> ''live'' from payments where id = gone.payment_id)');
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
