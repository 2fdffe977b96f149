-- What a row points to must be there: checked once for each statement instead of once for each row. A
-- foreign key looks every row up by a statement of its own and locks what it finds, 10 µs each; a
-- credited transfer has 12 of them. Without the lock the other side must hold still: what is pointed to
-- is never deleted, and its id never changed.

alter table invoices drop constraint invoices_shop_id_fkey;
alter table payments
  drop constraint payments_invoice_id_fkey, drop constraint payments_shop_id_fkey,
  drop constraint payments_requisite_id_fkey, drop constraint payments_service_fkey;
alter table slots drop constraint slots_requisite_id_fkey;
alter table transfers
  drop constraint transfers_requisite_id_fkey, drop constraint transfers_payment_id_fkey;
alter table ledger_entries
  drop constraint ledger_entries_posting_id_fkey, drop constraint ledger_entries_account_id_fkey;
alter table ledger_freezes
  drop constraint ledger_freezes_payment_id_fkey, drop constraint ledger_freezes_user_id_fkey;
alter table events
  drop constraint events_shop_id_fkey, drop constraint events_invoice_id_fkey;

-- Each is a look-up by a primary key: as a join it would be planned as a reading of the whole table.

create function refuse_orphan_invoices() returns trigger language plpgsql as $$
begin
  if exists (select from fresh where (select true from shops where id = fresh.shop_id) is null) then
    raise exception 'an invoice points to nothing' using errcode = '23503';
  end if;
  return null;
end $$;
create trigger invoices_point_to_rows after insert on invoices
  referencing new table as fresh for each statement execute function refuse_orphan_invoices();

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

create function refuse_orphan_slots() returns trigger language plpgsql as $$
begin
  if exists (select from fresh
             where (select true from requisites where id = fresh.requisite_id) is null) then
    raise exception 'a slot points to nothing' using errcode = '23503';
  end if;
  return null;
end $$;
create trigger slots_point_to_rows after insert on slots
  referencing new table as fresh for each statement execute function refuse_orphan_slots();

create function refuse_orphan_transfers() returns trigger language plpgsql as $$
begin
  if exists (select from fresh
             where (select true from requisites where id = fresh.requisite_id) is null
               or fresh.payment_id is not null
                 and (select true from payments where id = fresh.payment_id) is null) then
    raise exception 'a transfer points to nothing' using errcode = '23503';
  end if;
  return null;
end $$;
create trigger transfers_point_to_rows after insert on transfers
  referencing new table as fresh for each statement execute function refuse_orphan_transfers();
-- The one reference that is set later: a transfer that waited is assigned to a payment.
create trigger transfers_still_point_to_rows after update on transfers
  referencing new table as fresh for each statement execute function refuse_orphan_transfers();

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

-- The check of the currencies has looked both sides up already.
create or replace function refuse_unbalanced() returns trigger language plpgsql as $$
begin
  if exists (select from fresh group by posting_id having sum(amount_minor) <> 0) then
    raise exception 'a posting must sum to zero' using errcode = '23514';
  end if;
  if exists (select from fresh
             where ((select currency from ledger_postings where id = fresh.posting_id)
                  = (select currency from ledger_accounts where id = fresh.account_id)) is not true)
  then
    raise exception 'an entry has a posting and an account, of one currency'
      using errcode = '23514';
  end if;
  return null;
end $$;

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

create trigger invoices_stay before update of id, shop_id or delete or truncate on invoices
  for each statement execute function refuse_loss('payments');
create trigger invoices_of_events_stay before update of id, shop_id or delete or truncate on invoices
  for each statement execute function refuse_loss('events');
create trigger shops_stay before update of id or delete or truncate on shops
  for each statement execute function refuse_loss('invoices');
create trigger users_stay before update of id or delete or truncate on users
  for each statement execute function refuse_loss('ledger_freezes');
create trigger services_stay before update of code or delete or truncate on services
  for each statement execute function refuse_loss('payments');
create trigger requisites_stay before update of id or delete or truncate on requisites
  for each statement execute function refuse_loss('slots');
create trigger requisites_of_transfers_stay before update of id or delete or truncate on requisites
  for each statement execute function refuse_loss('transfers');
create trigger payments_stay before update of id, invoice_id, shop_id, requisite_id, service
  or delete or truncate on payments
  for each statement execute function refuse_loss('payments');
create trigger ledger_accounts_stay before update of id, currency or delete or truncate
  on ledger_accounts
  for each statement execute function refuse_loss('ledger_entries');
