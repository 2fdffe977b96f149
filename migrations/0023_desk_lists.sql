-- What the desk finds and shows: names by how they begin, and what came of checking the books.

create index users_by_name on users (lower(name) text_pattern_ops);
create index shops_by_name on shops (lower(name) text_pattern_ops);

-- Each time the books were checked, by hand or on the machine itself.
create table book_checks (
  id uuid primary key,
  -- Who asked for it.
  author text not null check (char_length(author) between 1 and 255),
  asked_at timestamptz not null,
  -- Of whichever gateway checks; one that falls silent has its turn taken over.
  started_at timestamptz,
  worker uuid,
  beat_at timestamptz,
  ended_at timestamptz,
  violations integer check (violations >= 0),
  -- The first few of them, in words.
  details text[] not null default '{}',
  check ((ended_at is null) = (violations is null)),
  check (ended_at is null or started_at is not null),
  check (num_nonnulls(worker, beat_at) in (0, 2))
);
-- One at a time.
create unique index book_checks_under_way on book_checks ((true)) where ended_at is null;
create trigger book_checks_stay before delete or truncate on book_checks
  for each statement execute function refuse_change();
