-- When a requisite got the card or the phone that it has, where it was added without one or had another before: payers
-- who paid by its other number until then have not seen it. A gateway of the version before says nothing of it, and a
-- number then counts as known for longer.
alter table requisites
  add column card_since timestamptz,
  add column phone_since timestamptz;

create or replace function number_is_known(requisite uuid, number_kind text) returns boolean
language sql stable strict as $$
  with own as (
    select greatest('-infinity', case number_kind when 'card' then card_since else phone_since end, (
      select max(replaced_at) from former_wallets where requisite_id = requisite and kind = number_kind)) as since
    from requisites where id = requisite
  )
  select exists (select from requisite_usage, own where requisite_id = requisite and last_used_at >= since)
    or exists (select from payments, own where requisite_id = requisite and ends_at >= since)
    or exists (select from transfers, own where requisite_id = requisite and received_at >= since)
    or exists (select from evidence, own where requisite_id = requisite and told_at >= since)
$$;
