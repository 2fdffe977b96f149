-- What an archive was when it left, row by row, as a digest of each of its tables: a changed order id or text is in no
-- sum and breaks no rule. Archives of before have none. And what once more stood in the way, or was wrongly found.

create table archive_digests (
  month text references archives,
  -- As it is called in the archive's schema.
  table_name text,
  digest bytea not null,
  primary key (month, table_name)
);
create trigger archive_digests_append_only before update or delete or truncate on archive_digests
  for each statement execute function refuse_change();

-- The same wherever the rows lie, and whatever a role has set: of the rows' digests in their own order. They are put
-- together in two steps, because one value holds a gigabyte at most.
create function digest_of(of_table regclass) returns bytea language plpgsql stable
set timezone = 'UTC' set datestyle = 'ISO' set intervalstyle = 'postgres' set bytea_output = 'hex' as $$
declare
  digest bytea;
begin
  execute format($q$
    select sha256(coalesce(string_agg(part, '' order by place), ''))
    from (select substr(one, 1, 1) as place, sha256(string_agg(one, '' order by one)) as part
          from (select sha256(convert_to(whole::text, 'UTF8')) as one from %s whole offset 0) ones
          group by 1) parts$q$, of_table) into digest;
  return digest;
end $$;

do $$
declare
  change record;
  made text;
begin
  for change in select * from (values
    ('stage_archive', 'execute format(''alter table %I.event_feed add primary key (event_id)'', place);',
      '&
  execute format(''create table %I.digests as
    select name as table_name, digest_of(name::regclass) as digest from partitions_before(%L)
    union all select name, digest_of((%1$L || ''''.'''' || name)::regclass)
    from unnest(array[''''payments_later'''', ''''events_later'''', ''''event_feed'''', ''''deliveries'''']) name'',
    place, before);'),
    ('finish_archive', 'for part in select * from partitions_before(before) loop',
      'execute format(''insert into archive_digests select %L, table_name, digest from %I.digests
    union all select %1$L, ''''outbox'''', digest_of(%3$L::regclass)'', of_month, place, place || ''.outbox'');
  &'),
    ('violations_of_archive', 'return query',
      'return query select case when table_name ~ ''^ledger'' then 2
           when table_name ~ ''^(invoices|payments)'' then 13 else 20 end,
         ''the rows of '' || table_name || '' in the archive of '' || of_month || '' are not those that were taken out''
  from archive_digests cross join lateral to_regclass(archive_schema(of_month) || ''.'' || table_name) held
  where month = of_month and digest is distinct from case when held is not null then digest_of(held) end;
  &'),
    ('violations_of_guards', '(3, ''archives'', ''archives_append_only''),',
      '&
               (3, ''archive_digests'', ''archive_digests_append_only''),'),
    -- What was never proven and is given back, or was never there, waits for nothing.
    ('archive_obstacles', 'where needs_proof and (id < before',
      'where needs_proof and state <> ''returned'' and (id < before'),
    -- Money of an archived month may have been assigned to a payment of the next, which an archive does not have.
    ('violations_of_ledger_postings', 'payment_id > archived_before()',
      'payment_id > archived_before() and (payment_id < (
        select before_id from archives where from_id = (select archived_before()))) is not false'))
    changes(name, old, fresh)
  loop
    made := pg_get_functiondef(change.name::regproc);
    if position(change.old in made) = 0 then raise exception '% is not as it was made', change.name; end if;
    execute replace(made, change.old, replace(change.fresh, '&', change.old));
  end loop;
end $$;
