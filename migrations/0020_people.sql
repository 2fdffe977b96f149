-- People who sign in, and whose change a row of the audit log is where no operator made it.

create table people (
  id uuid primary key,
  email text not null,
  name text not null,
  language text not null default 'en' check (language in ('en', 'ru')),
  disabled_at timestamptz,
  created_at timestamptz not null
);

-- The merchant whose member made the change; the row then has no operator, and the person's name.
alter table audit_log add column user_id uuid;
create index audit_log_of_user on audit_log (user_id, id) where user_id is not null;
