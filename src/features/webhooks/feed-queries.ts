// The feed of events: giving positions to those that have none yet, and reading on from one. Guards that no
// position is ever seen before a lower one, so that who goes on after a position has missed nothing.

import type { Queryable, Tx } from "../../platform/db.ts";

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

export interface PlacedEvent {
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
