-- What shops with clients of their own need, and what payers are told and say.

alter table shops
  -- Which requests it sends: those of the specification, or what the clients of this family of API send.
  add column dialect text not null default 'strict' check (dialect in ('strict', 'family')),
  -- Whom a payer may ask: a URL, an e-mail address or a phone number.
  add column support text check (char_length(support) between 1 and 255);

-- The keys before the last rotation: until their end webhooks are signed with them, too.
alter table webhook_keys
  add column old_key_sealed bytea,
  add column old_secret_sealed bytea,
  add column old_until timestamptz,
  add check (num_nonnulls(old_key_sealed, old_secret_sealed, old_until) in (0, 3));

-- A shop of the family's dialect may have no address to go to after paying: the page ends on its receipt.
alter table invoices alter column success_url drop not null;

-- What a payer says of the transfer for a payment. Nobody has proven it, and it moves no money: it is for
-- whoever looks for the transfer.
create table payer_words (
  payment_id uuid primary key references payments,
  -- When the payer first said to have paid, and when the rest was last told.
  paid_said_at timestamptz not null,
  told_at timestamptz,
  -- How often it was told: a payer may mend it, not write it without end.
  times integer not null default 0 check (times between 0 and 5),
  amount_minor bigint check (amount_minor > 0),
  bank text check (char_length(bank) between 1 and 64),
  -- In the payer's words, as the bank's app shows it.
  sent_when text check (char_length(sent_when) between 1 and 64)
);
