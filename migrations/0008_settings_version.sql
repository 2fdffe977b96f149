-- How often the settings that nearly every request needs have changed: keys, shops, tariffs. It is read
-- for every set of requests, so that a gateway may keep what it read at a version for as long as the
-- version stands, and no process ever answers by settings that another one has changed.

create table settings_version (
  only_row boolean primary key default true check (only_row),
  version bigint not null
);
insert into settings_version (version) values (1);

create function settings_changed() returns trigger language plpgsql as $$
begin
  update settings_version set version = version + 1;
  return null;
end
$$;

create trigger settings_changed after insert or update or delete or truncate on api_keys
  for each statement execute function settings_changed();
create trigger settings_changed after insert or update or delete or truncate on shops
  for each statement execute function settings_changed();
create trigger settings_changed after insert or update or delete or truncate on services
  for each statement execute function settings_changed();
create trigger settings_changed after insert or update or delete or truncate on tariffs
  for each statement execute function settings_changed();
create trigger settings_changed after insert or update or delete or truncate on default_tariffs
  for each statement execute function settings_changed();
create trigger settings_changed after insert or update or delete or truncate on sbp_banks
  for each statement execute function settings_changed();
