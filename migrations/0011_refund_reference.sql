-- A refund may carry a reference of whoever asks for it: asked again, after an answer that got lost, it
-- goes back once. A refund without one is a new one each time.

alter table refunds
  add column reference text check (char_length(reference) between 1 and 255),
  add unique (payment_id, reference);
-- It begins with the same column.
drop index refunds_of_payment;
