// The ways into the events, and their deliveries, for whoever manages the gateway; and removing what is left of
// events that were delivered long ago. Of those rows are locked first and judged in a later statement: one
// that waits for a lock, or takes it, goes on with what it saw before.

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
