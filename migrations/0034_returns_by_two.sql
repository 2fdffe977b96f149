-- From a sum on, that a payout has come back is said by two people, as that one has not left is. The first one's word
-- is a vote; 0032_hands.sql sees to it that the second one's is another hand's.
alter table payout_votes
  drop constraint payout_votes_subject_check,
  add constraint payout_votes_subject_check check (subject in ('approve', 'sent', 'not_sent', 'returned'));
-- What waits for the second one.
create index payout_votes_of_returns on payout_votes (payout_id) where subject = 'returned';
