-- The check of a set of entries by looking each one's posting and account up. As a join it was planned as
-- a reading of all postings and accounts, and the ledger grows.

create or replace function refuse_unbalanced() returns trigger language plpgsql as $$
begin
  if exists (select from fresh group by posting_id having sum(amount_minor) <> 0) then
    raise exception 'a posting must sum to zero' using errcode = '23514';
  end if;
  if exists (select from fresh
             where (select currency from ledger_postings where id = fresh.posting_id)
                <> (select currency from ledger_accounts where id = fresh.account_id)) then
    raise exception 'a posting has one currency' using errcode = '23514';
  end if;
  return null;
end $$;
