-- The double-entry ledger.

-- What may not go below zero keeps its balance here. What everybody's money flows through (fees,
-- suspense, a bank account) is folded from its entries, and so is no row that everybody waits for.
create table ledger_accounts (
  id uuid primary key,
  kind text not null check (kind in
    ('available', 'frozen', 'reserved', 'bank', 'bank_out', 'suspense', 'fees')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  user_id uuid references users,
  requisite_id uuid ,
  balance_minor bigint check (balance_minor >= 0),
  unique nulls not distinct (kind, currency, user_id, requisite_id),
  check ((user_id is not null) = (kind in ('available', 'frozen', 'reserved'))),
  check ((requisite_id is not null) = (kind = 'bank')),
  check ((balance_minor is not null) = (user_id is not null))
);
create index ledger_accounts_of_user on ledger_accounts (user_id) where user_id is not null;

-- One kind of posting happens at most once for one source: a transfer, a payment or a refund.
create table ledger_postings (
  id uuid primary key,
  kind text not null check (kind in ('transfer_matched', 'transfer_suspense', 'suspense_assigned',
    'suspense_returned', 'freeze_over', 'refund')),
  source_id uuid not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  created_at timestamptz not null,
  unique (kind, source_id)
);

-- An amount is what the account gains: a credit is positive.
create table ledger_entries (
  posting_id uuid not null,
  account_id uuid not null,
  amount_minor bigint not null check (amount_minor <> 0),
  primary key (posting_id, account_id)
);
create index ledger_entries_of_account on ledger_entries (account_id, posting_id);

create trigger ledger_postings_append_only before update or delete or truncate on ledger_postings
  for each statement execute function refuse_change();
create trigger ledger_entries_append_only before update or delete or truncate on ledger_entries
  for each statement execute function refuse_change();

-- All entries of a posting are written by one statement, which is checked as a whole. Posting and account
-- are looked up: as a join it would be planned as a reading of the whole ledger.
create function refuse_unbalanced() returns trigger language plpgsql as $$
begin
  if exists (select from fresh group by posting_id having sum(amount_minor) <> 0) then
    raise exception 'a posting must sum to zero' using errcode = '23514';
  end if;
  if exists (select from fresh
             where ((select currency from ledger_postings where id = fresh.posting_id)
                  = (select currency from ledger_accounts where id = fresh.account_id)) is not true)
  then
    raise exception 'an entry has a posting and an account, of one currency'
      using errcode = '23514';
  end if;
  return null;
end $$;

create trigger ledger_entries_balanced after insert on ledger_entries
  referencing new table as fresh for each statement execute function refuse_unbalanced();
create trigger ledger_accounts_stay before update of id, currency or delete or truncate
  on ledger_accounts
  for each statement execute function refuse_loss('ledger_entries');

-- Credits that are still frozen, or were: released once, and never early.
create table ledger_freezes (
  payment_id uuid primary key,
  user_id uuid not null,
  currency text not null,
  amount_minor bigint not null check (amount_minor > 0),
  frozen_until timestamptz not null,
  released_at timestamptz check (released_at >= frozen_until)
) with (fillfactor = 80);
create trigger users_stay before update of id or delete or truncate on users
  for each statement execute function refuse_loss('ledger_freezes');
