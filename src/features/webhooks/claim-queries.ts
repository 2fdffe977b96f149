// Claiming what is due: whose turn it is, and taking events for one attempt each, with what they are
// signed with. Guards that a claim costs as much as is due, whatever else waits.

import type { Queryable } from "../../platform/db.ts";

/** What an event that cannot be claimed is filed under as failing. */
export const DELIVERIES = "deliver-events";

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
