-- Whether payers may have seen the card or the phone that a requisite has, or somebody has told of money by it: then it
-- stays its own when another one takes its place. It has it since its last one was kept, if one was; payers whose details
-- were open then have seen it as well. Of payments in an archive only the last use is known here.
create function number_is_known(requisite uuid, number_kind text) returns boolean language sql stable strict as $$
  with own as (
    select coalesce(max(replaced_at), '-infinity') as since from former_wallets
    where requisite_id = requisite and kind = number_kind
  )
  select exists (select from requisite_usage, own where requisite_id = requisite and last_used_at >= since)
    or exists (select from payments, own where requisite_id = requisite and ends_at >= since)
    or exists (select from transfers, own where requisite_id = requisite and received_at >= since)
    or exists (select from evidence, own where requisite_id = requisite and told_at >= since)
$$;
