-- Message sources (SMS and push), their messages, and the running balance of each requisite.

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
  -- A card that was empty has a balance that anybody can guess, until a statement or a person says what is there.
  guessable boolean not null default false,
  check (num_nonnulls(opening_minor, balance_minor, told_at) in (0, 3))
);
create trigger settings_changed after insert or delete or truncate
  or update of enabled, resting_since, max_live_payments, max_day_payments, max_day_sum_minor
  on requisite_usage
  for each statement execute function settings_changed();

-- Whether a statement has named a requisite's account, or waits to be applied: from then on the account stays, or
-- another requisite could be told the same lines. Formats without an account say nothing of it.
create function account_was_named(requisite uuid) returns boolean language sql stable strict as $$
  select exists (
    select from statement_sections section join imports import on import.id = section.import_id
    where section.requisite_id = requisite and import.lines > 0
      and (import.requisite_id is null
        or section.format not in ('csv-tbank', 'csv-raiffeisen', 'csv-own')))
$$;

-- What begins with nothing, or is nothing, stays guessable until a balance of the bank's or a person's begins a
-- stretch anew.
create function nothing_is_guessable() returns trigger language plpgsql as $$
begin
  new.guessable := new.guessable or coalesce(0 in (new.opening_minor, new.balance_minor), false);
  return new;
end $$;
create trigger nothing_is_guessable before insert or update on requisite_balances
  for each row execute function nothing_is_guessable();

-- Whether a payer may have been given a number of the requisite since then, or a report may have named one.
create function requisite_was_used(requisite uuid, since timestamptz) returns boolean
language sql stable strict as $$
  select exists (select from requisite_usage where requisite_id = requisite and last_used_at >= since)
    or exists (select from payments where requisite_id = requisite and ends_at >= since)
    or exists (select from transfers where requisite_id = requisite and received_at >= since)
    or exists (select from evidence where requisite_id = requisite and told_at >= since)
$$;
