-- What must not hang on one machine's clock. A key that was revoked says so in a column, as an
-- operator's token does, and is dead whatever a gateway's clock says; only the grace of a rotation is a
-- moment. The version of the settings never repeats, not even after the database was restored to an
-- earlier state: it follows the database's clock, to the microsecond, and so names one content for ever.

alter table api_keys add column revoked_at timestamptz;
update api_keys set revoked_at = ends_at where ends_at <= clock_timestamp();

create or replace function settings_changed() returns trigger language plpgsql as $$
begin
  update settings_version
  set version = greatest(version + 1,
                         (extract(epoch from clock_timestamp()) * 1000000)::bigint);
  return null;
end
$$;
update settings_version
set version = greatest(version + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint);
