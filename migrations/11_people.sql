-- People who sign in, their credentials and sessions, and their roles at merchants.

create table people (
  id uuid primary key,
  email text not null check (email = lower(email) and email <> ''),
  name text not null check (name <> ''),
  language text not null check (language in ('en', 'ru')),
  -- Whether single letters are keys of the pages.
  has_keys boolean not null default true,
  -- What they are at the desk; an operator of the same id is made with it.
  desk_role text check (desk_role in ('viewer', 'cashier', 'operator')),
  password text check (password like '$argon2id$%'),
  totp_sealed bytea,
  -- Each code opens once.
  totp_last_step bigint not null default 0,
  -- Wrong tries since the last right one, and until when others are not looked at.
  failures integer not null default 0 check (failures >= 0),
  blocked_until timestamptz,
  created_at timestamptz not null,
  disabled_at timestamptz,
  -- A password alone opens nothing, so it is not there alone.
  constraint people_password_with_code check (password is null or totp_sealed is not null)
);
create unique index people_by_email on people (email);

create table passkeys (
  id uuid primary key,
  person_id uuid not null references people,
  credential_id bytea not null unique,
  public_key bytea not null,
  algorithm integer not null,
  sign_count bigint not null check (sign_count >= 0),
  name text not null,
  created_at timestamptz not null,
  used_at timestamptz
);
create index passkeys_of_person on passkeys (person_id, id);

create table recovery_codes (
  digest bytea primary key check (length(digest) = 32),
  person_id uuid not null references people,
  used_at timestamptz
);
create index recovery_codes_of_person on recovery_codes (person_id);

-- A link that lets a person in who has no other way: to join, or to come back.
create table links (
  id uuid primary key,
  person_id uuid not null references people,
  digest bytea not null unique check (length(digest) = 32),
  made_by text not null,
  -- Whether it also takes the old ways in away.
  resets boolean not null,
  created_at timestamptz not null,
  ends_at timestamptz not null check (ends_at > created_at),
  used_at timestamptz
);
create index links_of_person on links (person_id, id);
create index links_by_end on links (ends_at);

-- What somebody who is known already is asked to become: at the desk, or at a merchant. Nobody becomes anything
-- by an address that somebody else has typed: they accept it, signed in, with what the inviter handed over.
create table invitations (
  id uuid primary key,
  person_id uuid not null references people,
  digest bytea not null unique check (length(digest) = 32),
  user_id uuid,
  role text not null,
  made_by text not null,
  created_at timestamptz not null,
  ends_at timestamptz not null check (ends_at > created_at),
  used_at timestamptz
);
create index invitations_of_person on invitations (person_id, id);
create index invitations_by_end on invitations (ends_at);

create table sessions (
  id uuid primary key,
  person_id uuid not null references people,
  digest bytea not null unique check (length(digest) = 32),
  -- Of several merchants the one that is looked at.
  user_id uuid,
  address text not null,
  agent text not null,
  created_at timestamptz not null,
  seen_at timestamptz not null,
  -- When who they are was last proven.
  proven_at timestamptz not null,
  ends_at timestamptz not null,
  ended_at timestamptz,
  -- Of an operator who looks at a merchant's cabinet: which merchant, and until when.
  looks_at uuid,
  looks_until timestamptz,
  constraint sessions_looks check ((looks_at is null) = (looks_until is null))
);
create index sessions_of_person on sessions (person_id, id);
create index sessions_by_end on sessions (ends_at);

-- Browsers that have signed in before: nobody else's wrong guesses keep them out.
create table devices (
  digest bytea primary key check (length(digest) = 32),
  person_id uuid not null references people,
  seen_at timestamptz not null
);
create index devices_of_person on devices (person_id);

-- What passkeys have signed: each challenge is good once.
create table used_challenges (
  digest bytea primary key check (length(digest) = 32),
  ends_at timestamptz not null
);
create index used_challenges_by_end on used_challenges (ends_at);

-- Forms that have made something: sent again, they make nothing.
create table sent_forms (
  id uuid primary key,
  person_id uuid not null references people,
  sent_at timestamptz not null
);
create index sent_forms_by_moment on sent_forms (sent_at);

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
