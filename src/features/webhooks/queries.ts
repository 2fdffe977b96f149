// Every statement that makes events due, and what came of their attempts. In the outbox and of receivers
// `shop_id` says whose they are: a shop, or a user where the event is about a payout.

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

export interface Resendable {
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
