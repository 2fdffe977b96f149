-- Incoming transfers, and the evidence of each source that reported one.

create table transfers (
  id uuid primary key,
  requisite_id uuid not null,
  reference text not null check (char_length(reference) between 1 and 255),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount_minor bigint not null check (amount_minor > 0),
  payer text,
  -- When it was paid: as it was told, and the first and last moment which that can be. Where nothing was
  -- told, received_at counts.
  made_at text check (char_length(made_at) between 10 and 40),
  made_from timestamptz,
  made_to timestamptz,
  state text not null check (state in ('matched', 'suspense', 'returned', 'cleared')),
  -- Why it waits, or waited, for a person to say whose it is.
  suspense_reason text check (suspense_reason in ('nobody_expected', 'several_expected',
    'paid_already', 'invoice_closed', 'late_held', 'contested', 'other_currency', 'below_commission',
    'balance_break', 'maybe_known', 'payout_return', 'told_by_hand')),
  -- What it paid. An invoice is paid by one transfer, and so by one of its payments.
  payment_id uuid unique,
  invoice_id uuid unique,
  received_at timestamptz not null,
  -- Who settled it by hand, when and why.
  settled_at timestamptz,
  settled_by text,
  settled_reason text,
  -- Its row is what the first source reported: the key is the reference.
  channel text not null default 'api' check (channel in ('sms', 'push', 'line', 'hand', 'api')),
  teller text not null default 'reference' check (char_length(teller) between 1 and 100),
  -- Reported only by sources whose word alone releases nothing.
  needs_proof boolean not null default false,
  unique (requisite_id, reference),
  check ((state = 'matched') = (payment_id is not null)),
  check ((payment_id is null) = (invoice_id is null)),
  check (num_nonnulls(made_at, made_from, made_to) in (0, 3)),
  check (made_from <= made_to and made_to <= received_at),
  -- What was matched at once never waited; what a person settled did.
  constraint transfers_say_why
    check ((suspense_reason is null) = (state = 'matched' and settled_at is null)),
  check (num_nonnulls(settled_at, settled_by, settled_reason) in (0, 3))
);
create trigger transfers_edges before update of state on transfers for each row
  when (old.state <> new.state and old.state || '>' || new.state <> all (
    '{suspense>matched,suspense>returned,suspense>cleared}'))
  execute function refuse_edge();
create index transfers_waiting on transfers (id) where state = 'suspense';

-- What arrived on one card, beside its statement. Searches by amount look through the newest instead.
create index transfers_of_requisite on transfers (requisite_id, id);

create function refuse_orphan_transfers() returns trigger language plpgsql as $$
begin
  if exists (select from fresh
             where (select true from requisites where id = fresh.requisite_id) is null
               or (select invoice_id from payments where id = fresh.payment_id)
                    is distinct from fresh.invoice_id) then
    raise exception 'a transfer points to nothing' using errcode = '23503';
  end if;
  return null;
end $$;
create trigger transfers_point_to_rows after insert on transfers
  referencing new table as fresh for each statement execute function refuse_orphan_transfers();

-- The one reference that is set later: a transfer that waited is assigned to a payment.
create trigger transfers_still_point_to_rows after update on transfers
  referencing new table as fresh for each statement execute function refuse_orphan_transfers();
create trigger requisites_of_transfers_stay before update of id or delete or truncate on requisites
  for each statement execute function refuse_loss('transfers');

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
