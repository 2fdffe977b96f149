-- How often a requisite got another card or phone: who gives it out by what was read before shows nobody a number that
-- it has no more, because that one may be free for another requisite since.
alter table requisite_usage add column renumbered integer not null default 0;

-- Whether a requisite had its card or its phone before and has it back: then payers have seen it, or money was told of by
-- it, whatever came of it since. Of those that had another one so far nobody knows.
alter table requisites
  add column card_was_former boolean not null default false,
  add column phone_was_former boolean not null default false;
update requisites
set card_was_former = exists (
      select from former_wallets where requisite_id = requisites.id and kind = 'card'),
    phone_was_former = exists (
      select from former_wallets where requisite_id = requisites.id and kind = 'phone')
where id in (select requisite_id from former_wallets);
