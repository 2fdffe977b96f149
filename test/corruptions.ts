// What can go wrong in a database whose guards failed: by the number of the invariant that each
// breaks. They are planted into a life as test/little-life.ts leaves it.

/** Without its guards the database lets everything through: exactly what the check is for. */
export const UNGUARDED = `
  alter table ledger_postings disable trigger user;
  alter table invoices disable trigger user;
  alter table transfers disable trigger user;
  alter table payments disable trigger user;
  alter table slots disable trigger user;
  alter table events disable trigger user;
  alter table deliveries disable trigger user;
  alter table event_feed disable trigger user;
  alter table payouts disable trigger user;
  alter table payout_attempts disable trigger user;
  alter table approvals disable trigger user;`;

export const GUARDED = UNGUARDED.replaceAll("disable", "enable");

const PAID = "(select id from payments where state = 'paid' order by id desc limit 1)";
const LIVE = "(select id from payments where state = 'live' limit 1)";
const CREDITED = `source_id = (select source_id from ledger_postings
  where kind = 'transfer_matched' limit 1)`;

export const CORRUPTIONS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  1: {
    "a posting was changed": `alter table ledger_postings drop constraint ledger_postings_sum_to_zero;
     update ledger_postings set frozen_minor = frozen_minor + 1 where ${CREDITED}`,
    "a posting was emptied": `alter table ledger_postings drop constraint ledger_postings_move_money;
     update ledger_postings set bank_minor = 0, frozen_minor = 0, fees_minor = 0, user_id = null,
       requisite_id = null where ${CREDITED}`,
  },
  2: {
    "the ledger can be changed": "select 1",
  },
  3: {
    "a balance was changed": "update ledger_balances set available_minor = available_minor + 1",
    "a balance was lost": "delete from ledger_balances where frozen_minor > 0",
    "a posting is of a requisite that is not there": `update ledger_postings set requisite_id = gen_random_uuid() where ${CREDITED}`,
  },
  4: {
    "a balance is below zero": `alter table ledger_balances drop constraint ledger_balances_reserved_minor_check;
     update ledger_balances set reserved_minor = -1`,
  },
  5: {
    "a credit was doubled": `drop index ledger_postings_end_once;
     insert into ledger_postings (id, source_id, kind, currency, user_id, created_at, suspense_minor,
       frozen_minor, fees_minor)
     select gen_random_uuid(), source_id, 'suspense_assigned', currency, user_id, created_at,
       bank_minor, frozen_minor, fees_minor from ledger_postings where ${CREDITED}`,
    "a paid payment has no transfer": `update transfers set payment_id = null, invoice_id = null, state = 'suspense', suspense_reason = 'contested'
     where payment_id = ${PAID}`,
    "a transfer was made larger": `update transfers set amount_minor = amount_minor + 1 where payment_id = ${PAID}`,
  },
  6: {
    "money left suspense without a trace":
      "update transfers set state = 'returned' where state = 'suspense'",
    "money that waited was lost": `alter table evidence drop constraint evidence_transfer_id_fkey;
     alter table statement_lines drop constraint statement_lines_transfer_id_fkey;
     delete from transfers where state = 'suspense'`,
    "own money was taken for what waits": `update transfers set state = 'suspense' where state = 'cleared'`,
    "a transfer that waits was made larger":
      "update transfers set amount_minor = amount_minor + 1 where state = 'suspense'",
  },
  7: {
    "a slot was given out twice": `update payments set to_pay_minor = twin.to_pay_minor, requisite_id = twin.requisite_id,
       amount_minor = twin.amount_minor, payer_fee_minor = twin.payer_fee_minor,
       nudge_minor = twin.nudge_minor
     from payments twin where payments.id = ${LIVE} and twin.id = ${PAID}`,
    "a slot was lost": `delete from slots where payment_id = ${LIVE}`,
    "a slot is on another requisite than its payment": `update slots set requisite_id = (select id from requisites other where other.id <> requisite_id limit 1)
     where payment_id = ${PAID}`,
    "a slot is held for another shop than its payment's": `update slots set shop_id = gen_random_uuid() where payment_id = ${PAID}`,
  },
  8: {
    "a requisite miscounts its live payments": "update requisite_usage set live_payments = 7",
    "a requisite miscounts its day":
      "update requisite_usage set day_sum_minor = day_sum_minor + 1 where day is not null",
  },
  9: {
    "a fee does not add up": `alter table payments drop constraint payments_add_up;
     update payments set payer_fee_minor = payer_fee_minor + 1 where id = ${LIVE}`,
  },
  10: {
    "a freeze was released early": `alter table ledger_freezes drop constraint ledger_freezes_check;
     update ledger_freezes set released_at = frozen_until - interval '1 second'
     where released_at is null`,
    "a freeze was released without a posting":
      "update ledger_freezes set released_at = frozen_until where released_at is null",
    "a freeze falls never due": "delete from dues where kind = 'release-freezes'",
  },
  11: {
    "a user was given money": "update ledger_balances set frozen_minor = frozen_minor + 100",
    "a payout that left is said not to have": `update payouts set state = 'canceled', error = 'canceled',
       bank_reference = null, done_at = null where state = 'done'`,
    "a balance is in another currency":
      "update ledger_balances set currency = 'USD' where frozen_minor > 0",
    "a refund was lost": "delete from refunds",
    "a refund was made smaller": "update refunds set amount_minor = amount_minor - 1",
  },
  12: {
    "a payout has two attempts that may have left": `drop index one_attempt_may_have_left;
     insert into payout_attempts (payout_id, number, rail, state, claimed_at, lease_until, dispatched_at)
     select payout_id, number + 1, rail, 'dispatched', claimed_at, lease_until, claimed_at
     from payout_attempts where state = 'unknown'`,
    "what may have left was given back": `update payout_attempts set state = 'dispatched', dispatched_at = claimed_at
     where payout_id = (select id from payouts where state = 'failed')`,
    "an attempt was forgotten": "delete from payout_attempts where state = 'unknown'",
    "nobody knows of a payout that waits in line": `update payouts set state = 'queued', queued_at = created_at where state = 'unknown'`,
    "a second attempt can be made": "drop index one_attempt_may_have_left",
    "attempts can be deleted": "drop trigger payout_attempts_stay on payout_attempts",
  },
  13: {
    "a line can get any outcome": "drop trigger statement_lines_edges on statement_lines",
    "an invoice was paid without a payment": `update invoices set state = 'paid', paid_at = created_at where state = 'created'`,
    "an invoice was deleted, and its payments were not": `alter table invoices disable trigger user;
     delete from invoices where state = 'paid';
     alter table invoices enable trigger user`,
  },
  14: {
    "an invoice has two live payments": `update payments set number = 2 + number, invoice_id = (select invoice_id from payments where id = ${LIVE}),
       state = 'live' where state = 'lapsed'`,
  },
  15: {
    "an order has two invoices": `alter table invoices drop constraint invoices_shop_id_order_id_key;
     update invoices set order_id = 'the same'`,
  },
  17: {
    "a payment lives past its end": `update payments set ends_at = created_at + interval '1 ms',
       slot_until = created_at + interval '1 hour' where state = 'live'`,
    "an invoice lives past its end":
      "update invoices set expires_at = created_at + interval '1 ms' where state = 'created'",
    "live details fall never due": "delete from dues where kind = 'lapse-payments'",
    "an open invoice falls never due": "delete from dues where kind = 'expire-invoices'",
    "an event waits for its position in the feed": `with taken as (delete from event_feed where shop_id is not null returning event_id, shop_id)
     insert into event_feed_queue (event_id, shop_id) select * from taken`,
  },
  18: {
    "a user was not told of a payout": "delete from events where payout_id is not null",
    "an event was lost":
      "delete from outbox; delete from deliveries; delete from events where sequence = 1",
  },
  19: {
    "an event waits in no line": `insert into outbox (event_id, shop_id, receiver, next_attempt_at)
     select id, shop_id, gen_random_uuid(), created_at from events where sequence = 1 and shop_id is not null
     on conflict (event_id) do update set receiver = excluded.receiver,
       next_attempt_at = excluded.next_attempt_at`,
    "an event waits for later than it is looked for": `insert into outbox (event_id, shop_id, receiver, next_attempt_at)
     select id, shop_id, id, created_at from events where sequence = 1 and shop_id is not null
     on conflict (event_id) do update set receiver = excluded.receiver,
       next_attempt_at = excluded.next_attempt_at;
     insert into receivers (id, shop_id, next_due_at)
     select id, shop_id, created_at + interval '1 ms' from events
     where sequence = 1 and shop_id is not null`,
    "an event left the outbox and was not delivered":
      "update events set hook_url = 'https://a.example'; delete from outbox; delete from deliveries",
  },
  20: {
    "an event can be changed": "drop trigger events_append_only on events",
    "an event can be deleted": "drop trigger events_go_with_invoices on events",
    "an event was numbered wrongly": "update events set sequence = sequence + 5",
    "a body is another event's":
      "update events set body = replace(body, id::text, gen_random_uuid()::text)",
    "an invoice counts more events than it has": "update invoices set events = events + 1",
  },
  21: {
    "the attempts of an event are said to be removed, and are there": `insert into deliveries (event_id, attempt, started_at, status, duration_ms)
     select id, 1, created_at, 200, 1 from events where sequence = 1 on conflict do nothing;
     update events set attempts_removed = 1 where sequence = 1`,
    "an attempt was written by nobody who made it": `insert into deliveries (event_id, attempt, started_at, status, duration_ms)
     select id, 7, created_at, 200, 1 from events where sequence = 1`,
  },
  27: {
    "a payout's parts do not add up": `alter table payouts drop constraint payouts_add_up;
     update payouts set fee_minor = fee_minor + 1 where state = 'done'`,
  },
  28: {
    "money is reserved for nothing": `update payouts set state = 'canceled', queued_at = null,
       settled_at = created_at, error = 'canceled' where state = 'queued'`,
    "a payout under way has nothing reserved": `update payouts set state = 'queued', queued_at = created_at,
       settled_at = null, error = null where state = 'failed'`,
  },
  29: {
    "a payout is done, and nothing was booked":
      "delete from ledger_postings where kind = 'payout_done'",
    "a payout was given back, and nothing was booked":
      "delete from ledger_postings where kind = 'payout_released'",
    "a payout came back, and nothing was booked":
      "delete from ledger_postings where kind = 'payout_returned'",
    "a payout is booked with another sum": `update ledger_postings
     set bank_out_minor = bank_out_minor + 1, fees_minor = fees_minor - 1 where kind = 'payout_done'`,
    "a payout is booked for somebody else": `update ledger_postings
     set user_id = (select id from users other where other.id <> user_id limit 1)
     where kind = 'payout_reserved'`,
    "a posting is of no payout":
      "update ledger_postings set source_id = gen_random_uuid() where kind = 'payout_done'",
  },
  30: {
    "a reference can prove two payouts": "drop index payouts_of_reference",
  },
  31: {
    "a telling is of another amount": "update evidence set amount_minor = amount_minor + 1",
    "a telling is of another requisite": `update evidence set requisite_id = gen_random_uuid()`,
    "a teller has told of a transfer twice": `update evidence set teller = (select teller from transfers where id = transfer_id)`,
    "money that two tell of was booked twice": `insert into transfers (id, requisite_id, reference, currency, amount_minor, made_at, made_from,
       made_to, state, suspense_reason, received_at, channel, teller)
     select gen_random_uuid(), requisite_id, teller, currency, 12345, '2026-01-01T00:00Z',
       '2026-01-01T00:00:00Z', '2026-01-01T00:00:59Z', 'suspense', 'nobody_expected', received_at,
       channel, teller
     from (select requisite_id, currency, received_at from transfers limit 1) one
     cross join (values ('sms', 'sms:1'), ('push', 'push:1')) by(channel, teller)`,
    "a credit waits for a proof that is there": `update ledger_freezes set needs_proof = true where released_at is null`,
  },
  32: {
    "a line tells of money with another amount":
      "update statement_lines set amount_minor = amount_minor + 1 where outcome = 'duplicate'",
    "a line tells of somebody else's transfer": `update statement_lines set transfer_id = (select id from transfers where payment_id = ${PAID})
     where outcome = 'duplicate'`,
    "a line was lost": "delete from statement_lines where outcome = 'outflow'",
    "a section says another sum": `update statement_sections set in_minor = in_minor + 1, closing_minor = closing_minor + 1`,
  },
  33: {
    "money was matched by another moment than its own": `update transfers set made_at = '2020-01-01', made_from = '2020-01-01', made_to = '2020-01-02'
     where payment_id = ${PAID}`,
  },
  34: {
    "what left is not in the books": "delete from ledger_postings where kind = 'outflow_seen'",
    "what left was taken out of the ledger, and a line tells of it":
      "update movements set place = null where kind = 'outflow'",
    "what left was the bank's fee, and the books do not know":
      "update movements set kind = 'charge'",
    "a line calls what left the bank's fee":
      "update statement_lines set outcome = 'charge' where outcome = 'outflow'",
    "what left was more": `alter table statement_lines
       drop constraint statement_lines_tell_of_movements;
     update movements set amount_minor = amount_minor + 1`,
    "the lines of a movement were lost":
      "delete from statement_lines where movement_id is not null",
    "the operator took more than was booked":
      "update own_moves set amount_minor = amount_minor + 1 where kind = 'withdrawal'",
    "the operator took the fees, and own money was booked":
      "update own_moves set account = 'own' where kind = 'withdrawal'",
    "what was there before is of another size":
      "update own_moves set amount_minor = 7 where kind = 'opening'",
    "what the operator took was lost": "delete from own_moves",
  },
  35: {
    "an event has no position": "delete from event_feed where position = 1",
    "an event waits for a second position":
      "insert into event_feed_queue (event_id, shop_id) select event_id, shop_id from event_feed where shop_id is not null",
    "a position is of no event":
      "update event_feed set event_id = gen_random_uuid() where position = 1",
    "an event is in the feed of another shop": "update event_feed set shop_id = gen_random_uuid()",
    "an event is in the feed of another user": "update event_feed set user_id = gen_random_uuid()",
    "positions will be given once more": "update event_feed_end set position = 0",
  },
  36: {
    "a payout left that nobody has approved": `update payouts set held_reason = 'large', approvals_needed = 1,
       held_until = created_at where state = 'done'`,
    "somebody approved what they had asked for": `update payouts set origin = 'payoff',
       author_id = (select id from operators limit 1) where state = 'done';
     insert into approvals (id, subject_type, subject_id, action, by, person_id, at)
     select gen_random_uuid(), 'payout', id, 'approve', author_id, author_id, created_at
     from payouts where author_id is not null`,
    "approvals can be changed": "drop trigger approvals_are_guarded on approvals",
    "approvals can be removed": "drop trigger approvals_stay on approvals",
    "what needs two can be assigned by one": "drop trigger transfers_need_approvals on transfers",
    "a contradicted attempt can be decided by one":
      "drop trigger contradicted_attempts_need_approvals on payout_attempts",
    "a line that needs two can be booked by one":
      "drop trigger statement_lines_need_approvals on statement_lines",
    "a line was booked by one person": `insert into approvals
       (id, subject_type, subject_id, action, by, person_id, reason, at)
     select gen_random_uuid(), 'statement_line', statement_lines.id, 'book', operator.id, operator.id, 'x', now()
     from statement_lines, (select id from operators limit 1) operator
     where transfer_id is not null limit 1`,
    "a person can approve twice": "drop index approvals_once",
  },
  37: {
    "a destination is not masked": "update payout_destinations set masked = '2200000000000400***'",
    "a rail's words hold a card":
      "update payout_attempts set detail = 'to 2200000000000400 by card'",
    "a line holds a card": "update statement_lines set purpose = 'to 2200000000000400'",
  },
};
