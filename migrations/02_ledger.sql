-- The double-entry ledger: append-only postings of one row each, balances, and freezes.

-- A posting is one row: the kinds of accounts are a closed set, and each has a column that says what it
-- gains (a credit is positive). So no posting can be unbalanced, half written or of two currencies. One
-- kind of posting happens at most once for one source: a transfer, a payment or a refund.
create table ledger_postings (
  -- Made at the posting's moment: it orders statements, and has no index of its own.
  id uuid not null,
  source_id uuid not null,
  kind text not null check (kind in ('transfer_matched', 'transfer_suspense', 'suspense_assigned',
    'suspense_returned', 'freeze_over', 'refund', 'payout_reserved', 'payout_done', 'payout_released',
    'payout_returned', 'payout_recovered', 'suspense_cleared', 'suspense_owned', 'return_rerouted',
    'outflow_seen', 'bank_charge', 'internal_seen', 'own_seen', 'line_corrected', 'own_opening',
    'own_opening_back', 'own_withdrawn', 'fees_withdrawn')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  user_id uuid,
  requisite_id uuid,
  created_at timestamptz not null,
  bank_minor bigint not null default 0,
  bank_out_minor bigint not null default 0,
  suspense_minor bigint not null default 0,
  fees_minor bigint not null default 0,
  frozen_minor bigint not null default 0,
  available_minor bigint not null default 0,
  reserved_minor bigint not null default 0,
  -- The operator's own funds.
  own_minor bigint not null default 0,
  primary key (source_id, kind),
  constraint ledger_postings_sum_to_zero check (bank_minor + bank_out_minor + suspense_minor
    + fees_minor + frozen_minor + available_minor + reserved_minor + own_minor = 0),
  -- What sums to zero and is not empty gives somebody something.
  constraint ledger_postings_move_money check (greatest(bank_minor, bank_out_minor, suspense_minor,
    fees_minor, frozen_minor, available_minor, reserved_minor, own_minor) > 0),
  constraint ledger_postings_have_a_user check ((user_id is null)
    = (frozen_minor = 0 and available_minor = 0 and reserved_minor = 0)),
  constraint ledger_postings_have_a_requisite check ((requisite_id is null) = (bank_minor = 0))
);

-- Statements. Money that waits or goes back is rare, and so are the entries of the last two.
create index ledger_postings_of_user on ledger_postings (user_id, id) where user_id is not null;
create index ledger_postings_of_requisite on ledger_postings (requisite_id, id)
  where requisite_id is not null;
create index ledger_postings_of_fees on ledger_postings (currency, id) where fees_minor <> 0;
create index ledger_postings_of_suspense on ledger_postings (currency, id) where suspense_minor <> 0;
create index ledger_postings_of_bank_out on ledger_postings (currency, id) where bank_out_minor <> 0;
-- Money that arrived ends in one way, and so does what a payout had reserved.
create unique index ledger_postings_end_once on ledger_postings (source_id)
  where kind in ('transfer_matched', 'suspense_assigned', 'suspense_returned', 'suspense_cleared',
    'suspense_owned', 'payout_done', 'payout_released');
create trigger ledger_postings_append_only before update or delete or truncate on ledger_postings
  for each statement execute function refuse_change();

-- What may not go below zero keeps its balance here: an update changes no index and finds room in its
-- page. What everybody's money flows through (fees, suspense, a bank account) is folded from postings,
-- and so is no row that everybody waits for.
create table ledger_balances (
  user_id uuid references users,
  currency text check (currency ~ '^[A-Z]{3}$'),
  available_minor bigint not null default 0 check (available_minor >= 0),
  frozen_minor bigint not null default 0 check (frozen_minor >= 0),
  reserved_minor bigint not null default 0 check (reserved_minor >= 0),
  primary key (user_id, currency)
) with (fillfactor = 50);

create view ledger_entries as
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

-- Credits that are still frozen, or were: released once, and never early.
create table ledger_freezes (
  payment_id uuid primary key,
  user_id uuid not null,
  currency text not null,
  amount_minor bigint not null check (amount_minor > 0),
  frozen_until timestamptz not null,
  released_at timestamptz check (released_at >= frozen_until),
  -- A credit without a proof is not released by time alone.
  needs_proof boolean not null default false,
  check (not needs_proof or released_at is null)
) with (fillfactor = 50);
create trigger users_stay before update of id or delete or truncate on users
  for each statement execute function refuse_loss('ledger_freezes');
create index ledger_postings_of_own on ledger_postings (currency, id) where own_minor <> 0;

-- What of a user is released from a moment on. Not only of what is frozen still: a condition on released_at would
-- be a column of the index, and no release could stay in its page.
create index ledger_freezes_of_user on ledger_freezes (user_id, frozen_until);
