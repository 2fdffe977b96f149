-- A card that was empty has a balance that everybody can guess, and so has every message that follows from it, until
-- a statement or a person says what is there.
alter table requisite_balances add column guessable boolean not null default false;
update requisite_balances set guessable = true where opening_minor = 0 or balance_minor = 0;
