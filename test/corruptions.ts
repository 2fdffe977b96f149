// What can go wrong in a database whose guards failed: each with the number of the invariant that it
// breaks. They are planted into a life as test/little-life.ts leaves it.

/** Without its guards the database lets everything through: exactly what the check is for. */
export const UNGUARDED = `
  alter table ledger_entries disable trigger user;
  alter table ledger_postings disable trigger user;
  alter table payments disable trigger user;
  alter table events disable trigger user;`;

export const GUARDED = UNGUARDED.replaceAll("disable", "enable");

const PAID = "(select id from payments where state = 'paid' limit 1)";
const LIVE = "(select id from payments where state = 'live' limit 1)";
const CREDIT = "(select id from ledger_postings where kind = 'transfer_matched' limit 1)";

export const CORRUPTIONS: readonly [name: string, invariant: number, sql: string][] = [
  [
    "an entry was changed",
    1,
    `update ledger_entries set amount_minor = amount_minor + 1 where posting_id = ${CREDIT}
       and amount_minor > 0`,
  ],
  ["a posting lost its entries", 1, `delete from ledger_entries where posting_id = ${CREDIT}`],
  ["the ledger can be changed", 2, "select 1"],
  [
    "a balance was changed",
    3,
    "update ledger_accounts set balance_minor = balance_minor + 1 where kind = 'available'",
  ],
  [
    "a balance is below zero",
    4,
    `alter table ledger_accounts drop constraint ledger_accounts_balance_minor_check;
     update ledger_accounts set balance_minor = -1 where kind = 'reserved'`,
  ],
  [
    "a credit was doubled",
    5,
    `insert into ledger_postings select gen_random_uuid(), 'suspense_assigned', source_id,
       currency, created_at from ledger_postings where id = ${CREDIT}`,
  ],
  [
    "a paid payment has no transfer",
    5,
    `update transfers set payment_id = null, state = 'suspense' where payment_id = ${PAID}`,
  ],
  [
    "a transfer was made larger",
    5,
    `update transfers set amount_minor = amount_minor + 1 where payment_id = ${PAID}`,
  ],
  [
    "money left suspense without a trace",
    6,
    "update transfers set state = 'returned' where state = 'suspense'",
  ],
  [
    "a slot was given out twice",
    7,
    `update payments set to_pay_minor = twin.to_pay_minor, requisite_id = twin.requisite_id,
       amount_minor = twin.amount_minor, payer_fee_minor = twin.payer_fee_minor,
       nudge_minor = twin.nudge_minor
     from payments twin where payments.id = ${LIVE} and twin.id = ${PAID}`,
  ],
  ["a slot was lost", 7, `delete from slots where payment_id = ${LIVE}`],
  ["a requisite miscounts its live payments", 8, "update requisites set live_payments = 7"],
  [
    "a requisite miscounts its day",
    8,
    "update requisites set day_sum_minor = day_sum_minor + 1 where day is not null",
  ],
  [
    "a fee does not add up",
    9,
    `alter table payments drop constraint payments_add_up;
     update payments set payer_fee_minor = payer_fee_minor + 1 where id = ${LIVE}`,
  ],
  [
    "a freeze was released early",
    10,
    `alter table ledger_freezes drop constraint ledger_freezes_check;
     update ledger_freezes set released_at = frozen_until - interval '1 second'
     where released_at is null`,
  ],
  [
    "a freeze was released without a posting",
    10,
    "update ledger_freezes set released_at = frozen_until where released_at is null",
  ],
  [
    "a user was given money",
    11,
    "update ledger_accounts set balance_minor = balance_minor + 100 where kind = 'frozen'",
  ],
  ["a refund was lost", 11, "delete from refunds"],
  [
    "an invoice was paid without a payment",
    13,
    `update invoices set state = 'paid', paid_at = created_at where state = 'created'`,
  ],
  [
    "an invoice has two live payments",
    14,
    `drop index payments_one_live;
     update payments set invoice_id = (select invoice_id from payments where id = ${LIVE}),
       state = 'live' where state = 'lapsed'`,
  ],
  [
    "a payment lives past its end",
    17,
    `update payments set ends_at = created_at + interval '1 ms',
       slot_until = created_at + interval '1 hour' where state = 'live'`,
  ],
  [
    "an invoice lives past its end",
    17,
    "update invoices set expires_at = created_at + interval '1 ms' where state = 'created'",
  ],
  [
    "an event was lost",
    18,
    "delete from outbox; delete from deliveries; delete from events where sequence = 1",
  ],
  [
    "an event waits in no line",
    19,
    `insert into outbox (event_id, shop_id, receiver, next_attempt_at)
     select id, shop_id, gen_random_uuid(), created_at from events where sequence = 1
     on conflict (event_id) do update set receiver = excluded.receiver,
       next_attempt_at = excluded.next_attempt_at`,
  ],
  [
    "an event waits for later than it is looked for",
    19,
    `insert into outbox (event_id, shop_id, receiver, next_attempt_at)
     select id, shop_id, id, created_at from events where sequence = 1
     on conflict (event_id) do update set receiver = excluded.receiver,
       next_attempt_at = excluded.next_attempt_at;
     insert into receivers (id, shop_id, next_due_at)
     select id, shop_id, created_at + interval '1 ms' from events where sequence = 1`,
  ],
  [
    "an event left the outbox and was not delivered",
    19,
    "update events set hook_url = 'https://a.example'; delete from outbox; delete from deliveries",
  ],
  ["an event can be changed", 20, "drop trigger events_append_only on events"],
  ["an event was numbered wrongly", 20, "update events set sequence = sequence + 5"],
  [
    "a body is another event's",
    20,
    "update events set body = replace(body, id::text, gen_random_uuid()::text)",
  ],
  [
    "an attempt was written by nobody who made it",
    21,
    `insert into deliveries (event_id, attempt, started_at, status, duration_ms)
     select id, 7, created_at, 200, 1 from events where sequence = 1`,
  ],
];
