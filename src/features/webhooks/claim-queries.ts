// Claiming what is due: whose turn it is, and taking events for one attempt each, with what they are
// signed with. Guards that a claim costs as much as is due, whatever else waits.

import type { Queryable } from "../../platform/db.ts";

/** What an event that cannot be told is filed under as failing. */
export const DELIVERIES = "deliver-events";

/**
 * Of a row of the outbox: it can be taken at $1, being due and in nobody's hands. Said so that no index
 * can serve it: mostly the table is nearly empty when it is analysed, all ways into it look alike then,
 * and beside a key this must not become one of them.
 */
const IS_FREE = "greatest(next_attempt_at, leased_until) <= $1";

/** Whose turn it may be, and what can be taken for them. */
export interface Turn {
  readonly receiver: string;
  /** The shop, or the user where it is about payouts. */
  readonly owner_id: string;
  readonly user_id: string;
  /** Of the receiver's row, as it was when this was read. */
  readonly version: string;
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
    readonly owners: readonly string[];
  };
  /** Events that this process has under way; time may have been moved past their leases. */
  readonly underWay: readonly string[];
}

/**
 * The receivers that something is due for, the one that has waited longest first; also those for which
 * nothing can be taken, to be moved on. It costs as much as there are of these: nothing is read of a
 * receiver that waits for a later moment, and of one that is due only the head of its line.
 */
export function findTurns(db: Queryable, wish: TurnWish): Promise<Turn[]> {
  const { dueBy, limit, limitPerReceiver, full, underWay } = wish;
  return db.query<Turn>(
    `select turn.*,
            coalesce((select user_id from shops where id = turn.owner_id), turn.owner_id) as user_id,
            array(select event_id from outbox
                  where receiver = turn.receiver and next_attempt_at <= $1 and ${IS_FREE}
                    and event_id <> all($6::uuid[])
                    and (select next_try_at > $1 from failing_rows
                         where kind = '${DELIVERIES}' and id = event_id) is not true
                  order by next_attempt_at limit $3) as event_ids
     from (select id as receiver, shop_id as owner_id, xmin::text as version from receivers
           where next_due_at <= $1 and id <> all($4::uuid[]) and shop_id <> all($5::uuid[])
           order by next_due_at limit $2 + cardinality($6::uuid[])) turn`,
    [dueBy, limit, limitPerReceiver, full.receivers, full.owners, underWay],
  );
}

export interface EventClaim {
  readonly dueBy: Date;
  readonly startedAt: Date;
  readonly leaseEndsAt: Date;
  readonly eventIds: readonly string[];
  /** Those that nothing can be taken for. */
  readonly idle: readonly Turn[];
}

export interface ClaimedEvent {
  readonly id: string;
  /** The shop, or the user where it is about a payout. */
  readonly owner_id: string;
  readonly is_of_shop: boolean;
  readonly body: string;
  /** Where it goes now. */
  readonly url: string | null;
  /** The same, where that differs from the event's. */
  readonly corrected_url: string | null;
  readonly attempt: number;
  /** Which attempt of the schedule this is. */
  readonly turn: number;
  /** Whether telling it has failed before. */
  readonly was_failing: boolean;
  readonly key_sealed: Buffer | null;
  readonly secret_sealed: Buffer | null;
  /** Those before the last rotation, and until when they sign, too. */
  readonly old_key_sealed: Buffer | null;
  readonly old_secret_sealed: Buffer | null;
  readonly old_until: Date | null;
}

/**
 * Claims events for one attempt each. One that somebody had claimed before, and never said what came of
 * it, has that attempt written down first. The address is the invoice's or payout's own, else what the
 * shop has now.
 *
 * Receivers that nothing can be taken for are moved on to the moment at which something can, or away. One
 * for which something was added since it was read, or is being added, stays as it is and is looked at
 * again: what was added cannot be seen here.
 *
 * What is locked is found again by its place: the plan cannot become a reading of the whole table.
 */
export function claimEvents(db: Queryable, claim: EventClaim): Promise<ClaimedEvent[]> {
  return db.query<ClaimedEvent>(
    `with free as materialized (
       select ctid, event_id, attempts, started_at, leased_until from outbox
       where event_id = any($4::uuid[]) and ${IS_FREE}
       for no key update skip locked
     ), claimed as (
       update outbox set attempts = attempts + 1, started_at = $2, leased_until = $3
       where ctid = any(array(select ctid from free))
       returning event_id, shop_id, attempts, attempts - attempts_before as turn
     ), cut_off as (
       insert into deliveries (event_id, attempt, started_at)
       select event_id, attempts, started_at from free where leased_until is not null
     ), idle as materialized (
       select ctid, id, next_due_at from receivers
       where id = any($5::uuid[])
         and xmin::text = ($6::text[])[array_position($5::uuid[], id)]
       order by id for no key update skip locked
     ), next as materialized (
       select idle.ctid, id, next_due_at, least(
         (select min(greatest(next_attempt_at, leased_until, (
                   select next_try_at from failing_rows
                   where kind = '${DELIVERIES}' and failing_rows.id = event_id)))
          from (select event_id, next_attempt_at, leased_until from outbox
                where receiver = idle.id and next_attempt_at <= $1
                order by next_attempt_at offset 0) line),
         (select next_attempt_at from outbox where receiver = idle.id and next_attempt_at > $1
          order by next_attempt_at limit 1)) as at
       from idle
     ), moved as (
       update receivers set next_due_at = (select at from next where next.id = receivers.id)
       where ctid = any(array(select ctid from next where at > next_due_at))
     ), removed as (
       delete from receivers where ctid = any(array(select ctid from next where at is null))
     )
     select claimed.event_id as id, claimed.shop_id as owner_id,
            shop.id is not null as is_of_shop, claimed.attempts as attempt, claimed.turn,
            event.body, address.url, nullif(address.url, event.hook_url) as corrected_url,
            keys.key_sealed, keys.secret_sealed, keys.old_key_sealed, keys.old_secret_sealed,
            keys.old_until,
            exists (select from failing_rows failing where failing.kind = '${DELIVERIES}'
                      and failing.id = claimed.event_id) as was_failing
     from claimed
     cross join lateral (select body, hook_url, hook_is_own from events
                         where id = claimed.event_id limit 1) event
     left join shops shop on shop.id = claimed.shop_id
     cross join lateral address_of(event.hook_url, event.hook_is_own, shop.hook_url) address(url)
     left join webhook_keys keys on keys.shop_id = claimed.shop_id`,
    [
      claim.dueBy,
      claim.startedAt,
      claim.leaseEndsAt,
      claim.eventIds,
      claim.idle.map(({ receiver }) => receiver),
      claim.idle.map(({ version }) => version),
    ],
  );
}

/** Neither among these nor something that telling has failed on. */
const isOther = (ids: string): string => `event_id <> all(${ids}::uuid[])
       and not exists (select from failing_rows failing
                       where failing.kind = '${DELIVERIES}' and failing.id = event_id)`;

/** Whether something can be taken now that is not under way here, nor failing. */
export async function isAnythingDue(
  db: Queryable,
  dueBy: Date,
  underWay: readonly string[],
): Promise<boolean> {
  const rows = await db.query(
    `select from receivers
     where next_due_at <= $1
       and exists (select from outbox
                   where receiver = receivers.id and next_attempt_at <= $1 and ${IS_FREE}
                     and ${isOther("$2")})
     limit 1`,
    [dueBy, underWay],
  );
  return rows.length > 0;
}

/** The moment at which the next event may be claimed, but for those that telling has failed on. */
export async function nextClaimAt(
  db: Queryable,
  underWay: readonly string[],
): Promise<Date | undefined> {
  const [row] = await db.query<{ at: Date | null }>(
    `select min(greatest(next_attempt_at, leased_until)) as at from outbox
     where next_attempt_at is not null and ${isOther("$1")}`,
    [underWay],
  );
  return row?.at ?? undefined;
}
