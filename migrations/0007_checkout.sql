-- What a shop's payment page looks like: its own title, logo and colour.

alter table shops
  add column title text check (char_length(title) between 1 and 100),
  add column logo_url text check (logo_url like 'https://%'),
  add column color text check (color ~ '^#[0-9a-f]{6}$');
