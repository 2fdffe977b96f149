-- Money that went back.

create table refunds (
  id uuid primary key,
  payment_id uuid not null references payments,
  shop_id uuid not null references shops,
  amount_minor bigint not null check (amount_minor > 0),
  reason text not null,
  author text not null,
  created_at timestamptz not null,
  -- Of whoever asks for it: asked again, after an answer that got lost, it goes back once. A refund
  -- without one is a new one each time.
  reference text check (char_length(reference) between 1 and 255),
  unique (payment_id, reference)
);
create index refunds_of_shop on refunds (shop_id, id);
