-- What must always hold of those who tell of money, and of statements; see 0010_invariants.sql.

-- A credit that waits for its proof falls due by nobody's clock.
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
           count(*) filter (where bank_minor + bank_out_minor + suspense_minor + fees_minor
             + frozen_minor + available_minor + reserved_minor <> 0) as unbalanced,
           count(*) filter (where (bank_minor, bank_out_minor, suspense_minor, fees_minor,
             frozen_minor, available_minor, reserved_minor) = (0, 0, 0, 0, 0, 0, 0)) as empty,
           count(*) filter (where user_id not in (select id from users)
             or requisite_id not in (select id from requisites)) as strange
    from ledger_postings where source_id > after and source_id <= up_to group by source_id
  )
  select left(what, 2)::integer, 'transfer ' || id || substr(what, 3)
  from (
    select id, array[
      case when coalesce(credits, 0) <> case when state = 'matched' then 1 else 0 end
        then '05 is booked ' || coalesce(credits, 0) || ' times as a credit' end,
      case when payment_id is not null and (paid_state = 'paid' and paid_currency = currency
                                              and received_minor = amount_minor) is not true
        then '05 and payment ' || payment_id || ' differ' end,
      case when coalesce(suspense, 0) <> case when state = 'suspense' then amount_minor else 0 end
        then '06 is ' || state || ' with ' || coalesce(suspense, 0) || ' in suspense' end,
      case when coalesce(returns, 0) <> case when state = 'returned' then 1 else 0 end
        then '06 is ' || state || ' and was returned ' || coalesce(returns, 0) || ' times' end,
      case when payment_id is not null and credited_minor is distinct from frozen
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
      case when refunds > 0 and -available is distinct from
                (select amount_minor from refunds refund where refund.id = booked.id)
         then '11 takes ' || -available || ', and its refund another amount' end] as wrong
    from booked
    offset 0) judged
  cross join lateral unnest(wrong) as found(what)
  where array_to_string(wrong, '') <> '' and what is not null
$$;

-- Who tells of a transfer. Where a transfer and another of the same requisite and amount were each told by one
-- teller alone, at one moment, they are the same money, booked twice.
create function violations_of_transfers(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
  select left(what, 2)::integer, 'transfer ' || id || substr(what, 3)
  from (
    select id, array[
      case when (select true from evidence where transfer_id = transfer.id
                 and (requisite_id, amount_minor) <> (transfer.requisite_id, transfer.amount_minor)
                 limit 1)
        then '31 is told of with another requisite or amount' end,
      case when (select true from evidence
                 where transfer_id = transfer.id and evidence.teller = transfer.teller)
        then '31 was told of twice by ' || teller end,
      case when made_to < made_from + interval '2 minutes'
            and (select true from evidence where transfer_id = transfer.id limit 1) is null
            and (select true from transfers other
                 where other.requisite_id = transfer.requisite_id
                   and other.amount_minor = transfer.amount_minor
                   and coalesce(other.made_from, other.received_at)
                     between transfer.made_from - interval '9 minutes' and transfer.made_from
                   and other.made_to < other.made_from + interval '2 minutes'
                   and other.teller <> transfer.teller
                   and (select true from evidence where transfer_id = other.id limit 1) is null
                 limit 1)
        then '31 is money that another teller has told of' end] as wrong
    from (select * from transfers where id > after and id <= up_to) transfer
    offset 0) judged
  cross join lateral unnest(wrong) as found(what)
  where array_to_string(wrong, '') <> '' and what is not null
$$;

-- A line tells of the transfer that says so; money that came is a transfer or waits for a person.
create function violations_of_statement_lines(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
  select 32, 'line ' || id || ' and the transfer that it tells of differ'
  from (select * from statement_lines where id > after and id <= up_to
          and transfer_id is not null) line
  where (select (requisite_id, amount_minor) = (line.requisite_id, line.amount_minor)
           and (reference = 'line:' || line.format || ':' || line.key || ':' || line.ordinal
             or (select true from evidence where transfer_id = transfers.id
                   and teller = 'line:' || line.format
                   and key = line.key || ':' || line.ordinal) is true)
         from transfers where id = line.transfer_id) is not true
$$;

-- The last file of its days: its lines are what it says to have come and gone.
create function violations_of_imports(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
  select 32, 'import ' || import_id || ' says ' || in_minor - out_minor || ' of ' || from_day
           || ' to ' || to_day || ', its lines ' || lines_minor
  from (
    select section.*, (
      select coalesce(sum(case direction when 'in' then amount_minor else -amount_minor end), 0)
      from statement_lines line
      where line.requisite_id = section.requisite_id and line.day >= section.from_day
        and line.day <= section.to_day and line.format = section.format
        and line.seen_in = section.import_id) as lines_minor
    from (select * from statement_sections where import_id > after and import_id <= up_to) section
    where (select applied_at from imports where id = section.import_id) is not null
      and not exists (
        select from statement_sections newer
        where newer.requisite_id = section.requisite_id and newer.to_day >= section.from_day
          and newer.from_day <= section.to_day and newer.format = section.format
          and newer.place > section.place)
    offset 0) told
  where lines_minor <> in_minor - out_minor
$$;

-- All of it, at one moment.
create or replace function violations(at_moment timestamptz)
returns table (invariant integer, detail text) language sql stable as $$
  select violation.*
  from (values ('00000000-0000-0000-0000-000000000000'::uuid,
                'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)) range(after, up_to)
  cross join lateral (
    select * from violations_of_invoices(at_moment, after, up_to)
    union all select * from violations_of_payments(at_moment, after, up_to)
    union all select * from violations_of_ledger_postings(at_moment, after, up_to)
    union all select * from violations_of_users(at_moment, after, up_to)
    union all select * from violations_of_requisite_usage(at_moment, after, up_to)
    union all select * from violations_of_slots(at_moment, after, up_to)
    union all select * from violations_of_events(at_moment, after, up_to)
    union all select * from violations_of_outbox(at_moment, after, up_to)
    union all select * from violations_of_transfers(at_moment, after, up_to)
    union all select * from violations_of_statement_lines(at_moment, after, up_to)
    union all select * from violations_of_imports(at_moment, after, up_to)
    union all select * from violations_of_guards()) violation
$$;
