// Reading events and their deliveries for whoever manages the gateway.

import type { Queryable } from "../../platform/db.ts";
import { type Page, type PageWish, page } from "../../platform/db-page.ts";

export const EVENT_STATES = ["waiting", "delivered", "exhausted", "no_address"] as const;
type EventState = (typeof EVENT_STATES)[number];

export interface EventView {
  readonly id: string;
  readonly shop_id: string;
  readonly invoice_id: string;
  readonly sequence: number;
  readonly state: EventState;
  readonly hook_url: string | null;
  readonly attempts: number;
  readonly next_attempt_at: Date | null;
  readonly created_at: Date;
  /** Null once it was removed. */
  readonly body: string | null;
  readonly attempts_removed: number;
}

interface EventFilter {
  readonly shopId: string | undefined;
  readonly invoiceId: string | undefined;
  readonly state: EventState | undefined;
}

const VIEW = `event.id, event.shop_id, event.invoice_id, event.sequence, event.body,
            event.attempts_removed, event.created_at, told.state, told.attempts, told.next_attempt_at, told.hook_url`;
const TOLD = "join event_states told on told.event_id = event.id";

export function listEvents(
  db: Queryable,
  wish: PageWish,
  { shopId, invoiceId, state }: EventFilter,
): Promise<Page<EventView>> {
  // What is exhausted is little, and has an index of its own.
  if (state === "exhausted" && invoiceId === undefined) {
    return page<EventView>(db, wish, {
      columns: VIEW,
      from: "outbox",
      join: `join events event on event.id = row.event_id ${TOLD}`,
      by: { "next_attempt_at is null": true },
      leads: { shop_id: shopId },
      key: ["event_id"],
    });
  }
  return page<EventView>(db, wish, {
    columns: VIEW,
    from: "events",
    join: `join events event on event.id = row.id ${TOLD}`,
    by: { "invoice_id = ?": invoiceId },
    leads: { shop_id: shopId },
    filters: { "(select state from event_states where event_id = row.id) = ?": state },
  });
}

export async function findEvent(db: Queryable, id: string): Promise<EventView | undefined> {
  const [row] = await db.query<EventView>(
    `select ${VIEW} from events event ${TOLD} where event.id = $1`,
    [id],
  );
  return row;
}

export interface DeliveryView {
  readonly attempt: number;
  readonly started_at: Date;
  readonly status: number | null;
  readonly error: string | null;
  readonly duration_ms: number | null;
}

export function deliveriesOf(db: Queryable, eventId: string): Promise<DeliveryView[]> {
  return db.query<DeliveryView>(
    `select attempt, started_at, status, error, duration_ms from attempts
     where event_id = $1 order by attempt`,
    [eventId],
  );
}
