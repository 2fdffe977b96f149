// Everything that is known about one invoice.

import type { Queryable } from "../../platform/db.ts";
import type { PaymentView } from "../payments/list-queries.ts";
import type { RefundView } from "../refunds/list-queries.ts";
import type { TransferView } from "../transfers/list-queries.ts";
import type { InvoiceView } from "./list-queries.ts";

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

export interface InvoiceWhole {
  readonly invoice: InvoiceView;
  readonly payments: readonly PaymentView[];
  readonly transfers: readonly TransferView[];
  readonly refunds: readonly RefundView[];
  readonly freezes: readonly FreezeView[];
  readonly events: readonly ToldView[];
  readonly deliveries: readonly DeliveryTold[];
}

export async function invoiceWhole(db: Queryable, id: string): Promise<InvoiceWhole | undefined> {
  const [invoice] = await db.query<InvoiceView>("select * from invoices where id = $1", [id]);
  if (invoice === undefined) return undefined;
  const [payments, transfers, refunds, freezes, events, deliveries] = await Promise.all([
    db.query<PaymentView>(
      `select payment.*, invoice.order_id
       from payments payment join invoices invoice on invoice.id = payment.invoice_id
       where payment.invoice_id = $1 order by payment.id`,
      [id],
    ),
    db.query<TransferView>(
      `select transfer.*, payment.invoice_id
       from payments payment join transfers transfer on transfer.payment_id = payment.id
       where payment.invoice_id = $1 order by transfer.id`,
      [id],
    ),
    db.query<RefundView>(
      `select refund.*, payment.invoice_id, payment.currency
       from payments payment join refunds refund on refund.payment_id = payment.id
       where payment.invoice_id = $1 order by refund.id`,
      [id],
    ),
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
