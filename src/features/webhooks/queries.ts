// Every statement that makes events due, and what came of their attempts.

import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";

/** Invoices without events are not in the answer. */
export function lastSequences(
  tx: Tx,
  invoiceIds: readonly string[],
): Promise<{ invoice_id: string; sequence: number }[]> {
  return tx.query(
    `select invoice_id, max(sequence) as sequence from events
     where invoice_id = any($1::uuid[]) group by invoice_id`,
    [invoiceIds],
  );
}

/** The receivers of these shops that something waits for, or did until a moment ago. */
export function waitingReceivers(
  tx: Tx,
  shopIds: readonly string[],
): Promise<{ id: string; shop_id: string }[]> {
  return tx.query("select id, shop_id from receivers where shop_id = any($1::uuid[])", [shopIds]);
}

/**
 * Something is due for these receivers. They are locked in the order of their ids, after everything
 * else, by whoever makes it so.
 */
const NOTE_DUE = `insert into receivers as known (id, shop_id, next_due_at, changed_in)
       select receiver, shop_id, min(next_attempt_at), pg_current_xact_id() from due
       group by receiver, shop_id order by receiver
       on conflict (id) do update
       set next_due_at = least(known.next_due_at, excluded.next_due_at),
           changed_in = excluded.changed_in`;

export interface NewEvent {
  readonly id: string;
  readonly invoiceId: string;
  readonly shopId: string;
  readonly sequence: number;
  readonly body: string;
  readonly hookUrl: string | null;
  readonly receiver: string | null;
}

/** Due at once, unless there is nowhere to send it. */
export async function addEvents(tx: Tx, events: readonly NewEvent[], now: Date): Promise<void> {
  await tx.query(
    `with added as (
       insert into events (id, shop_id, invoice_id, sequence, body, hook_url, receiver, state,
         next_attempt_at, created_at)
       select id, "shopId", "invoiceId", sequence, body, "hookUrl", receiver,
              case when "hookUrl" is null then 'no_address' else 'waiting' end,
              case when "hookUrl" is null then null else $2::timestamptz end, $2
       from json_to_recordset($1) as fresh(id uuid, "shopId" uuid, "invoiceId" uuid,
         sequence integer, body text, "hookUrl" text, receiver uuid)
       returning receiver, shop_id, next_attempt_at
     ), due as (select * from added where receiver is not null)
     ${NOTE_DUE}`,
    [JSON.stringify(events), now],
  );
}

export interface Outcome {
  readonly id: string;
  readonly attempt: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  readonly state: "waiting" | "delivered" | "exhausted";
  readonly nextAttemptAt: Date | null;
}

/**
 * Writes what came of attempts. An attempt that is not its event's newest has lost its lease to
 * another worker: nothing of it is written, and its id is not in the answer.
 */
export async function recordOutcomes(
  db: Queryable,
  outcomes: readonly Outcome[],
): Promise<Set<string>> {
  const written = await db.query<{ id: string }>(
    `with outcomes as (
       select * from json_to_recordset($1) as outcome(id uuid, attempt integer, status integer,
         error text, "durationMs" integer, state text, "nextAttemptAt" timestamptz)
     ), written as (
       update events set state = outcomes.state, next_attempt_at = outcomes."nextAttemptAt"
       from outcomes
       where events.id = outcomes.id and events.attempts = outcomes.attempt
         and events.state = 'waiting'
       returning events.id, events.receiver, events.shop_id, events.next_attempt_at
     ), due as (select * from written where next_attempt_at is not null
     ), noted as (
       ${NOTE_DUE}
     ), logged as (
       update deliveries set status = outcomes.status, error = outcomes.error,
         duration_ms = outcomes."durationMs"
       from outcomes join written on written.id = outcomes.id
       where deliveries.event_id = outcomes.id and deliveries.attempt = outcomes.attempt
     )
     select id from written`,
    [JSON.stringify(outcomes)],
  );
  return new Set(written.map(({ id }) => id));
}

export interface Resendable {
  readonly id: string;
  readonly shop_id: string;
  readonly hook_url: string;
}

/** Those that are over and have an address now, locked: the invoice's own, else what the shop has. */
export function lockResendable(tx: Tx, ids: readonly string[]): Promise<Resendable[]> {
  return tx.query<Resendable>(
    `select event.id, event.shop_id,
            coalesce(invoice.hook_url, shop.hook_url, event.hook_url) as hook_url
     from events event
     join invoices invoice on invoice.id = event.invoice_id
     join shops shop on shop.id = event.shop_id
     where event.id = any($1::uuid[]) and event.next_attempt_at is null
       and coalesce(invoice.hook_url, shop.hook_url, event.hook_url) is not null
     order by event.id for no key update of event`,
    [ids],
  );
}

/** They wait again, with the whole schedule before them. */
export async function resend(
  tx: Tx,
  events: readonly (Resendable & { readonly receiver: string })[],
  now: Date,
): Promise<void> {
  await tx.query(
    `with due as (
       update events set state = 'waiting', next_attempt_at = $2, attempts_before = attempts,
         hook_url = again.hook_url, receiver = again.receiver
       from json_to_recordset($1) as again(id uuid, hook_url text, receiver uuid)
       where events.id = again.id
       returning events.receiver, events.shop_id, events.next_attempt_at
     ) ${NOTE_DUE}`,
    [rowsOf(events), now],
  );
}
