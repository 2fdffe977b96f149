// Every statement about events, their deliveries and what they are signed with.

import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";

/** What an event that cannot be claimed is filed under as failing. */
export const DELIVERIES = "deliver-events";

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

/** Whose turn it may be, and what is due for them. */
export interface Turn {
  readonly receiver: string;
  readonly shop_id: string;
  readonly user_id: string;
  /** As it was when this was read. */
  readonly changed_in: string;
  readonly event_ids: readonly string[];
}

export interface TurnWish {
  /** Events whose moment is this or earlier. */
  readonly dueBy: Date;
  readonly limit: number;
  readonly limitPerReceiver: number;
  /** Who may have nothing more at the moment. */
  readonly full: {
    readonly receivers: readonly string[];
    readonly shops: readonly string[];
  };
  /** Events that this process has under way; time may have been moved past their leases. */
  readonly underWay: readonly string[];
}

/**
 * The receivers that something is due for, the one that has waited longest first; and those that turn
 * out to have nothing due, to be moved on. It costs as much as there are of these: nothing is read of a
 * receiver that waits for a later moment.
 */
export function findTurns(db: Queryable, wish: TurnWish): Promise<Turn[]> {
  const { dueBy, limit, limitPerReceiver, full, underWay } = wish;
  return db.query<Turn>(
    `select turn.*, due.event_ids
     from (select receiver.id as receiver, receiver.shop_id, receiver.changed_in::text, shop.user_id
           from receivers receiver join shops shop on shop.id = receiver.shop_id
           where receiver.next_due_at <= $1 and receiver.id <> all($4::uuid[])
             and receiver.shop_id <> all($5::uuid[])
           order by receiver.next_due_at
           limit $2 + cardinality($6::uuid[])
             + (select count(*) from failing_rows where kind = '${DELIVERIES}')) turn
     cross join lateral (
       select array(select event.id from events event
                    where event.state = 'waiting' and event.receiver = turn.receiver
                      and event.next_attempt_at <= $1 and event.id <> all($6::uuid[])
                      and not exists (select from failing_rows failing
                                      where failing.kind = '${DELIVERIES}'
                                        and failing.id = event.id and failing.next_try_at > $1)
                    order by event.next_attempt_at limit $3) as event_ids) due
     where cardinality(due.event_ids) > 0
       or not exists (select from events event
                      where event.state = 'waiting' and event.receiver = turn.receiver
                        and event.next_attempt_at <= $1)
     limit $2`,
    [dueBy, limit, limitPerReceiver, full.receivers, full.shops, underWay],
  );
}

export interface Claim {
  readonly dueBy: Date;
  readonly startedAt: Date;
  readonly leaseEndsAt: Date;
  readonly eventIds: readonly string[];
  /** Those that were looked at, whether or not something of theirs is claimed. */
  readonly turns: readonly Turn[];
}

export interface ClaimedEvent {
  readonly id: string;
  readonly shop_id: string;
  readonly receiver: string;
  readonly hook_url: string;
  readonly body: string;
  readonly attempt: number;
  /** Which attempt of the schedule this is. */
  readonly turn: number;
  /** Whether claiming it has failed before. */
  readonly was_failing: boolean;
  readonly key_sealed: Buffer | null;
  readonly secret_sealed: Buffer | null;
}

/**
 * Claims events for one attempt each, opens its row in the log, and moves the receivers on to what is
 * due for them next. A receiver for which something was added since it was read, or is being added,
 * stays as it is and is looked at again: what was added cannot be seen here.
 *
 * The address is the invoice's own, else what the shop has now.
 */
export function claimEvents(db: Queryable, claim: Claim): Promise<ClaimedEvent[]> {
  return db.query<ClaimedEvent>(
    `with due as (
       select id from events where id = any($4::uuid[]) and next_attempt_at <= $1
       for no key update skip locked
     ), claimed as (
       update events set attempts = attempts + 1, next_attempt_at = $3,
         hook_url = coalesce(invoice.hook_url, shop.hook_url, events.hook_url)
       from due, invoices invoice, shops shop
       where events.id = due.id and invoice.id = events.invoice_id and shop.id = events.shop_id
       returning events.id, events.shop_id, events.receiver, events.hook_url, events.body,
                 events.attempts as attempt, events.attempts - events.attempts_before as turn
     ), logged as (
       insert into deliveries (event_id, attempt, started_at)
       select id, attempt, $2 from claimed
     ), seen as materialized (
       select id from receivers
       where id = any($5::uuid[]) and changed_in::text = $6::json ->> id::text
       order by id for no key update skip locked
     ), next as materialized (
       select seen.id, least(
         (select event.next_attempt_at from events event
          where event.state = 'waiting' and event.receiver = seen.id
            and event.id not in (select id from claimed)
          order by event.next_attempt_at limit 1),
         (select $3::timestamptz from claimed where claimed.receiver = seen.id limit 1)) as at
       from seen
     ), moved as (
       update receivers set next_due_at = next.at from next
       where receivers.id = next.id and receivers.next_due_at <> next.at
     ), removed as (
       delete from receivers using next where receivers.id = next.id and next.at is null
     )
     select claimed.*, keys.key_sealed, keys.secret_sealed,
            exists (select from failing_rows failing
                    where failing.kind = '${DELIVERIES}' and failing.id = claimed.id) as was_failing
     from claimed left join webhook_keys keys on keys.shop_id = claimed.shop_id`,
    [
      claim.dueBy,
      claim.startedAt,
      claim.leaseEndsAt,
      claim.eventIds,
      claim.turns.map(({ receiver }) => receiver),
      JSON.stringify(Object.fromEntries(claim.turns.map((one) => [one.receiver, one.changed_in]))),
    ],
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

/** The moment at which the next event may be claimed, but for those that claiming has failed on. */
export async function nextClaimAt(
  db: Queryable,
  underWay: readonly string[],
): Promise<Date | undefined> {
  const [row] = await db.query<{ next_attempt_at: Date | null }>(
    `select min(oldest.next_attempt_at) as next_attempt_at
     from receivers cross join lateral (
       select event.next_attempt_at from events event
       where event.state = 'waiting' and event.receiver = receivers.id
         and event.id <> all($1::uuid[])
         and not exists (select from failing_rows failing
                         where failing.kind = '${DELIVERIES}' and failing.id = event.id)
       order by event.next_attempt_at limit 1) oldest`,
    [underWay],
  );
  return row?.next_attempt_at ?? undefined;
}
