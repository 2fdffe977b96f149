-- History as partitions. Tables are whole until an operator has them divided (kopeck partition): then
-- invoices, payments, events and postings lie in months, and a month in which everything is over can be
-- taken out (kopeck archive). Who never does so pays nothing for it.

-- The orders that shops have ever placed, once invoices lie in months: no index knows all of these, and an
-- order is one invoice for ever. Until then it is empty, and the constraint of invoices does that.
create table orders (
  shop_id uuid not null,
  order_id text not null,
  primary key (shop_id, order_id)
);

-- As "on conflict do nothing": an order that is there already is no new row, whoever waits for whom.
create function claim_order() returns trigger language plpgsql as $$
begin
  insert into orders (shop_id, order_id) values (new.shop_id, new.order_id) on conflict do nothing;
  if found then return new; end if;
  return null;
end $$;
-- An invoice that nobody used may be removed, and its order placed anew.
create function release_orders() returns trigger language plpgsql as $$
begin
  delete from orders using gone
  where orders.shop_id = gone.shop_id and orders.order_id = gone.order_id;
  return null;
end $$;

-- What was taken out, one row for each time; ids before the last of them are no longer here.
create table archives (
  -- The last month that is in it, 2026-08, and all that came before and was still here.
  month text primary key check (month ~ '^\d{4}-\d{2}$'),
  from_id uuid not null,
  before_id uuid not null unique,
  archived_at timestamptz not null,
  invoices bigint not null,
  payments bigint not null,
  postings bigint not null,
  events bigint not null,
  check (from_id < before_id)
);
create trigger archives_append_only before update or delete or truncate on archives
  for each statement execute function refuse_change();

create function archived_before() returns uuid language sql stable as $$
  select coalesce((select before_id from archives order by before_id desc limit 1),
    '00000000-0000-0000-0000-000000000000'::uuid)
$$;

-- What an archive's postings gave each account, and ("credited") its payments each user: balances begin with it.
create table ledger_openings (
  month text references archives,
  account text check (account in ('bank', 'bank_out', 'suspense', 'fees', 'frozen', 'available',
    'reserved', 'own', 'credited')),
  currency text check (currency ~ '^[A-Z]{3}$'),
  -- The user or the requisite; nobody's id for what is nobody's.
  owner_id uuid,
  amount_minor bigint not null,
  primary key (account, owner_id, currency, month)
);
create trigger ledger_openings_append_only before update or delete or truncate on ledger_openings
  for each statement execute function refuse_change();

-- What points to a payment outlives it here, and so looks it up once, as the hot tables do.
create function refuse_without_payment() returns trigger language plpgsql as $$
begin
  if exists (select from fresh
             where (select true from payments where id = fresh.payment_id) is null) then
    raise exception '% points to no payment', tg_table_name using errcode = '23503';
  end if;
  return null;
end $$;
alter table refunds drop constraint refunds_payment_id_fkey;
create trigger refunds_point_to_rows after insert on refunds
  referencing new table as fresh for each statement execute function refuse_without_payment();
alter table payer_words drop constraint payer_words_payment_id_fkey;
create trigger payer_words_point_to_rows after insert on payer_words
  referencing new table as fresh for each statement execute function refuse_without_payment();

-- A table's partitions, in order; without a bound it is open there.
create function partitions_of(parent text)
returns table (name text, from_id uuid, before_id uuid) language sql stable as $$
  select inhrelid::regclass::text,
         substring(bound from $r$FROM \('([0-9a-f-]{36})'$r$)::uuid as lower,
         substring(bound from $r$TO \('([0-9a-f-]{36})'$r$)::uuid
  from pg_inherits join pg_class on pg_class.oid = inhrelid
  cross join lateral pg_get_expr(relpartbound, inhrelid) bound
  where inhparent = to_regclass(parent)
  order by lower nulls first
$$;

-- Turns a whole table into one of partitions, with itself as the only one, which takes every id: nothing is read
-- or written, so nobody waits for longer than a lock. Its views, triggers and functions go over to the new one.
create function partition_table(of_table text, key text) returns void language plpgsql as $$
declare
  plain constant oid := of_table::regclass;
  ahead constant text := of_table || '_ahead';
  views text[];
  functions text[];
  triggers text[];
  grants text[];
  primary_key text;
  owner text;
  item record;
  made text;
begin
  if (select relkind from pg_class where oid = plain) = 'p' then return; end if;
  execute format('lock table %I in access exclusive mode', of_table);
  select conname, pg_get_constraintdef(oid) into item
  from pg_constraint where conrelid = plain and contype = 'p';
  primary_key := item.pg_get_constraintdef;
  execute format('alter table %I rename constraint %I to %I', of_table, item.conname, ahead || '_pkey');
  select pg_get_userbyid(relowner) into owner from pg_class where oid = plain;
  select array_agg(format('grant %s on %I to %s', privilege_type, of_table,
           case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end))
  into grants from pg_class cross join lateral aclexplode(relacl) where oid = plain;
  for item in
    select oid, tgname, pg_get_triggerdef(oid) as made from pg_trigger
    where tgrelid = plain and not tgisinternal order by oid
  loop
    triggers := triggers || item.made;
    execute format('drop trigger %I on %I', item.tgname, of_table);
  end loop;
  for item in
    select distinct view.oid, view.relname, pg_get_viewdef(view.oid) as made
    from pg_depend join pg_rewrite on pg_rewrite.oid = objid
    join pg_class view on view.oid = ev_class
    where classid = 'pg_rewrite'::regclass and refobjid = plain and view.relkind = 'v'
    order by view.oid
  loop
    views := views || format('create view %I as %s', item.relname, item.made);
    execute format('drop view %I', item.relname);
  end loop;
  for item in
    select oid, pg_get_functiondef(oid) as made from pg_proc
    where (select reltype from pg_class where oid = plain) = any(proargtypes)
  loop
    functions := functions || item.made;
    execute format('drop function %s', item.oid::regprocedure);
  end loop;
  execute format('alter table %I rename to %I', of_table, ahead);
  execute format('create table %I (like %I including defaults including constraints including storage)
    partition by range (%I)', of_table, ahead, key);
  execute format('alter table %I owner to %I', of_table, owner);
  execute format('alter table %I add %s', of_table, primary_key);
  execute format('alter table %I attach partition %I for values from (minvalue) to (maxvalue)',
    of_table, ahead);
  foreach made in array coalesce(functions, '{}') || coalesce(views, '{}') || coalesce(triggers, '{}')
    || coalesce(grants, '{}')
  loop
    execute made;
  end loop;
end $$;

-- The partition that is open to the end is cut at these ids, of which the last is where it begins from now on. It is
-- nearly always empty; what is not becomes the first part, and the caller has made sure that all of it belongs there.
create function cut_partitions(of_table text, cuts uuid[]) returns void language plpgsql as $$
declare
  ahead constant text := of_table || '_ahead';
  lower uuid;
  is_empty boolean;
  cut uuid;
  part text;
begin
  execute format('lock table %I in access exclusive mode', of_table);
  select from_id into lower from partitions_of(of_table) where name = ahead;
  execute format('select not exists (select from %I)', ahead) into is_empty;
  execute format('alter table %I detach partition %I', of_table, ahead);
  foreach cut in array cuts loop
    part := of_table || '_' || coalesce(to_char(moment_of(lower) at time zone 'UTC', 'YYYY_MM'), 'first');
    if is_empty then perform make_partition(part, ahead);
    else execute format('alter table %I rename to %I', ahead, part);
    end if;
    execute format('alter table %I attach partition %I for values from (%s) to (%L)', of_table, part,
      coalesce(quote_literal(lower), 'minvalue'), cut);
    if not is_empty then
      execute format('alter table %I drop constraint ends', part);
      perform make_partition(ahead, part);
      is_empty := true;
    end if;
    lower := cut;
  end loop;
  execute format('alter table %I attach partition %I for values from (%L) to (maxvalue)', of_table, ahead,
    lower);
end $$;

-- With the columns, constraints and indexes of another one, and as much room in its pages.
create function make_partition(part text, model text) returns void language plpgsql as $$
declare
  options text[];
begin
  execute format('create table %I (like %I including all)', part, model);
  select reloptions into options from pg_class where oid = model::regclass;
  if options is not null then
    execute format('alter table %I set (%s)', part, array_to_string(options, ', '));
  end if;
end $$;

-- Archives.

-- Where an archive's tables are. With this schema before the others the functions of violations() look at it
-- instead of what is still here.
create function archive_schema(month text) returns text language sql immutable strict as $$
  select 'archive_' || replace(month, '-', '_')
$$;

-- The partitions that hold what comes before an id. Postings that came late, for what is in an archive, stay.
create function partitions_before(before uuid)
returns table (of_table text, name text) language sql stable as $$
  select of_table, part.name
  from unnest(array['invoices', 'payments', 'events', 'ledger_postings']) of_table
  cross join lateral partitions_of(of_table) part
  where part.before_id <= before and part.name <> of_table || '_late'
$$;

-- Why what comes before an id cannot be taken out yet, each with one that is in the way.
create function archive_obstacles(before uuid, at_moment timestamptz)
returns table (reason text, found bigint, example uuid) language sql stable as $$
  with since as materialized (select archived_before() as id)
  select reason, count(*), (array_agg(id order by id))[1]
  from (
    select 'invoices are open' as reason, id from invoices
    where id < before and state in ('created', 'pending')
    union all
    select 'payments may still be paid: their quarantine is not over', id from payments
    where (id < before or invoice_id < before) and (state = 'live' or slot_until > at_moment)
    union all
    select 'payments lie before the end of the month and their invoices after it: archive the next month too', id
    from payments where id < before and invoice_id >= before
    union all
    select 'events lie before the end of the month and what they tell of after it: archive the next month too', id
    from events where id < before and (invoice_id >= before or payout_id >= before)
    union all
    select 'credits are frozen', payment_id from ledger_freezes, since
    where payment_id >= since.id and payment_id < before and released_at is null
    union all
    select 'transfers wait in suspense', id from transfers where id < before and state = 'suspense'
    union all
    select 'transfers wait for a proof', id from transfers
    where needs_proof and (id < before or payment_id < before)
    union all
    select 'events wait to be told', event_id from outbox
    where next_attempt_at is not null and (event_id < before or (
      select invoice_id < before or payout_id < before from events where id = outbox.event_id))
    union all
    select 'events wait for their position in the feed', event_id from event_feed_queue
    where event_id < before
    union all
    select 'events wait for their position in the feed', event_id from user_event_feed_queue
    where event_id < before
    union all
    select 'payouts are under way', payouts.id from payouts, since
    where payouts.id >= since.id and payouts.id < before
      and state in ('held', 'queued', 'sending', 'unknown')
    union all
    select 'a job fails on rows of that time', id from failing_rows where id < before
    union all
    select 'figures are not counted that far', up_to from tally_marks
    where as_of < moment_of(before)) obstacle
  group by reason
$$;

-- What is taken out changes no more meanwhile: who would change it waits, as for a row that somebody holds.
create function refuse_while_archived() returns trigger language plpgsql as $$
begin
  raise exception '% is being archived', tg_table_name using errcode = '55P03';
end $$;
create function close_months(before uuid) returns void language plpgsql as $$
declare
  part text;
begin
  for part in select name from partitions_before(before) loop
    execute format('create or replace trigger closed before insert or update or delete on %s
      for each row execute function refuse_while_archived()', part);
  end loop;
end $$;
-- All that are closed, where nobody is taking them out any more.
create function open_months() returns integer language plpgsql as $$
declare
  part text;
  opened integer := 0;
begin
  for part in select tgrelid::regclass::text from pg_trigger
    where tgname = 'closed' and tgfoid = 'refuse_while_archived'::regproc
  loop
    execute format('drop trigger closed on %s', part);
    opened := opened + 1;
  end loop;
  return opened;
end $$;

-- What an archive's postings and payments come to, account by account. It reads whatever these names mean.
-- Postings that came later, for what is in it, have later ids.
create function sums_of_history(from_id uuid, before uuid, until timestamptz)
returns table (account text, currency text, owner_id uuid, amount_minor bigint)
language sql stable as $$
  select account, currency,
         coalesce(user_id, requisite_id, '00000000-0000-0000-0000-000000000000'::uuid),
         sum(amount_minor)::bigint
  from (
    select entry.account, posting.currency, entry.amount_minor,
           case when entry.account in ('frozen', 'available', 'reserved') then posting.user_id end as user_id,
           case when entry.account = 'bank' then posting.requisite_id end as requisite_id
    from ledger_postings posting
    cross join lateral (values ('bank', bank_minor), ('bank_out', bank_out_minor),
      ('suspense', suspense_minor), ('fees', fees_minor), ('frozen', frozen_minor),
      ('available', available_minor), ('reserved', reserved_minor), ('own', own_minor))
      entry(account, amount_minor)
    where posting.source_id >= from_id and posting.source_id < before
      and posting.id < first_id_at(until) and entry.amount_minor <> 0
    union all
    select 'credited', currency, credited_minor - refunded_minor, user_id, null from payments
    where id >= from_id and id < before and state = 'paid') part
  group by 1, 2, 3
$$;

-- Reads what is closed, for as long as that takes: sums, counts, and what belongs to its invoices and payouts and
-- came later. Here that stays where it is, and the archive has it, too. How its events were told goes with them: here
-- a job removes that afterwards, a little at a time.
create function stage_archive(of_month text, before uuid, at_moment timestamptz) returns void language plpgsql as $$
declare
  place constant text := archive_schema(of_month);
  since constant uuid := archived_before();
begin
  execute format('drop schema if exists %I cascade; create schema %1$I', place);
  execute format('create table %I.openings as select * from sums_of_history(%L, %L, %L)',
    place, since, before, at_moment);
  execute format('create table %I.counts as select
      (select count(*) from invoices where id >= %L and id < %3$L) as invoices,
      (select count(*) from payments where id >= %2$L and id < %3$L) as payments,
      (select count(*) from ledger_postings where source_id >= %2$L and source_id < %3$L) as postings,
      (select count(*) from events where id >= %2$L and id < %3$L) as events', place, since, before);
  execute format('create table %I.payments_later as select * from payments
    where invoice_id >= %L and invoice_id < %3$L and id >= %3$L', place, since, before);
  execute format('create table %I.events_later as select * from events where id >= %3$L
    and (invoice_id >= %2$L and invoice_id < %3$L or payout_id >= %2$L and payout_id < %3$L)',
    place, since, before);
  execute format('create table %I.event_feed as select * from event_feed
    where event_id >= %L and event_id < %L', place, since, before);
  execute format('create table %I.deliveries as select * from deliveries
    where event_id >= %L and event_id < %L', place, since, before);
  execute format('alter table %I.event_feed add primary key (event_id)', place);
  execute format('alter table %I.deliveries add primary key (event_id, attempt)', place);
end $$;

-- Takes out what is closed and staged, in one transaction: nothing of it is read.
create function finish_archive(of_month text, before uuid, at_moment timestamptz)
returns setof archives language plpgsql as $$
declare
  place constant text := archive_schema(of_month);
  home constant text := current_schema();
  since constant uuid := archived_before();
  part record;
begin
  lock table invoices, payments, events, ledger_postings in access exclusive mode;
  if exists (select from outbox where event_id < before and next_attempt_at is not null) then
    raise exception 'events are being told again' using errcode = '55P03';
  end if;
  -- A slot is its payment's until somebody takes it over, and what was given up belongs to its event.
  delete from slots where payment_id < before;
  execute format('create table %I.outbox as select * from outbox where event_id < %L', place, before);
  delete from outbox where event_id < before;
  execute format('insert into archives select %L, %L, %L, %L, counts.* from %I.counts',
    of_month, since, before, at_moment, place);
  execute format('insert into ledger_openings (month, account, currency, owner_id, amount_minor)
    select %L, account, currency, owner_id, amount_minor from %I.openings', of_month, place);
  for part in select * from partitions_before(before) loop
    execute format('alter table %I detach partition %s', part.of_table, part.name);
    execute format('drop trigger if exists closed on %s', part.name);
    execute format('alter table %s set schema %I', part.name, place);
  end loop;
  -- A posting may still come for what is in an archive: a payout that the bank sends back.
  if to_regclass('ledger_postings_late') is null then
    perform make_partition('ledger_postings_late', 'ledger_postings_ahead');
  else
    alter table ledger_postings detach partition ledger_postings_late;
  end if;
  execute format('alter table ledger_postings attach partition ledger_postings_late
    for values from (minvalue) to (%L)', before);
  -- What the functions of violations() find under these names when they look at the archive.
  for part in
    select of_table, string_agg(format('select * from %I.%s', place, name), ' union all ') as parts
    from (values ('invoices'), ('payments'), ('events'), ('ledger_postings')) known(of_table)
    cross join lateral (
      select relname as name from pg_class where relnamespace = place::regnamespace
        and relkind = 'r' and relname ~ ('^' || of_table || '_(first|later|\d{4}_\d{2})$')) own
    group by of_table
  loop
    execute format('create view %I.%I as %s', place, part.of_table, part.parts
      || case part.of_table when 'ledger_postings' then format(
           ' union all select * from %I.ledger_postings where source_id >= %L and source_id < %L',
           home, since, before) else '' end);
  end loop;
  execute format('create view %I.payouts as select * from %I.payouts
    where settled_at < %L', place, home, at_moment);
  execute format('create function %I.archived_before() returns uuid language sql immutable as %L',
    place, format('select %L::uuid', since));
  return query select * from archives where month = of_month;
end $$;

-- What an archive says of itself: its rows are as many as were taken out, and come to what balances begin with.
create function violations_of_archive(of_month text)
returns table (invariant integer, detail text) language sql stable as $$
  with archive as materialized (select * from archives where month = of_month)
  select invariant, 'the archive of ' || of_month || ' had ' || had || ' ' || what || ', and has ' || has
  from archive
  cross join lateral (values
    (13, 'invoices', archive.invoices,
     (select count(*) from invoices where id >= from_id and id < before_id)),
    (13, 'payments', archive.payments,
     (select count(*) from payments where id >= from_id and id < before_id)),
    (2, 'postings', postings, (select count(*) from ledger_postings where source_id >= from_id
       and source_id < before_id and id < first_id_at(archived_at))),
    (20, 'events', archive.events, (select count(*) from events where id >= from_id and id < before_id)))
    counted(invariant, what, had, has)
  where had <> has
  union all
  select 3, 'the archive of ' || of_month || ' gives ' || account || ' of ' || owner_id || ' in ' || currency
            || ' ' || coalesce(sum(amount_minor) filter (where not is_opening), 0) || ', and its opening is '
            || coalesce(sum(amount_minor) filter (where is_opening), 0)
  from (select sums.*, false as is_opening from archive
        cross join lateral sums_of_history(from_id, before_id, archived_at) sums
        union all
        select account, currency, owner_id, amount_minor, true from ledger_openings
        where month = of_month) both_sides
  group by account, currency, owner_id
  having coalesce(sum(amount_minor) filter (where not is_opening), 0)
    <> coalesce(sum(amount_minor) filter (where is_opening), 0)
$$;

-- What must always hold, of what is here; see 0010_invariants.sql. Ranges begin where the last archive ends.

create or replace function violations_of_ledger_postings(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
  with booked as (
    select source_id as id,
           count(*) filter (where kind in ('transfer_matched', 'suspense_assigned')) as credits,
           count(*) filter (where kind = 'suspense_returned') as returns,
           count(*) filter (where kind = 'freeze_over') as releases,
           count(*) filter (where kind = 'refund') as refunds,
           sum(frozen_minor) as frozen, sum(available_minor) as available,
           sum(suspense_minor) as suspense,
           count(*) filter (where kind in ('suspense_cleared', 'suspense_owned')) as clearings,
           sum(bank_out_minor) as bank_out,
           count(*) filter (where kind like 'payout%') as payouts,
           count(*) filter (where kind in ('outflow_seen', 'bank_charge', 'internal_seen', 'own_seen',
             'line_corrected')) as seen,
           count(*) filter (where kind in ('own_opening', 'own_opening_back', 'own_withdrawn',
             'fees_withdrawn')) as moves,
           count(*) filter (where bank_minor + bank_out_minor + suspense_minor + fees_minor
             + frozen_minor + available_minor + reserved_minor + own_minor <> 0) as unbalanced,
           count(*) filter (where (bank_minor, bank_out_minor, suspense_minor, fees_minor,
             frozen_minor, available_minor, reserved_minor, own_minor) = (0, 0, 0, 0, 0, 0, 0, 0))
             as empty,
           count(*) filter (where user_id not in (select id from users)
             or requisite_id not in (select id from requisites)) as strange
    from ledger_postings where source_id > after and source_id <= up_to group by source_id
  )
  select left(what, 2)::integer, 'transfer ' || id || substr(what, 3)
  from (
    select id, array[
      case when coalesce(credits, 0) <> case when state = 'matched' then 1 else 0 end
        then '05 is booked ' || coalesce(credits, 0) || ' times as a credit' end,
      case when payment_id > archived_before() and (paid_state = 'paid' and paid_currency = currency
                                              and received_minor = amount_minor) is not true
        then '05 and payment ' || payment_id || ' differ' end,
      case when coalesce(suspense, 0) <> case when state = 'suspense' then amount_minor else 0 end
        then '06 is ' || state || ' with ' || coalesce(suspense, 0) || ' in suspense' end,
      case when coalesce(returns, 0) <> case when state = 'returned' then 1 else 0 end
        then '06 is ' || state || ' and was returned ' || coalesce(returns, 0) || ' times' end,
      case when coalesce(clearings, 0) <> case when state = 'cleared' then 1 else 0 end
        then '06 is ' || state || ' and was cleared ' || coalesce(clearings, 0) || ' times' end,
      case when payment_id > archived_before() and credited_minor is distinct from frozen
        then '09 is booked with ' || coalesce(frozen, 0) || ', credited with '
             || coalesce(credited_minor, 0) end,
      case when settled_at is null
                and (coalesce(made_from, received_at) >= slot_until
                  or issued_at > coalesce(made_to, received_at) + interval '5 seconds')
         then '33 was not made in the time of payment ' || payment_id end] as wrong
    from (select * from transfers where id > after and id <= up_to) transfer
    left join booked using (id)
    left join lateral (select state as paid_state, received_minor, credited_minor, slot_until,
                              currency as paid_currency, created_at as issued_at from payments
                       where payments.id = transfer.payment_id limit 1) payment on true
    offset 0) judged
  cross join lateral unnest(wrong) as found(what)
  where array_to_string(wrong, '') <> '' and what is not null
  union all
  select left(what, 2)::integer, 'the freeze of payment ' || id || substr(what, 3)
  from (
    select frozen.payment_id as id, array[
      case when (frozen.released_at is null) <> (coalesce(booked.releases, 0) = 0)
            or frozen.released_at < frozen.frozen_until
          then '10 was released early or not once' end,
      case when booked.releases > 0 and booked.available <> frozen.amount_minor
          then '10 released ' || booked.available || ' of ' || frozen.amount_minor end,
      case when frozen.released_at is null and not frozen.needs_proof
            and frozen.payment_id not in (select id from dues where kind = 'release-freezes')
          then '10 falls never due' end,
      case when frozen.needs_proof and (select needs_proof from transfers
                                        where payment_id = frozen.payment_id) is not true
          then '31 waits for a proof that is there' end] as wrong
    from (select * from ledger_freezes where payment_id > after and payment_id <= up_to) frozen
    left join booked on booked.id = frozen.payment_id
    offset 0) judged
  cross join lateral unnest(wrong) as found(what)
  where array_to_string(wrong, '') <> '' and what is not null
  union all
  select left(what, 2)::integer, 'a posting of ' || id || substr(what, 3)
  from (
    select booked.id as id, array[
      case when unbalanced > 0 then '01 does not sum to zero' end,
      case when empty > 0 then '01 moves nothing' end,
      case when strange > 0 then '03 is of no known user or requisite' end,
      case when suspense <> 0 and (select true from transfers where id = booked.id) is null
        then '06 is of no known transfer' end,
      case when payouts > 0 and (select true from payouts where id = booked.id) is null
        then '29 is of no known payout' end,
      case when refunds > 0 and bank_out <> -available then '34 is of a refund that did not leave' end,
      case when seen > 0 and (select true from statement_lines where id = booked.id) is null
        then '34 is of no known line' end,
      case when moves > 0 and (select true from own_moves where id = booked.id) is null
        then '34 is of no known move of the operator''s own' end,
      case when refunds > 0 and -available is distinct from
                (select amount_minor from refunds refund where refund.id = booked.id)
         then '11 takes ' || -available || ', and its refund another amount' end] as wrong
    from booked
    offset 0) judged
  cross join lateral unnest(wrong) as found(what)
  where array_to_string(wrong, '') <> '' and what is not null
$$;

create or replace function violations_of_users(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
  select 3, 'the balance of user ' || user_id || ' in ' || currency || ' is not what was posted: '
            || available || ' available, ' || frozen || ' frozen, ' || reserved || ' reserved too much'
  from (select user_id, currency, sum(available_minor) as available, sum(frozen_minor) as frozen,
               sum(reserved_minor) as reserved
        from (select user_id, currency, available_minor, frozen_minor, reserved_minor
              from ledger_balances where user_id > after and user_id <= up_to
              union all
              select user_id, currency, -available_minor, -frozen_minor, -reserved_minor
              from ledger_postings where user_id > after and user_id <= up_to
              union all
              select owner_id, currency, case account when 'available' then -amount_minor else 0 end,
                     case account when 'frozen' then -amount_minor else 0 end,
                     case account when 'reserved' then -amount_minor else 0 end
              from ledger_openings where account in ('available', 'frozen', 'reserved')
                and owner_id > after and owner_id <= up_to) parts
        group by user_id, currency) totals
  where (available, frozen, reserved) <> (0, 0, 0)
  union all
  select 4, 'the balance of user ' || user_id || ' in ' || currency || ' is below zero'
  from ledger_balances
  where user_id > after and user_id <= up_to and least(available_minor, frozen_minor, reserved_minor) < 0
  union all
  select 11, 'user ' || user_id || ' has ' || held || ' of ' || due
  from (select user_id, sum(held) as held, sum(due) as due
        from (select user_id, available_minor + frozen_minor + reserved_minor as held, 0 as due
              from ledger_balances where user_id > after and user_id <= up_to
              union all
              select shop.user_id, 0, paid.due
              from (select shop_id, sum(credited_minor - refunded_minor) as due from payments
                    where shop_id = any(array(
                        select id from shops where user_id > after and user_id <= up_to))
                      and state = 'paid'
                    group by shop_id) paid
              join shops shop on shop.id = paid.shop_id
              union all
              select owner_id, 0, amount_minor from ledger_openings
              where account = 'credited' and owner_id > after and owner_id <= up_to
              union all
              select user_id, 0, case state when 'done' then -withdraw_minor
                       else receive_minor - withdraw_minor + case when refunds_fee then fee_minor else 0 end
                     end
              from payouts
              where user_id > after and user_id <= up_to and state in ('done', 'returned')) parts
        group by user_id) totals
  where held <> due
  union all
  select 28, 'user ' || user_id || ' has ' || reserved || ' ' || currency || ' reserved, and payouts of '
            || due || ' under way'
  from (select user_id, currency, sum(reserved) as reserved, sum(due) as due
        from (select user_id, currency, reserved_minor as reserved, 0 as due
              from ledger_balances where user_id > after and user_id <= up_to
              union all
              select user_id, currency, 0, withdraw_minor from payouts
              where user_id > after and user_id <= up_to
                and state in ('held', 'queued', 'sending', 'unknown')) parts
        group by user_id, currency) totals
  where reserved <> due
$$;

create or replace function violations_of_requisite_usage(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
  select left(what, 2)::integer, 'requisite ' || id || substr(what, 3)
  from (
    select usage.requisite_id as id, array[
      case when usage.live_payments <> taken.live
          then '08 counts ' || usage.live_payments || ' live, has ' || taken.live end,
      -- Of a day that is in an archive, or partly, nothing is known.
      case when (usage.day <= moment_of(archived_before()) + interval '1 day') is not true
            and (usage.day_sum_minor <> taken.day_sum or usage.day_payments <> taken.day_payments)
          then '08 counts ' || usage.day_sum_minor || ' for the day, has ' || taken.day_sum end] as wrong
    from requisite_usage usage
    cross join lateral (
      select count(*) filter (where state = 'live') as live,
             count(*) filter (where is_of_day) as day_payments,
             coalesce(sum(to_pay_minor) filter (where is_of_day), 0) as day_sum
      from (select state, to_pay_minor, created_on = usage.day
                     and (state = 'live' or state = 'paid' and not late) as is_of_day
            from payments where requisite_id = usage.requisite_id) payment) taken
    where usage.requisite_id > after and usage.requisite_id <= up_to
    offset 0) judged
  cross join lateral unnest(wrong) as found(what)
  where array_to_string(wrong, '') <> '' and what is not null
$$;

create or replace function violations_of_own_moves(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
  select 34, 'the operator''s own move ' || id || ' is booked as something else'
  from (select id, transfer_id, account,
               case kind when 'opening_back' then -amount_minor when 'withdrawal' then 0
                    else amount_minor end as came,
               case kind when 'withdrawal' then amount_minor else 0 end as gone
        from own_moves where id > after and id <= up_to
          and coalesce(transfer_id, id) > archived_before()) move
  where (select (sum(bank_minor), sum(bank_out_minor), sum(fees_minor), sum(own_minor))
           = (-came, gone, case account when 'fees' then -gone else 0 end,
              case account when 'own' then came - gone else 0 end)
         from ledger_postings where source_id = coalesce(move.transfer_id, move.id)) is not true
$$;

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
    -- In months, no order enters that is known.
    and not exists (select from pg_trigger where tgrelid = 'invoices'::regclass
                      and tgname = 'invoices_claim_order' and tgenabled = 'O')
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

create or replace function violations(at_moment timestamptz)
returns table (invariant integer, detail text) language sql stable as $$
  select violation.*
  from (values ('00000000-0000-0000-0000-000000000000'::uuid,
                'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)) range(after, up_to)
  -- Of what was taken out nothing is asked.
  cross join lateral (select greatest(after, archived_before()) as here) known
  cross join lateral (
    select * from violations_of_invoices(at_moment, here, up_to)
    union all select * from violations_of_payments(at_moment, here, up_to)
    union all select * from violations_of_ledger_postings(at_moment, here, up_to)
    union all select * from violations_of_users(at_moment, after, up_to)
    union all select * from violations_of_requisite_usage(at_moment, after, up_to)
    union all select * from violations_of_slots(at_moment, after, up_to)
    union all select * from violations_of_events(at_moment, here, up_to)
    union all select * from violations_of_outbox(at_moment, after, up_to)
    union all select * from violations_of_transfers(at_moment, after, up_to)
    union all select * from violations_of_statement_lines(at_moment, here, up_to)
    union all select * from violations_of_imports(at_moment, after, up_to)
    union all select * from violations_of_own_moves(at_moment, here, up_to)
    union all select * from violations_of_payouts(at_moment, here, up_to)
    union all select * from violations_of_tally_hours(at_moment, after, up_to)
    union all select * from violations_of_guards()) violation
$$;
