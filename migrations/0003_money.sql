-- Money: the double-entry ledger, transfers that arrived, and refunds.

-- What may not go below zero keeps its balance here. What everybody's money flows through (fees,
-- suspense, a bank account) is folded from its entries, and so is no row that everybody waits for.
create table ledger_accounts (
  id uuid primary key,
  kind text not null check (kind in
    ('available', 'frozen', 'reserved', 'bank', 'bank_out', 'suspense', 'fees')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  user_id uuid references users,
  requisite_id uuid references requisites,
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
  posting_id uuid not null references ledger_postings,
  account_id uuid not null references ledger_accounts,
  amount_minor bigint not null check (amount_minor <> 0),
  primary key (posting_id, account_id)
);
create index ledger_entries_of_account on ledger_entries (account_id, posting_id);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = '23001';
end $$;

create trigger ledger_postings_append_only before update or delete or truncate on ledger_postings
  for each statement execute function refuse_change();
create trigger ledger_entries_append_only before update or delete or truncate on ledger_entries
  for each statement execute function refuse_change();

-- All entries of a posting are written by one statement, which is checked as a whole.
create function refuse_unbalanced() returns trigger language plpgsql as $$
begin
  if exists (select from fresh group by posting_id having sum(amount_minor) <> 0) then
    raise exception 'a posting must sum to zero' using errcode = '23514';
  end if;
  if exists (select from fresh
             join ledger_postings posting on posting.id = fresh.posting_id
             join ledger_accounts account on account.id = fresh.account_id
             where account.currency <> posting.currency) then
    raise exception 'a posting has one currency' using errcode = '23514';
  end if;
  return null;
end $$;

create trigger ledger_entries_balanced after insert on ledger_entries
  referencing new table as fresh for each statement execute function refuse_unbalanced();

-- Credits that are still frozen, or were: released once, and never early.
create table ledger_freezes (
  payment_id uuid primary key references payments,
  user_id uuid not null references users,
  currency text not null,
  amount_minor bigint not null check (amount_minor > 0),
  frozen_until timestamptz not null,
  released_at timestamptz check (released_at >= frozen_until)
);
create index ledger_freezes_due on ledger_freezes (frozen_until) where released_at is null;

-- Money that arrived on a requisite: the evidence, stored once by the bank's reference.
create table transfers (
  id uuid primary key,
  requisite_id uuid not null references requisites,
  reference text not null check (char_length(reference) between 1 and 255),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount_minor bigint not null check (amount_minor > 0),
  payer text,
  state text not null check (state in ('matched', 'suspense', 'returned')),
  payment_id uuid unique references payments,
  received_at timestamptz not null,
  -- Who settled it by hand, when and why.
  settled_at timestamptz,
  settled_by text,
  settled_reason text,
  unique (requisite_id, reference),
  check ((state = 'matched') = (payment_id is not null)),
  check (num_nonnulls(settled_at, settled_by, settled_reason) in (0, 3))
);
create index transfers_waiting on transfers (received_at) where state = 'suspense';

create table refunds (
  id uuid primary key,
  payment_id uuid not null references payments,
  shop_id uuid not null references shops,
  amount_minor bigint not null check (amount_minor > 0),
  reason text not null,
  author text not null,
  created_at timestamptz not null
);
create index refunds_of_payment on refunds (payment_id);
