-- Where nobody but one process writes to the database, as with the embedded engine, that process need not ask for the
-- version of the settings: it is told on its own connection, before it hears of the commit that changed them.
-- Operators are among the settings, so that who has a token is proven like who has a key.
create or replace function settings_changed() returns trigger language plpgsql as $$
begin
  update settings_version
  set version = greatest(version + 1,
                         (extract(epoch from clock_timestamp()) * 1000000)::bigint);
  -- On a server, commits that tell of something wait for each other, in all of its databases.
  if current_setting('kopeck.one_connection', true) = 'on' then
    notify settings_changed;
  end if;
  return null;
end
$$;

create trigger settings_changed after insert or update or delete or truncate on operators
  for each statement execute function settings_changed();
