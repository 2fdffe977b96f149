-- What a bank wants to be sent again may fill a file with the bytes of the first one: a CSV holds no date.
alter table payout_batches drop constraint payout_batches_digest_key;
