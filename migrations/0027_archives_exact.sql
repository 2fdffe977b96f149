-- Archives, mended where attacks from outside had found them wanting.

-- A month is opened under a lock that readers do not stand in the way of: a dump that runs for hours would have kept
-- it closed for as long. So the trigger stays and does nothing; who closes the month puts it to work again.
create or replace function open_months() returns integer language plpgsql as $$
declare
  part text;
  opened integer := 0;
begin
  for part in select tgrelid::regclass::text from pg_trigger
    where tgname = 'closed' and tgfoid = 'refuse_while_archived'::regproc and tgenabled <> 'D'
  loop
    execute format('alter table %s disable trigger closed', part);
    opened := opened + 1;
  end loop;
  return opened;
end $$;

-- A row may have come since the caller found the last partition empty: where it belongs nobody has looked, and the
-- caller does so once more.
do $$
declare
  made constant text := pg_get_functiondef('cut_partitions'::regproc);
  careful constant text := replace(made, 'into is_empty;', $r$into is_empty;
  if not is_empty and not exists (select from pg_constraint
                                  where conrelid = ahead::regclass and conname = 'ends') then
    raise exception 'rows have come to %', ahead using errcode = '55006';
  end if;$r$);
begin
  if careful = made then raise exception 'cut_partitions is not as it was made'; end if;
  execute careful;
end $$;

-- Views are made anew for the divided table, and whoever was allowed to read them still is.
do $$
declare
  made constant text := pg_get_functiondef('partition_table'::regproc);
  kept constant text := replace(made, 'views := views || format(''create view %I as %s'', item.relname, item.made);',
    $r$views := views || (format('create view %I as %s', item.relname, item.made) || coalesce(
      (select string_agg(format(' grant %s on %I to %s;', privilege_type, item.relname,
                case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end), '')
       from pg_class cross join lateral aclexplode(relacl)
       where oid = item.oid and grantee <> relowner), ''));$r$);
begin
  if kept = made then raise exception 'partition_table is not as it was made'; end if;
  execute kept;
end $$;

-- What postings of these sources come to, account by account.
create function sums_of_postings(of_table text, from_id uuid, before uuid)
returns table (account text, currency text, owner_id uuid, amount_minor bigint)
language plpgsql stable as $$
begin
  return query execute format($q$
    select account, currency, coalesce(case when account in ('frozen', 'available', 'reserved') then user_id
             when account = 'bank' then requisite_id end, '00000000-0000-0000-0000-000000000000'::uuid),
           sum(amount_minor)::bigint
    from %I cross join lateral (values ('bank', bank_minor), ('bank_out', bank_out_minor),
      ('suspense', suspense_minor), ('fees', fees_minor), ('frozen', frozen_minor),
      ('available', available_minor), ('reserved', reserved_minor), ('own', own_minor))
      entry(account, amount_minor)
    where source_id >= $1 and source_id < $2 and amount_minor <> 0
    group by 1, 2, 3$q$, of_table) using from_id, before;
end $$;

-- All that is there, whenever it was booked: what is closed is exactly what is taken out. A bound of time left out
-- what was booked between the command's first look and the closing, or by a gateway whose clock was ahead.
create function sums_of_history(from_id uuid, before uuid)
returns table (account text, currency text, owner_id uuid, amount_minor bigint)
language sql stable as $$
  select * from sums_of_postings('ledger_postings', from_id, before)
  union all
  select 'credited', currency, user_id, sum(credited_minor - refunded_minor)::bigint from payments
  where id >= from_id and id < before and state = 'paid'
  group by 2, 3
$$;

do $$
declare
  made constant text := pg_get_functiondef('stage_archive'::regproc);
  exact constant text := replace(made, 'sums_of_history(%L, %L, %L)'',
    place, since, before, at_moment);', 'sums_of_history(%L, %L)'', place, since, before);');
begin
  if exact = made then raise exception 'stage_archive is not as it was made'; end if;
  execute exact;
end $$;

-- Postings that came for it later lie beside the months, and are seen with it; they are in no opening.
create or replace function violations_of_archive(of_month text)
returns table (invariant integer, detail text) language plpgsql stable as $$
begin
  return query
  with archive as materialized (select * from archives where month = of_month)
  select counted.invariant,
         'the archive of ' || of_month || ' had ' || had || ' ' || what || ', and has ' || has
  from archive
  cross join lateral (values
    (13, 'invoices', archive.invoices,
     (select count(*) from invoices where id >= from_id and id < before_id)),
    (13, 'payments', archive.payments,
     (select count(*) from payments where id >= from_id and id < before_id)),
    (2, 'postings', archive.postings,
     (select count(*) from ledger_postings where source_id >= from_id and source_id < before_id)
     - (select count(*) from ledger_postings_late where source_id >= from_id and source_id < before_id)),
    (20, 'events', archive.events, (select count(*) from events where id >= from_id and id < before_id)))
    counted(invariant, what, had, has)
  where had <> has
  union all
  select 3, 'the archive of ' || of_month || ' gives ' || account || ' of ' || owner_id || ' in ' || currency
            || ' ' || coalesce(sum(amount_minor) filter (where not is_opening), 0) || ', and its opening is '
            || coalesce(sum(amount_minor) filter (where is_opening), 0)
  from (select sums.*, false as is_opening from archive
        cross join lateral sums_of_history(from_id, before_id) sums
        union all
        select account, currency, owner_id, -amount_minor, false from archive
        cross join lateral sums_of_postings('ledger_postings_late', from_id, before_id)
        union all
        select account, currency, owner_id, amount_minor, true from ledger_openings
        where month = of_month) both_sides
  group by account, currency, owner_id
  having coalesce(sum(amount_minor) filter (where not is_opening), 0)
    <> coalesce(sum(amount_minor) filter (where is_opening), 0);
end $$;
drop function sums_of_history(uuid, uuid, timestamptz);

-- A payout that came back when its month was archived is no longer as the archive has it: something was booked of it
-- later. It is not judged there, and is still a payout.
do $$
declare
  made constant text := pg_get_functiondef('finish_archive'::regproc);
  exact constant text := replace(made, 'select * from %I.payouts
    where settled_at < %L'', place, home, at_moment);', 'select * from %2$I.payouts payout where not exists (
      select from %2$I.ledger_postings_late late where late.source_id = payout.id)'', place, home);');
  known record;
begin
  if exact = made then raise exception 'finish_archive is not as it was made'; end if;
  execute exact;
  for known in select nspname from archives join pg_namespace on nspname = archive_schema(month)
    where to_regclass(nspname || '.payouts') is not null
  loop
    execute format('create or replace view %I.payouts as select * from %I.payouts payout where not exists (
      select from %2$I.ledger_postings_late late where late.source_id = payout.id)',
      known.nspname, current_schema());
  end loop;
end $$;
create function is_payout(of_id uuid) returns boolean language sql stable set search_path from current as $$
  select exists (select from payouts where id = of_id)
$$;
do $$
declare
  made constant text := pg_get_functiondef('violations_of_ledger_postings'::regproc);
  mended constant text := replace(made, '(select true from payouts where id = booked.id) is null',
    'not is_payout(booked.id)');
begin
  if mended = made then raise exception 'violations_of_ledger_postings is not as it was made'; end if;
  execute mended;
end $$;
