-- Who holds a slot, and for how long: nobody may hold more than a share of them, and details that
-- lived a minute do not hold theirs for a day.

alter table slots add column shop_id uuid, add column user_id uuid, add column payer text;
update slots set shop_id = payment.shop_id, user_id = shop.user_id
from payments payment join shops shop on shop.id = payment.shop_id
where payment.id = slots.payment_id;
alter table slots alter column shop_id set not null, alter column user_id set not null;
comment on column slots.payer is 'the block of addresses that asked on the payment page';

-- Until when the payment's slot is held for it. It stands here as well because a slot's row is taken
-- over by the next payment, and what was promised must stay checkable.
alter table payments add column slot_until timestamptz;
update payments set slot_until = ends_at + interval '24 hours';
alter table payments
  alter column slot_until set not null,
  add constraint payments_slot_outlives_details
    check (slot_until between ends_at and ends_at + interval '24 hours');

-- Who has live payments on a requisite, asked where its places become few.
create index payments_live_on_requisite on payments (requisite_id) where state = 'live';
