-- How often a requisite got another card or phone: who gives it out by what was read before shows nobody a number that
-- it has no more, because that one may be free for another requisite since.
alter table requisite_usage add column renumbered integer not null default 0;
