-- Who works for a merchant, and as what; and the tokens by which a program of theirs does the same. Of a token
-- only a keyed digest is kept.

create table memberships (
  person_id uuid not null references people,
  user_id uuid not null references users,
  role text not null check (role in ('owner', 'developer', 'accountant', 'support')),
  created_at timestamptz not null,
  ended_at timestamptz,
  primary key (person_id, user_id)
);
create index memberships_of_user on memberships (user_id);

create table member_tokens (
  id uuid primary key,
  person_id uuid not null,
  user_id uuid not null,
  name text not null check (name <> ''),
  digest bytea not null unique check (length(digest) = 32),
  created_at timestamptz not null,
  ends_at timestamptz,
  revoked_at timestamptz,
  foreign key (person_id, user_id) references memberships
);
create index member_tokens_of_person on member_tokens (person_id, id);
