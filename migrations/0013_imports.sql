-- Statements of banks: files, what they say of an account in a span of days, and their lines.

create table imports (
  id uuid primary key,
  -- Of the bytes, and of whose account they were said to be: the same file again is the same import.
  digest bytea not null unique,
  filename text not null check (char_length(filename) between 1 and 255),
  format text not null,
  -- The account, where the format names none.
  requisite_id uuid references requisites,
  -- The file and how its columns are called, sealed, until all of it is applied.
  content_sealed bytea,
  lines integer not null check (lines >= 0),
  pending_lines integer not null check (pending_lines >= 0),
  -- So many are looked at: known, or done.
  done_lines integer not null default 0 check (done_lines between 0 and lines),
  known_lines integer not null default 0 check (known_lines between 0 and done_lines),
  created_at timestamptz not null,
  created_by text not null,
  applied_at timestamptz,
  check ((applied_at is null) = (content_sealed is not null)),
  check (applied_at is null or done_lines = lines)
);
create index imports_to_apply on imports (id) where applied_at is null;

-- What a file says of one account in a span of days; balances are null where the format has none.
create table statement_sections (
  import_id uuid not null references imports,
  number integer not null check (number > 0),
  requisite_id uuid not null references requisites,
  format text not null,
  from_day date not null,
  to_day date not null,
  opening_minor bigint,
  closing_minor bigint,
  in_minor bigint not null check (in_minor >= 0),
  out_minor bigint not null check (out_minor >= 0),
  primary key (import_id, number),
  check (from_day <= to_day),
  check (num_nonnulls(opening_minor, closing_minor) in (0, 2)),
  constraint statement_sections_add_up check (opening_minor + in_minor - out_minor = closing_minor)
);
create index statement_sections_of_requisite on statement_sections (requisite_id, to_day);

-- A line, once, however many files have it: equal ones of a day are numbered. What is pending is no line.
create table statement_lines (
  id uuid primary key,
  requisite_id uuid not null references requisites,
  format text not null,
  key text not null check (char_length(key) between 1 and 128),
  ordinal integer not null check (ordinal > 0),
  -- The file that it first came in, at which row, and the last one that had it.
  import_id uuid not null references imports,
  row_number integer not null check (row_number > 0),
  seen_in uuid not null references imports,
  direction text not null check (direction in ('in', 'out')),
  day date not null,
  made_at text check (char_length(made_at) between 10 and 40),
  amount_minor bigint not null check (amount_minor > 0),
  number text,
  -- The other side and what it was for, without whole numbers; null once they were removed.
  party text,
  purpose text,
  fate text not null check (fate in ('booked', 'joined', 'outflow', 'charge', 'internal', 'ignored',
    'waiting')),
  waits_for text check (waits_for in ('changed', 'reversal', 'ahead')),
  transfer_id uuid references transfers,
  -- The file that should have it and does not, and who has looked at that.
  missing_in uuid references imports,
  settled_at timestamptz,
  settled_by text,
  settled_reason text,
  unique (requisite_id, format, key, ordinal),
  check ((fate = 'waiting') = (waits_for is not null)),
  check ((fate in ('booked', 'joined')) = (transfer_id is not null)),
  check (direction = 'in' or fate not in ('booked', 'joined')),
  check (direction = 'out' or fate not in ('outflow', 'charge')),
  check (num_nonnulls(settled_at, settled_by, settled_reason) in (0, 3))
) with (fillfactor = 85);
create index statement_lines_of_import on statement_lines (import_id);
create index statement_lines_of_day on statement_lines (requisite_id, day);
create index statement_lines_of_transfer on statement_lines (transfer_id);
create index statement_lines_waiting on statement_lines (id)
  where fate = 'waiting' or missing_in is not null;
