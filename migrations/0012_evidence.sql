-- Who told of money, and whether that is enough; and the account that a requisite is.

-- One requisite is one account: a statement speaks of accounts, and two requisites of one could not be told
-- apart by it.
alter table requisites
  add column account_sealed bytea,
  add column account_digest bytea unique,
  add check ((account_sealed is null) = (account_digest is null));

-- A transfer is money, and its row is what the first teller said of it: the key is the reference. A teller
-- is one voice that never tells of the same money under two keys.
alter table transfers
  add column channel text not null default 'api'
    check (channel in ('sms', 'push', 'line', 'hand', 'api')),
  add column teller text not null default 'reference' check (char_length(teller) between 1 and 100),
  -- Told only by those whose word alone releases nothing.
  add column needs_proof boolean not null default false,
  drop constraint transfers_suspense_reason_check,
  add constraint transfers_suspense_reason_check check (suspense_reason in ('nobody_expected',
    'several_expected', 'paid_already', 'invoice_closed', 'late_held', 'contested',
    'other_currency', 'below_commission', 'balance_break', 'maybe_known'));
-- What came to one requisite with one amount, by the moment it was paid at: among these the tellers are
-- counted.
create index transfers_of_amount
  on transfers (requisite_id, amount_minor, (coalesce(made_from, received_at)));

create index transfers_unproven on transfers (id) where needs_proof;

-- What else tells of a transfer. Each telling is of one transfer, and a teller tells of it once.
create table evidence (
  requisite_id uuid not null,
  teller text not null check (char_length(teller) between 1 and 100),
  key text not null check (char_length(key) between 1 and 255),
  transfer_id uuid not null references transfers,
  channel text not null check (channel in ('sms', 'push', 'line', 'hand', 'api')),
  amount_minor bigint not null check (amount_minor > 0),
  made_at text check (char_length(made_at) between 10 and 40),
  made_from timestamptz,
  made_to timestamptz,
  told_at timestamptz not null,
  primary key (requisite_id, teller, key),
  unique (transfer_id, teller),
  check (num_nonnulls(made_at, made_from, made_to) in (0, 3)),
  check (made_from <= made_to and made_to <= told_at)
);

-- A credit that nobody has proven yet is not released by time alone.
alter table ledger_freezes
  add column needs_proof boolean not null default false,
  add check (not needs_proof or released_at is null);
