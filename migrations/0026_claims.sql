-- Orders in months are claimed once for each statement that adds invoices, instead of once for each of its rows: a
-- row trigger is a statement of its own, and took a fifth of what an order costs. Whole tables are left alone.

-- The key of orders is the guard: who comes second fails here, with everything that came along, and begins anew. Orders
-- are claimed as they were added, which is by their keys, so that nobody waits for who waits.
create function claim_orders() returns trigger language plpgsql as $$
begin
  insert into orders (shop_id, order_id) select shop_id, order_id from fresh;
  return null;
end $$;

-- For code of before, which counts on "on conflict do nothing": row by row, unless the statement is claimed for.
create or replace function claim_order() returns trigger language plpgsql as $$
begin
  if current_setting('kopeck.claims', true) = 'once a statement'
    and exists (select from pg_trigger where tgrelid = 'invoices'::regclass
                  and tgname = 'invoices_claim_orders' and tgenabled = 'O') then
    return new;
  end if;
  insert into orders (shop_id, order_id) values (new.shop_id, new.order_id) on conflict do nothing;
  if found then return new; end if;
  return null;
end $$;

-- Whatever the setting is, one of the two claims. The row trigger asks before it is called: that takes no time.
create function remember_orders() returns void language plpgsql as $$
begin
  create or replace trigger invoices_claim_orders after insert on invoices
    referencing new table as fresh for each statement
    when (current_setting('kopeck.claims', true) = 'once a statement')
    execute function claim_orders();
  create or replace trigger invoices_claim_order before insert on invoices for each row
    when (current_setting('kopeck.claims', true) is distinct from 'once a statement')
    execute function claim_order();
  create or replace trigger invoices_release_orders after delete on invoices
    referencing old table as gone for each statement execute function release_orders();
end $$;

do $$
begin
  if exists (select from pg_trigger where tgrelid = 'invoices'::regclass
               and tgname = 'invoices_claim_order') then
    perform remember_orders();
  end if;
end $$;

create or replace function violations_of_guards()
returns table (invariant integer, detail text) language sql stable as $$
  select guard.invariant, 'the table ' || guard.table_name || ' can be changed'
  from (values (2, 'ledger_postings', 'ledger_postings_append_only'),
               (20, 'events', 'events_append_only'),
               (20, 'events', 'events_stay'),
               (20, 'events', 'events_go_with_invoices'),
               (3, 'ledger_openings', 'ledger_openings_append_only'),
               (3, 'archives', 'archives_append_only'),
               (12, 'payout_attempts', 'payout_attempts_stay'),
               (29, 'payouts', 'payouts_stay'),
               (36, 'payout_votes', 'payout_votes_append_only'),
               (36, 'payout_votes', 'payout_votes_are_of_others')) guard(invariant, table_name, name)
  where not exists (select from pg_trigger where tgrelid = guard.table_name::regclass
                      and tgname = guard.name and tgenabled = 'O')
  union all
  -- What is unique by an index is so in every row of it.
  select 15, 'orders can have several invoices'
  where not exists (select from pg_constraint join pg_index on indexrelid = conindid
                    where conrelid = 'invoices'::regclass and contype = 'u' and indisvalid
                      and pg_get_constraintdef(pg_constraint.oid) = 'UNIQUE (shop_id, order_id)')
    -- In months, no order enters that is known: for every statement one of the two claims it, or the one always.
    and (select count(*) + count(*) filter (where tgqual is null) from pg_trigger
         where tgrelid = 'invoices'::regclass and tgenabled = 'O'
           and tgname in ('invoices_claim_order', 'invoices_claim_orders')) < 2
  union all
  select 15, 'an order of invoice ' || id || ' can be placed again'
  from (select id, shop_id, order_id from invoices order by id desc limit 1000) recent
  where (select relkind from pg_class where oid = 'invoices'::regclass) = 'p'
    and not exists (select from orders where shop_id = recent.shop_id and order_id = recent.order_id)
  union all
  select guard.invariant, guard.what
  from (values (12, 'one_attempt_may_have_left', 'a payout can have several attempts that may have left'),
               (30, 'payouts_of_reference', 'a bank''s reference can prove several payouts'))
         guard(invariant, name, what)
  where not exists (select from pg_index where indexrelid = to_regclass(guard.name)
                      and indisunique and indisvalid)
  union all
  select 38, kind || ' has failed ' || failures || ' times on ' || id || ', and tries it again: '
            || error
  from failing_rows
$$;
