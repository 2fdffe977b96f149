// Statements about recorded events: lists, deliveries, the feed with its positions, and removal of old ones.
// Removal locks rows first and judges them in a later statement, which sees the latest version.

import type { Queryable, Tx } from "../../platform/db.ts";
import type { RowOf, Ways } from "../operators/noun.ts";
import { Deliveries, EXHAUSTED } from "./nouns.ts";

interface EventFilter {
  readonly shop_id?: string | undefined;
  readonly invoice_id?: string | undefined;
  readonly payout_id?: string | undefined;
  readonly state?: string | undefined;
  readonly had_address?: boolean | undefined;
}

/** As hook_facts counts them: by what stood there then. */
function byAddress(id: string, { had_address: had }: EventFilter) {
  if (had === undefined) return {};
  return { [`(select hook_url from events where id = ${id}) is ${had ? "not " : ""}null`]: true };
}

export function waysToEvents(filter: EventFilter): Ways {
  const { shop_id, invoice_id, payout_id, state } = filter;
  const leads = { shop_id };
  const isOfOne = invoice_id !== undefined || payout_id !== undefined;
  if (state === "exhausted" && !isOfOne)
    return { ...EXHAUSTED, leads, filters: byAddress("row.event_id", filter) };
  const filters = {
    "(select state from event_states where event_id = row.id) = ?": state,
    ...byAddress("row.id", filter),
  };
  return { by: { invoice_id, payout_id }, leads, filters };
}

interface OwnEventFilter extends Omit<EventFilter, "shop_id"> {
  readonly about: "invoices" | "payouts";
  readonly userId: string;
  readonly shopIds: readonly string[];
}

/** Of the shops of one merchant, or of their payouts; nothing of anybody else's. */
export function waysToOwnEvents(filter: OwnEventFilter): Ways {
  const { about, userId, shopIds, invoice_id, payout_id, state } = filter;
  const each =
    about === "payouts"
      ? { column: "user_id", ids: [userId] }
      : { column: "shop_id", ids: shopIds };
  if (state === "exhausted" && invoice_id === undefined && payout_id === undefined) {
    // There a user's own stand under the name of a shop, too.
    const filters = byAddress("row.event_id", filter);
    return { ...EXHAUSTED, each: { ...each, column: "shop_id" }, filters };
  }
  return { ...waysToEvents({ ...filter, shop_id: undefined }), each };
}

export function deliveriesOf(db: Queryable, eventId: string): Promise<RowOf<typeof Deliveries>[]> {
  return db.query(
    `select ${Deliveries.columns} from attempts row where event_id = $1 order by attempt`,
    [eventId],
  );
}

const HAS_BODY = "body is not null and is_delivered(events)";
const HAS_ATTEMPTS = `exists (select from deliveries where event_id = events.id)
       and is_delivered(events)`;

/** Of these events those that nobody else is at. None is locked without a reason: a lock is a write. */
async function lockEvents(tx: Tx, ids: readonly string[], reason: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select id from events where id = any($1::uuid[]) and ${reason}
     order by id for no key update skip locked`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

/** Of these the bodies of those that were delivered; the status that they told stays. */
export async function removeBodies(tx: Tx, ids: readonly string[]): Promise<number> {
  const locked = await lockEvents(tx, ids, HAS_BODY);
  if (locked.length === 0) return 0;
  const gone = await tx.query(
    `update events set status = body::json ->> 'status', body = null
     where id = any($1::uuid[]) and ${HAS_BODY}
     returning id`,
    [locked],
  );
  return gone.length;
}

/** The attempts of those that were delivered before the moment; how many there were stays. */
export async function removeDeliveries(
  tx: Tx,
  ids: readonly string[],
  before: Date,
): Promise<number> {
  const locked = await lockEvents(tx, ids, HAS_ATTEMPTS);
  if (locked.length === 0) return 0;
  const settled = await tx.query<{ id: string }>(
    `update events set attempts_removed = made.attempts
     from (select event_id, max(attempt) as attempts from deliveries
           where event_id = any($1::uuid[])
           group by event_id having max(started_at) < $2) made
     where events.id = made.event_id and is_delivered(events)
     returning events.id`,
    [locked, before],
  );
  return removeAttempts(tx, settled);
}

async function removeAttempts(tx: Tx, events: readonly { id: string }[]): Promise<number> {
  const gone = await tx.query(
    "delete from deliveries where event_id = any($1::uuid[]) returning event_id",
    [events.map(({ id }) => id)],
  );
  return gone.length;
}

/** Who goes on from the place of one of them goes on from there. */
async function removeFromFeed(tx: Tx, events: readonly { id: string }[]): Promise<void> {
  const ids = events.map(({ id }) => id);
  await tx.query("delete from event_feed_queue where event_id = any($1::uuid[])", [ids]);
  await tx.query("delete from event_feed where event_id = any($1::uuid[])", [ids]);
}

/**
 * Everything that was told of these invoices. The answer is those of which nothing is left; where a shop was
 * not told, because it still waits or nobody answered there, everything stays: it can be sent again.
 */
export async function removeEventsOf(tx: Tx, invoiceIds: readonly string[]): Promise<string[]> {
  if (invoiceIds.length === 0) return [];
  await tx.query("select from events where invoice_id = any($1::uuid[]) order by id for update", [
    invoiceIds,
  ]);
  const waiting = await tx.query<{ id: string }>(
    `select event.invoice_id as id from events event join outbox work on work.event_id = event.id
     where event.invoice_id = any($1::uuid[])`,
    [invoiceIds],
  );
  const kept = new Set(waiting.map(({ id }) => id));
  const quiet = invoiceIds.filter((id) => !kept.has(id));
  const gone = await tx.query<{ id: string }>(
    "delete from events where invoice_id = any($1::uuid[]) returning id",
    [quiet],
  );
  await removeAttempts(tx, gone);
  await removeFromFeed(tx, gone);
  return quiet;
}

/** Whose feed: a shop's own, or that of a user: what all their shops are told, and they themselves. */
export interface FeedOwner {
  readonly kind: "shop" | "user";
  readonly id: string;
}

export async function isAnyQueued(db: Queryable): Promise<boolean> {
  const rows = await db.query(
    `select where exists (select from event_feed_queue)
               or exists (select from user_event_feed_queue)`,
    [],
  );
  return rows.length > 0;
}

/** The last position that was given; undefined where somebody else is giving some. */
export async function lockEnd(tx: Tx): Promise<bigint | undefined> {
  const [end] = await tx.query<{ position: bigint }>(
    "select position from event_feed_end for update skip locked",
    [],
  );
  return end?.position;
}

/** So many of those that wait longest, for shops and for users, get positions after this one; the answer is how many did. */
export async function placeEvents(tx: Tx, end: bigint, limit: number, now: Date): Promise<number> {
  const [placed] = await tx.query<{ taken: number }>(
    `with taken as (
       delete from event_feed_queue
       where id = any(array(select id from event_feed_queue order by id limit $2))
       returning id, event_id, shop_id
     ), taken_of_users as (
       delete from user_event_feed_queue
       where id = any(array(select id from user_event_feed_queue order by id limit $2))
       returning id, event_id, user_id
     ), placed as (
       insert into event_feed (event_id, shop_id, user_id, position, placed_at)
       select event_id, shop_id, user_id, $1::bigint + row_number() over (order by id), $3
       from (select taken.id, event_id, shop_id, shop.user_id from taken
             cross join lateral (select user_id from shops where id = taken.shop_id limit 1) shop
             union all select id, event_id, null, user_id from taken_of_users) owned
       on conflict (event_id) do nothing
     ), counted as (
       select (select count(*) from taken) + (select count(*) from taken_of_users) as taken
     )
     update event_feed_end set position = $1::bigint + counted.taken from counted
     returning counted.taken::integer as taken`,
    [end, limit, now],
  );
  return placed?.taken ?? 0;
}

interface PlacedEvent {
  readonly position: bigint;
  readonly id: string;
  readonly shop_id: string | null;
  readonly invoice_id: string | null;
  readonly payout_id: string | null;
  readonly sequence: number;
  readonly created_at: Date;
  readonly body: string | null;
}

/** The column by which an owner's part of the feed is found. */
const OWNED_BY = { shop: "shop_id", user: "user_id" } as const;

export function eventsAfter(
  db: Queryable,
  { kind, id }: FeedOwner,
  after: bigint,
  limit: number,
): Promise<PlacedEvent[]> {
  const owner = OWNED_BY[kind];
  return db.query<PlacedEvent>(
    `select feed.position, event.*
     from (select ${owner}, position, event_id from event_feed
           where ${owner} = $1 and position > $2 order by ${owner}, position limit $3) feed
     cross join lateral (
       select id, shop_id, invoice_id, payout_id, sequence, created_at, body
       from events where id = feed.event_id limit 1) event
     order by feed.position`,
    [id, after, limit],
  );
}

/** Where an owner's feed ends at this moment; 0 where nothing is in it. */
export async function endOfFeed(db: Queryable, { kind, id }: FeedOwner): Promise<bigint> {
  const owner = OWNED_BY[kind];
  const [last] = await db.query<{ position: bigint }>(
    `select position from event_feed where ${owner} = $1
     order by ${owner} desc, position desc limit 1`,
    [id],
  );
  return last?.position ?? 0n;
}

/** So far may the clocks of two gateways be apart. */
const CLOCKS_APART = "interval '5 seconds'";

/**
 * The position before an owner's first event of a moment or later; undefined where there is none. An event is placed
 * after it was made: what was placed before the moment is no such event.
 */
export async function placeBefore(
  db: Queryable,
  { kind, id }: FeedOwner,
  since: Date,
): Promise<bigint | undefined> {
  const owner = OWNED_BY[kind];
  const [first] = await db.query<{ position: bigint }>(
    `select feed.position - 1 as position
     from (select position, event_id from event_feed
           where ${owner} = $1 and position > coalesce((
             select position from event_feed where placed_at < $2::timestamptz - ${CLOCKS_APART}
             order by placed_at desc limit 1), 0)
           order by ${owner}, position) feed
     cross join lateral (select created_at from events where id = feed.event_id limit 1) event
     where created_at >= $2
     order by feed.position limit 1`,
    [id, since],
  );
  return first?.position;
}

/** Of those who wait for something after a position, those who have it now, by their places in the list. */
export async function whoHasMore(
  db: Queryable,
  waiting: readonly { readonly owner: FeedOwner; readonly after: bigint }[],
): Promise<number[]> {
  const rows = await db.query<{ place: number }>(
    `select place::integer - 1 as place
     from unnest($1::text[], $2::uuid[], $3::bigint[]) with ordinality as waiting(kind, id, after, place)
     where case kind
       when 'shop' then exists (select from event_feed where shop_id = id and position > after)
       else exists (select from event_feed where user_id = id and position > after) end`,
    [
      waiting.map(({ owner }) => owner.kind),
      waiting.map(({ owner }) => owner.id),
      waiting.map(({ after }) => after),
    ],
  );
  return rows.map(({ place }) => place);
}
