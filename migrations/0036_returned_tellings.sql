-- As in 0016_intake_invariants.sql: what was returned as money that never came is not booked, so that whoever tells
-- of it then has told of nothing twice.
create or replace function violations_of_transfers(at_moment timestamptz, after uuid, up_to uuid)
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
      case when made_to < made_from + interval '2 minutes' and state <> 'returned'
            and (select true from evidence where transfer_id = transfer.id limit 1) is null
            and (select true from transfers other
                 where other.requisite_id = transfer.requisite_id
                   and other.amount_minor = transfer.amount_minor
                   and coalesce(other.made_from, other.received_at)
                     between transfer.made_from - interval '9 minutes' and transfer.made_from
                   and other.made_to < other.made_from + interval '2 minutes'
                   and other.teller <> transfer.teller and other.state <> 'returned'
                   and (select true from evidence where transfer_id = other.id limit 1) is null
                 limit 1)
        then '31 is money that another teller has told of' end] as wrong
    from (select * from transfers where id > after and id <= up_to) transfer
    offset 0) judged
  cross join lateral unnest(wrong) as found(what)
  where array_to_string(wrong, '') <> '' and what is not null
$$;
