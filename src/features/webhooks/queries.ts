// Every statement about events, their deliveries and what they are signed with.

import type { Queryable, Tx } from "../../platform/db.ts";

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
    `insert into events (id, shop_id, invoice_id, sequence, body, hook_url, receiver, state,
       next_attempt_at, created_at)
     select id, "shopId", "invoiceId", sequence, body, "hookUrl", receiver,
            case when "hookUrl" is null then 'no_address' else 'waiting' end,
            case when "hookUrl" is null then null else $2::timestamptz end, $2
     from json_to_recordset($1) as fresh(id uuid, "shopId" uuid, "invoiceId" uuid,
       sequence integer, body text, "hookUrl" text, receiver text)`,
    [JSON.stringify(events), now],
  );
}

export interface Claim {
  /** Events whose moment is this or earlier. */
  readonly dueBy: Date;
  readonly startedAt: Date;
  readonly leaseEndsAt: Date;
  readonly limit: number;
  readonly limitPerReceiver: number;
  /** How many more the receivers may get that have attempts under way already. */
  readonly busy: readonly { readonly receiver: string; readonly free: number }[];
  /** Shops that have as many attempts under way as one shop may have. */
  readonly fullShops: readonly string[];
  /** Events that this process has under way; time may have been moved past their leases. */
  readonly underWay: readonly string[];
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
  readonly key_sealed: Buffer | null;
  readonly secret_sealed: Buffer | null;
}

/**
 * The receivers that something waits for, and a null at the end. The walk goes from receiver to
 * receiver through the index, not from event to event, so that ten thousand events of a dead receiver
 * cost as much as one.
 */
const RECEIVERS = `receivers as (
  (select receiver from events where state = 'waiting' order by receiver limit 1)
  union all
  select (select event.receiver from events event
          where event.state = 'waiting' and event.receiver > receivers.receiver
          order by event.receiver limit 1)
  from receivers where receivers.receiver is not null)`;

/**
 * Claims events for one attempt each and opens its row in the log; the receiver that has waited
 * longest comes first.
 */
export function claimDueEvents(db: Queryable, claim: Claim): Promise<ClaimedEvent[]> {
  return db.query<ClaimedEvent>(
    `with recursive ${RECEIVERS}, turns as (
       select receivers.receiver, coalesce(busy.free, $5) as free
       from receivers
       left join json_to_recordset($6) as busy(receiver text, free integer)
         on busy.receiver = receivers.receiver
       cross join lateral (
         select event.next_attempt_at from events event
         where event.state = 'waiting' and event.receiver = receivers.receiver
         order by event.next_attempt_at limit 1) oldest
       where oldest.next_attempt_at <= $1 and coalesce(busy.free, $5) > 0
       order by oldest.next_attempt_at
     ), due as (
       select chosen.id
       from turns cross join lateral (
         select event.id from events event
         where event.state = 'waiting' and event.receiver = turns.receiver
           and event.next_attempt_at <= $1
           and event.shop_id <> all($7::uuid[]) and event.id <> all($8::uuid[])
         order by event.next_attempt_at limit turns.free
         for no key update skip locked) chosen
       limit $4
     ), claimed as (
       update events set attempts = attempts + 1, next_attempt_at = $3
       from due where events.id = due.id
       returning events.id, events.shop_id, events.receiver, events.hook_url, events.body,
                 events.attempts as attempt, events.attempts - events.attempts_before as turn
     ), logged as (
       insert into deliveries (event_id, attempt, started_at)
       select id, attempt, $2 from claimed
     )
     select claimed.*, keys.key_sealed, keys.secret_sealed
     from claimed left join webhook_keys keys on keys.shop_id = claimed.shop_id`,
    [
      claim.dueBy,
      claim.startedAt,
      claim.leaseEndsAt,
      claim.limit,
      claim.limitPerReceiver,
      JSON.stringify(claim.busy),
      claim.fullShops,
      claim.underWay,
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
       returning events.id
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

/** The ids of those that were delivered or exhausted, and now wait again. */
export async function resend(tx: Tx, ids: readonly string[], now: Date): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `update events set state = 'waiting', next_attempt_at = $2, attempts_before = attempts
     where id = any($1::uuid[]) and state in ('delivered', 'exhausted')
     returning id`,
    [ids, now],
  );
  return rows.map(({ id }) => id);
}

/** The moment at which the next event may be claimed. */
export async function nextClaimAt(
  db: Queryable,
  underWay: readonly string[],
): Promise<Date | undefined> {
  const [row] = await db.query<{ next_attempt_at: Date | null }>(
    `with recursive ${RECEIVERS}
     select min(oldest.next_attempt_at) as next_attempt_at
     from receivers cross join lateral (
       select event.next_attempt_at from events event
       where event.state = 'waiting' and event.receiver = receivers.receiver
         and event.id <> all($1::uuid[])
       order by event.next_attempt_at limit 1) oldest`,
    [underWay],
  );
  return row?.next_attempt_at ?? undefined;
}
