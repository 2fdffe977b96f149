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
  readonly body: string;
}

interface EventFilter {
  readonly shopId: string | undefined;
  readonly invoiceId: string | undefined;
  readonly state: EventState | undefined;
}

export function listEvents(
  db: Queryable,
  wish: PageWish,
  { shopId, invoiceId, state }: EventFilter,
): Promise<Page<EventView>> {
  // What is exhausted is little, and has an index of its own.
  const isExhausted = state === "exhausted";
  return page<EventView>(db, wish, {
    columns: "row.*",
    from: "events",
    by: { "invoice_id = ?": invoiceId, "state = 'exhausted'": isExhausted ? true : undefined },
    leads: { shop_id: shopId },
    filters: { "state = ?": isExhausted ? undefined : state },
  });
}

export async function findEvent(db: Queryable, id: string): Promise<EventView | undefined> {
  const [row] = await db.query<EventView>("select * from events where id = $1", [id]);
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
    `select attempt, started_at, status, error, duration_ms from deliveries
     where event_id = $1 order by attempt`,
    [eventId],
  );
}
