-- Phones that tell of money, what they have told, and the balances that follow from each other.

-- Who may report, and nothing else: a token's digest, or a sealed key that requests are signed with.
create table sources (
  id uuid primary key,
  name text not null,
  adapter text not null,
  channel text not null check (channel in ('sms', 'push')),
  -- Whose templates its texts are read by.
  banks text[] not null check (cardinality(banks) > 0),
  -- Numbers, names or packages; what anybody else sends is ignored.
  senders text[] not null check (cardinality(senders) > 0),
  needs_statement boolean not null,
  token_digest bytea,
  key_sealed bytea,
  created_at timestamptz not null,
  revoked_at timestamptz,
  last_heard_at timestamptz,
  -- Of a source that sends heartbeats; silence of any other one says nothing.
  last_beat_at timestamptz,
  -- Since when it is known, and was told, to be silent.
  silent_since timestamptz,
  -- Texts of its senders that no template reads; nothing else is kept of them.
  unread bigint not null default 0 check (unread >= 0),
  check (num_nonnulls(token_digest, key_sealed) = 1)
);

-- The requisites that a source tells of, and digits that its bank prints for one beside those of its numbers.
create table source_requisites (
  source_id uuid not null references sources,
  requisite_id uuid not null references requisites,
  endings text[] not null default '{}',
  primary key (source_id, requisite_id)
);
create index source_requisites_by_requisite on source_requisites (requisite_id);

-- What a template has read. The text is sealed and without the payer's comment; a digest of all of it tells
-- a repeat.
create table messages (
  id uuid primary key,
  source_id uuid not null references sources,
  text_digest bytea not null,
  day date not null,
  sender text not null check (char_length(sender) between 1 and 255),
  channel text not null check (channel in ('sms', 'push')),
  text_sealed bytea not null,
  kind text not null check (kind in ('income', 'own', 'outflow', 'blocked')),
  fate text not null
    check (fate in ('accepted', 'noted', 'duplicate', 'broken', 'waiting', 'unclear')),
  requisite_id uuid references requisites,
  amount_minor bigint check (amount_minor > 0),
  -- What the balance has changed by, and what it is since.
  change_minor bigint,
  balance_minor bigint check (balance_minor >= 0),
  made_at text,
  told_at timestamptz not null,
  transfer_id uuid references transfers,
  received_at timestamptz not null,
  unique (source_id, text_digest, day),
  check ((kind = 'blocked') = (amount_minor is null)),
  check (transfer_id is null or kind = 'income' and requisite_id is not null),
  check (balance_minor is null or change_minor is not null)
);
create index messages_of_requisite on messages (requisite_id, told_at);
create index messages_broken on messages (requisite_id, told_at) where fate = 'broken';
create index messages_by_source on messages (source_id, id);
create index messages_by_fate on messages (fate, id);

-- One stretch of balances of a requisite without a gap: before its first message, and after its last.
create table requisite_balances (
  requisite_id uuid primary key references requisites,
  opening_minor bigint,
  balance_minor bigint,
  -- What messages without a balance have told since.
  floating_minor bigint not null default 0,
  told_at timestamptz,
  check (num_nonnulls(opening_minor, balance_minor, told_at) in (0, 3))
);

-- Nobody is told of a requisite whose phones are silent.
alter table requisite_usage add column resting_since timestamptz;
drop trigger settings_changed on requisite_usage;
create trigger settings_changed after insert or delete or truncate
  or update of enabled, resting_since, max_live_payments, max_day_payments, max_day_sum_minor
  on requisite_usage
  for each statement execute function settings_changed();
