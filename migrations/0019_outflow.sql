-- Money that leaves. What left by our word stands in bank_out until a statement shows it, and what a
-- statement shows is booked: then a requisite has in the books what its bank says to be there.

-- What is the operator's own.
alter table ledger_postings
  add column own_minor bigint not null default 0,
  drop constraint ledger_postings_kind_check,
  add constraint ledger_postings_kind_check check (kind in ('transfer_matched', 'transfer_suspense',
    'suspense_assigned', 'suspense_returned', 'freeze_over', 'refund', 'payout_reserved',
    'payout_done', 'payout_released', 'payout_returned', 'payout_recovered', 'suspense_cleared',
    'suspense_owned', 'return_rerouted', 'outflow_seen', 'bank_charge', 'internal_seen', 'own_seen',
    'line_corrected', 'own_opening', 'own_opening_back', 'own_withdrawn', 'fees_withdrawn')),
  drop constraint ledger_postings_sum_to_zero,
  add constraint ledger_postings_sum_to_zero check (bank_minor + bank_out_minor + suspense_minor
    + fees_minor + frozen_minor + available_minor + reserved_minor + own_minor = 0),
  drop constraint ledger_postings_move_money,
  add constraint ledger_postings_move_money check (greatest(bank_minor, bank_out_minor, suspense_minor,
    fees_minor, frozen_minor, available_minor, reserved_minor, own_minor) > 0);
create index ledger_postings_of_own on ledger_postings (currency, id) where own_minor <> 0;

create or replace view ledger_entries as
  select posting.id as posting_id, posting.source_id, posting.kind, posting.currency, entry.account,
         case when entry.account in ('frozen', 'available', 'reserved') then posting.user_id end
           as user_id,
         case when entry.account = 'bank' then posting.requisite_id end as requisite_id,
         entry.amount_minor
  from ledger_postings posting
  cross join lateral (values ('bank', bank_minor), ('bank_out', bank_out_minor),
    ('suspense', suspense_minor), ('fees', fees_minor), ('frozen', frozen_minor),
    ('available', available_minor), ('reserved', reserved_minor), ('own', own_minor))
    entry(account, amount_minor)
  where entry.amount_minor <> 0;

-- Returns were taken from the bank account at once. Now they leave as everything does: by bank_out, until a
-- statement shows them; only what nobody had proven was never there. The new posting stands beside the old one, under an id that differs in its last bit.
insert into ledger_postings (id, source_id, kind, currency, requisite_id, created_at, bank_minor,
  bank_out_minor)
select encode(set_byte(uuid_send(id), 15, get_byte(uuid_send(id), 15) # 1), 'hex')::uuid, source_id,
       'return_rerouted', currency, requisite_id, created_at, -bank_minor, bank_minor
from ledger_postings posting
where kind = 'suspense_returned' and exists (
  select from transfers where transfers.id = posting.source_id and not needs_proof
    and suspense_reason is distinct from 'balance_break');

-- Money that waited, and was the operator's own or a payout that came back.
alter table transfers
  drop constraint transfers_state_check,
  add constraint transfers_state_check check (state in ('matched', 'suspense', 'returned', 'cleared'));

-- Whether a line that is no payer's money is in the books: by a posting of its own, or (false) by that of the
-- same movement in another format. Null until somebody has looked: a job does so for all that are here
-- already, and for what a gateway of before still writes down.
alter table statement_lines
  add column posted boolean,
  drop constraint statement_lines_fate_check,
  add constraint statement_lines_fate_check check (fate in ('booked', 'joined', 'outflow', 'charge',
    'internal', 'own', 'ignored', 'waiting')),
  add check (posted is null or fate in ('outflow', 'charge', 'internal', 'own'));
create index statement_lines_to_post on statement_lines (import_id, id)
  where posted is null and fate in ('outflow', 'charge', 'internal', 'own');
create index statement_lines_posted on statement_lines (requisite_id, day, amount_minor)
  where posted is not null;

-- What the operator has put on a requisite, or takes: said by a person, once for a reference.
create table own_moves (
  id uuid primary key,
  kind text not null check (kind in ('opening', 'opening_back', 'deposit', 'withdrawal')),
  account text not null check (account in ('own', 'fees')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount_minor bigint not null check (amount_minor > 0),
  requisite_id uuid references requisites,
  transfer_id uuid unique references transfers,
  reference text not null check (char_length(reference) between 1 and 255),
  reason text not null check (char_length(reason) between 1 and 500),
  author text not null,
  created_at timestamptz not null,
  unique (kind, reference),
  check (account = 'own' or kind = 'withdrawal'),
  check ((kind = 'withdrawal') = (requisite_id is null)),
  check ((kind = 'deposit') = (transfer_id is not null))
);
create index own_moves_of_requisite on own_moves (requisite_id) where requisite_id is not null;

-- What must always hold of it; see 0010_invariants.sql.

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
      case when payment_id is not null and (paid_state = 'paid' and paid_currency = currency
                                              and received_minor = amount_minor) is not true
        then '05 and payment ' || payment_id || ' differ' end,
      case when coalesce(suspense, 0) <> case when state = 'suspense' then amount_minor else 0 end
        then '06 is ' || state || ' with ' || coalesce(suspense, 0) || ' in suspense' end,
      case when coalesce(returns, 0) <> case when state = 'returned' then 1 else 0 end
        then '06 is ' || state || ' and was returned ' || coalesce(returns, 0) || ' times' end,
      case when coalesce(clearings, 0) <> case when state = 'cleared' then 1 else 0 end
        then '06 is ' || state || ' and was cleared ' || coalesce(clearings, 0) || ' times' end,
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

-- A line tells of the transfer that says so; what it shows of no payer's money is in the books as that.
create or replace function violations_of_statement_lines(at_moment timestamptz, after uuid, up_to uuid)
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
  union all
  select 34, 'line ' || id || ' is ' || fate || ', and the books have something else of it'
  from (
    select id, fate, (-came, case when fate in ('outflow', 'internal') then came else 0 end,
        case when fate = 'charge' then came else 0 end, case when fate = 'own' then came else 0 end)
      <> (coalesce(bank, 0), coalesce(bank_out, 0), coalesce(fees, 0), coalesce(own, 0)) as is_wrong
    from (select id, fate, case when posted is not true then 0 when direction = 'in' then amount_minor
                                else -amount_minor end as came
          from statement_lines where id > after and id <= up_to) line
    left join (
      select source_id as id, sum(bank_minor) as bank, sum(bank_out_minor) as bank_out,
             sum(fees_minor) as fees, sum(own_minor) as own
      from ledger_postings where source_id > after and source_id <= up_to group by source_id) booked
      using (id)
    offset 0) judged
  where is_wrong
$$;

-- What the operator has said is what was booked: of itself, or of the transfer that it came as.
create function violations_of_own_moves(at_moment timestamptz, after uuid, up_to uuid)
returns table (invariant integer, detail text) language sql stable as $$
  select 34, 'the operator''s own move ' || id || ' is booked as something else'
  from (select id, transfer_id, account,
               case kind when 'opening_back' then -amount_minor when 'withdrawal' then 0
                    else amount_minor end as came,
               case kind when 'withdrawal' then amount_minor else 0 end as gone
        from own_moves where id > after and id <= up_to) move
  where (select (sum(bank_minor), sum(bank_out_minor), sum(fees_minor), sum(own_minor))
           = (-came, gone, case account when 'fees' then -gone else 0 end,
              case account when 'own' then came - gone else 0 end)
         from ledger_postings where source_id = coalesce(move.transfer_id, move.id)) is not true
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
    union all select * from violations_of_own_moves(at_moment, after, up_to)
    union all select * from violations_of_guards()) violation
$$;
