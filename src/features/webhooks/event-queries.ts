// The ways into the events, and their deliveries, for whoever manages the gateway.

import type { Queryable } from "../../platform/db.ts";
import type { RowOf, Ways } from "../operators/noun.ts";
import { Deliveries, EXHAUSTED } from "./nouns.ts";

interface EventFilter {
  readonly shop_id?: string;
  readonly invoice_id?: string;
  readonly state?: string;
}

export function waysToEvents({ shop_id, invoice_id, state }: EventFilter): Ways {
  const leads = { shop_id };
  if (state === "exhausted" && invoice_id === undefined) return { ...EXHAUSTED, leads };
  const filters = { "(select state from event_states where event_id = row.id) = ?": state };
  return { by: { invoice_id }, leads, filters };
}

export function deliveriesOf(db: Queryable, eventId: string): Promise<RowOf<typeof Deliveries>[]> {
  return db.query(
    `select ${Deliveries.columns} from attempts row where event_id = $1 order by attempt`,
    [eventId],
  );
}
