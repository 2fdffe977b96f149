-- Operators who look at a merchant's cabinet as its people do: which merchant a session looks at, and until when.
alter table sessions add column looks_at uuid;
alter table sessions add column looks_until timestamptz;
alter table sessions add constraint sessions_looks check ((looks_at is null) = (looks_until is null));

-- Links that open the wallboard and nothing else, on a screen that nobody signs in on. Of each only a keyed digest
-- is kept.
create table wall_links (
  id uuid primary key,
  name text not null check (name <> ''),
  digest bytea not null unique check (length(digest) = 32),
  created_at timestamptz not null,
  ends_at timestamptz,
  -- When it was last used, to the minute.
  seen_at timestamptz,
  revoked_at timestamptz
);
