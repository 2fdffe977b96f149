// Every statement about events that are due: claims, attempts, receivers. In the outbox `shop_id` is a
// shop, or a user where the event is about a payout.

import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";

export interface OwnerLines {
  /** Where a shop hears of what brought no address along. */
  readonly hook_url: string | null;
  /** Its receivers that something waits for, or did until a moment ago. */
  readonly receivers: readonly string[];
}

/** What new events of these shops and users go on from. */
export async function linesOf(
  tx: Tx,
  ownerIds: readonly string[],
): Promise<Map<string, OwnerLines>> {
  const rows = await tx.query<OwnerLines & { readonly id: string }>(
    `select asked.id, shop.hook_url,
            array(select id from receivers where shop_id = asked.id) as receivers
     from unnest($1::uuid[]) as asked(id)
     left join lateral (select hook_url from shops where id = asked.id limit 1) shop on true`,
    [[...new Set(ownerIds)]],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Something is due for these receivers. They are locked in the order of their ids, after everything
 * else, by whoever makes it so.
 */
const NOTE_DUE = `insert into receivers as known (id, shop_id, next_due_at)
       select receiver, shop_id, min(next_attempt_at) from due
       where next_attempt_at is not null
       group by receiver, shop_id order by receiver
       on conflict (id) do update
       set next_due_at = least(known.next_due_at, excluded.next_due_at)`;

export interface NewEvent {
  readonly id: string;
  readonly invoiceId?: string;
  readonly shopId?: string;
  readonly payoutId?: string;
  readonly userId?: string;
  /** The shop, or the user. */
  readonly ownerId: string;
  readonly sequence: number;
  readonly body: string;
  readonly hookUrl: string | null;
  /** Whether that is the invoice's or payout's, and not the shop's. */
  readonly isOwn: boolean;
  readonly receiver: string | null;
}

/** Due at once, unless there is nowhere to send it. */
export async function addEvents(tx: Tx, events: readonly NewEvent[], now: Date): Promise<void> {
  await tx.query(
    `with fresh as materialized (
       select * from json_to_recordset($1) as fresh(id uuid, "shopId" uuid, "invoiceId" uuid,
         "userId" uuid, "payoutId" uuid, "ownerId" uuid, sequence integer, body text, "hookUrl" text,
         "isOwn" boolean, receiver uuid)
       limit $3
     ), added as (
       insert into events (id, shop_id, invoice_id, user_id, payout_id, sequence, body, hook_url,
         hook_is_own, created_at)
       select id, "shopId", "invoiceId", "userId", "payoutId", sequence, body, "hookUrl", "isOwn", $2
       from fresh
     ), due as (
       insert into outbox (event_id, shop_id, receiver, next_attempt_at)
       select id, "ownerId", receiver, $2 from fresh where receiver is not null
       returning receiver, shop_id, next_attempt_at
     ) ${NOTE_DUE}`,
    [rowsOf(events), now, events.length],
  );
}

export interface AttemptOutcome {
  readonly id: string;
  readonly attempt: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  readonly correctedUrl: string | null;
  readonly state: "waiting" | "delivered" | "exhausted" | "no_address";
  readonly nextAttemptAt: Date | null;
}

/** Its holder is the one of the newest attempt, and that is under way. */
const IS_HELD = `leased_until is not null
         and attempts = ($2::integer[])[array_position($1::uuid[], event_id)]`;

/**
 * Writes what came of attempts: what was delivered, or has no address now, leaves the outbox. An attempt that is not its event's
 * newest has lost its lease to another worker: nothing of it is written, and its id is not in the answer.
 *
 * Rows are found by their ids alone; what belongs to one is looked up by its place in the set.
 */
export async function recordOutcomes(
  db: Queryable,
  outcomes: readonly AttemptOutcome[],
): Promise<Set<string>> {
  const isOver = ({ state }: AttemptOutcome): boolean =>
    state === "delivered" || state === "no_address";
  const written = await db.query<{ id: string }>(
    `with told as (
       delete from outbox where event_id = any($3::uuid[]) and ${IS_HELD}
       returning event_id, attempts, started_at
     ), due as (
       update outbox set leased_until = null,
         next_attempt_at = ($5::timestamptz[])[array_position($1::uuid[], event_id)]
       where event_id = any($4::uuid[]) and ${IS_HELD}
       returning event_id, attempts, started_at, receiver, shop_id, next_attempt_at
     ), noted as (
       ${NOTE_DUE}
     ), written as (
       select event_id, attempts, started_at, array_position($1::uuid[], event_id) as place
       from (select event_id, attempts, started_at from told
             union all select event_id, attempts, started_at from due) ended
     )
     insert into deliveries (event_id, attempt, started_at, status, error, duration_ms,
       corrected_url)
     select event_id, attempts, started_at, ($6::integer[])[place], ($7::text[])[place],
            ($8::integer[])[place], ($9::text[])[place]
     from written
     returning event_id as id`,
    [
      outcomes.map(({ id }) => id),
      outcomes.map(({ attempt }) => attempt),
      outcomes.filter(isOver).map(({ id }) => id),
      outcomes.filter((one) => !isOver(one)).map(({ id }) => id),
      outcomes.map(({ nextAttemptAt }) => nextAttemptAt?.toISOString() ?? null),
      outcomes.map(({ status }) => status),
      outcomes.map(({ error }) => error),
      outcomes.map(({ durationMs }) => durationMs),
      outcomes.map(({ correctedUrl }) => correctedUrl),
    ],
  );
  return new Set(written.map(({ id }) => id));
}

interface Resendable {
  readonly id: string;
  readonly owner_id: string;
  readonly hook_url: string;
}

/**
 * Those that have an address now, locked, so that nobody else sends them again meanwhile: the invoice's or
 * payout's own, else what the shop has.
 */
export function lockResendable(tx: Tx, ids: readonly string[]): Promise<Resendable[]> {
  return tx.query<Resendable>(
    `select * from (
       select event.id, coalesce(event.shop_id, event.user_id) as owner_id,
              address_of(event.hook_url, event.hook_is_own, shop.hook_url) as hook_url
       from events event left join shops shop on shop.id = event.shop_id
       where event.id = any($1::uuid[]) and event.body is not null
       order by event.id for no key update of event) event
     where hook_url is not null`,
    [ids],
  );
}

/** Those that are over wait again, with the whole schedule before them; the answer is their ids. */
export async function resend(
  tx: Tx,
  events: readonly (Resendable & { readonly receiver: string })[],
  now: Date,
): Promise<string[]> {
  const rows = await tx.query<{ event_id: string }>(
    `with due as (
       insert into outbox as work (event_id, shop_id, receiver, attempts, attempts_before,
         next_attempt_at)
       select again.id, owner_id, receiver, made.attempts, made.attempts, $2
       from json_to_recordset($1) as again(id uuid, owner_id uuid, receiver uuid)
       cross join lateral (
         select greatest((select max(attempt) from deliveries where event_id = again.id),
                         (select attempts_removed from events where id = again.id)) as attempts) made
       where not exists (select from outbox
                         where event_id = again.id and next_attempt_at is not null)
       on conflict (event_id) do update
       set receiver = excluded.receiver, attempts_before = work.attempts,
           next_attempt_at = excluded.next_attempt_at
       returning event_id, receiver, shop_id, next_attempt_at
     ), noted as (${NOTE_DUE})
     select event_id from due order by event_id`,
    [rowsOf(events), now],
  );
  return rows.map(({ event_id }) => event_id);
}

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

interface TurnWish {
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
