// Everything that is known about one invoice.

import type { Queryable } from "../../platform/db.ts";
import { Payments } from "../payments/nouns.ts";
import { Refunds } from "../refunds/nouns.ts";
import { Transfers } from "../transfers/nouns.ts";
import { Invoices } from "./nouns.ts";

interface FreezeView {
  readonly payment_id: string;
  readonly amount_minor: bigint;
  readonly frozen_until: Date;
  readonly released_at: Date | null;
}

interface ToldView extends Removed {
  readonly event_id: string;
  readonly sequence: number;
  readonly status: string;
  readonly created_at: Date;
  readonly state: string;
}

/** Of an event, what was removed since. */
export interface Removed {
  readonly body_removed: boolean;
  readonly attempts_removed: number;
}

interface DeliveryTold {
  readonly event_id: string;
  readonly attempt: number;
  readonly started_at: Date;
  readonly status: number | null;
  readonly error: string | null;
}

export type InvoiceWhole = Awaited<ReturnType<typeof invoiceWhole>>;

export async function invoiceWhole(db: Queryable, id: string) {
  const invoice = await Invoices.find(db, id);
  const [payments, transfers, refunds, freezes, events, deliveries] = await Promise.all([
    Payments.all(db, { "row.invoice_id": id }),
    Transfers.all(db, { "payment.invoice_id": id }),
    Refunds.all(db, { "payment.invoice_id": id }),
    db.query<FreezeView>(
      `select frozen.payment_id, frozen.amount_minor, frozen.frozen_until, frozen.released_at
       from payments payment join ledger_freezes frozen on frozen.payment_id = payment.id
       where payment.invoice_id = $1`,
      [id],
    ),
    db.query<ToldView>(
      `select id as event_id, sequence, coalesce(status, body::json ->> 'status') as status,
              created_at, told.state, body is null as body_removed, attempts_removed
       from events join event_states told on told.event_id = id
       where invoice_id = $1 order by sequence`,
      [id],
    ),
    db.query<DeliveryTold>(
      `select delivery.event_id, delivery.attempt, delivery.started_at, delivery.status,
              delivery.error
       from events event join attempts delivery on delivery.event_id = event.id
       where event.invoice_id = $1 order by delivery.started_at, delivery.attempt`,
      [id],
    ),
  ]);
  return { invoice, payments, transfers, refunds, freezes, events, deliveries };
}
