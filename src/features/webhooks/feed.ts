// One page of a feed, and what says where the next one begins. A cursor is a position with a digest of whose
// feed it is of: a mix-up is told, instead of skipping events. Nothing in it depends on a key or on the
// database, so that it holds after a change of the secret key and after a copy.

import { hash } from "node:crypto";
import { Refusal } from "../../domain/refusal.ts";
import type { Queryable } from "../../platform/db.ts";
import { endOfFeed, eventsAfter, type FeedOwner, placeBefore } from "./feed-queries.ts";

/** Signed, as the database's own: whoever makes a cursor up names no place that it could not read. */
const POSITION_BYTES = 8;
const DIGEST_BYTES = 6;

function cursorOf(owner: FeedOwner, position: bigint): string {
  const bytes = Buffer.alloc(POSITION_BYTES + DIGEST_BYTES);
  bytes.writeBigInt64BE(position);
  hash("sha256", `${owner.kind} ${owner.id} ${position}`, "buffer").copy(bytes, POSITION_BYTES);
  return bytes.toString("base64url");
}

export function positionOf(owner: FeedOwner, cursor: string): bigint {
  const bytes = Buffer.from(cursor, "base64url");
  const position =
    bytes.length === POSITION_BYTES + DIGEST_BYTES ? bytes.readBigInt64BE() : undefined;
  if (position === undefined || cursorOf(owner, position) !== cursor) {
    throw new Refusal("not_a_cursor_of_this_feed");
  }
  return position;
}

export interface FeedWish {
  readonly after?: string | undefined;
  readonly since?: string | undefined;
  readonly limit?: number | undefined;
}

/** What `after` says to go on from the feed's present end. */
export const END = "end";

const DEFAULT_LIMIT = 100;

export async function pageOfFeed(db: Queryable, owner: FeedOwner, wish: FeedWish) {
  const { limit = DEFAULT_LIMIT } = wish;
  const start = await startOf(db, owner, wish);
  // One more than is told: whether there is more.
  const rows = await eventsAfter(db, owner, start, limit + 1);
  const events = rows.slice(0, limit).map(({ position, id, created_at, ...row }) => ({
    event_id: id,
    shop_id: row.shop_id,
    invoice_id: row.invoice_id,
    payout_id: row.payout_id,
    sequence: row.sequence,
    created_at: created_at.toISOString(),
    body: row.body,
    cursor: cursorOf(owner, position),
  }));
  const next = events.at(-1)?.cursor ?? cursorOf(owner, start);
  return { events, next, more: rows.length > limit };
}

async function startOf(db: Queryable, owner: FeedOwner, { after, since }: FeedWish) {
  if (after !== undefined && after !== END) return positionOf(owner, after);
  if (after === undefined && since === undefined) return 0n;
  // Before the other look: what gets a position between the two is found there, or comes after this.
  const end = await endOfFeed(db, owner);
  if (after === END || since === undefined) return end;
  return (await placeBefore(db, owner, new Date(since))) ?? end;
}
