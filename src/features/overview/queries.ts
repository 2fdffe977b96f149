// What is read across the nouns: how invoices stand, the ways into them by the index that leads to the fewest
// rows, all that is known about one of them, what waits for somebody, and how large the books are.

import { EXPIRE_MINUTES, type InvoiceState } from "../../domain/invoice.ts";
import { UNPROVEN_DAYS } from "../../domain/transfer.ts";
import { type Queryable, rowsOf } from "../../platform/db.ts";
import { IS_OPEN } from "../intake/line-queries.ts";
import type { RowOf, Ways } from "../operators/noun.ts";
import { Payments } from "../payments/nouns.ts";
import { Refunds } from "../refunds/queries.ts";
import { Transfers } from "../transfers/nouns.ts";
import { type InvoiceInfo, Invoices } from "./nouns.ts";

type Shown = RowOf<typeof InvoiceInfo>;

/** Its moments are not yet written in the service's time zone. */
interface InfoRow extends Omit<Shown, "created_at" | "expired_at" | "paid_at"> {
  readonly call: number;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly paid_at: Date | null;
}

export interface InfoWish {
  readonly call: number;
  readonly shopId: string;
  readonly invoiceId: string | null;
  readonly orderId: string | null;
}

/** By id where one is given, else by order; always within the shop that asks. */
export function invoiceInfo(db: Queryable, wishes: readonly InfoWish[]): Promise<InfoRow[]> {
  return db.query<InfoRow>(
    `select wish.call, invoice.id, invoice.shop_id, invoice.order_id, invoice.state,
            invoice.amount_minor, invoice.currency, invoice.custom_fields, invoice.created_at,
            invoice.expires_at, invoice.paid_at, payment.service, payment.percent_ppm,
            payment.user_percent_ppm, payment.fee_minor, payment.payer_fee_minor,
            payment.fee_minor - payment.payer_fee_minor as shop_fee_minor,
            payment.credited_minor, transfer.payer
     from json_to_recordset($1) as wish(call integer, "shopId" uuid, "invoiceId" uuid,
       "orderId" text)
     cross join lateral (
       select * from invoices where id = wish."invoiceId" and shop_id = wish."shopId"
         and (wish."orderId" is null or order_id = wish."orderId")
       union all
       select * from invoices where wish."invoiceId" is null and shop_id = wish."shopId"
         and order_id = wish."orderId") invoice
     left join lateral (
       select * from payments where invoice_id = invoice.id
       order by (state = 'paid') desc, created_at desc, id desc limit 1) payment on true
     left join transfers transfer on transfer.payment_id = payment.id`,
    [rowsOf(wishes)],
  );
}

interface InvoiceFilter {
  /** Of these shops and no others; of all without them. */
  readonly shopIds: readonly string[] | undefined;
  readonly state?: InvoiceState;
  readonly order_id?: string;
  readonly currency?: string;
  readonly amountMinor: bigint | undefined;
  /** Only invoices that were to be paid to one of these. */
  readonly requisiteIds: readonly string[] | undefined;
}

const OF_SHOPS = "shop_id = any(?::uuid[])";

export function waysToInvoices(filter: InvoiceFilter): Ways {
  const { shopIds, state, order_id, currency, amountMinor, requisiteIds } = filter;
  // An order is found sooner by itself than among what was paid to a requisite.
  if (requisiteIds !== undefined && order_id === undefined) {
    return byRequisites(requisiteIds, filter);
  }
  return {
    // One look-up a shop: an index of all order ids would cost every new invoice a write.
    by:
      order_id === undefined
        ? {}
        : { order_id, "shop_id in (select id from shops)": true, [OF_SHOPS]: shopIds },
    each: order_id === undefined && shopIds ? { column: "shop_id", ids: shopIds } : undefined,
    filters: {
      state,
      currency,
      amount_minor: amountMinor,
      [`exists (select from payments where invoice_id = row.id
                  and requisite_id = any(?::uuid[]))`]: requisiteIds,
    },
  };
}

/** In the order of their latest payments there: an invoice that got details twice is told once. */
function byRequisites(
  ids: readonly string[],
  { shopIds, state, currency, amountMinor }: InvoiceFilter,
): Ways {
  return {
    columns: "invoice.*",
    from: "payments",
    join: "join invoices invoice on invoice.id = row.invoice_id",
    each: { column: "requisite_id", ids },
    // A period is of invoices, which get no details once they have ended.
    dated: { column: "invoice_id", withinMs: EXPIRE_MINUTES.max * 60_000 },
    filters: {
      [OF_SHOPS]: shopIds,
      currency,
      amount_minor: amountMinor,
      "(select state from invoices where id = row.invoice_id) = ?": state,
      [`not exists (select from payments later where later.invoice_id = row.invoice_id
                      and later.number > row.number and later.requisite_id = any(?::uuid[]))`]: ids,
    },
  };
}

export interface Waiting {
  /** Money in suspense, by how long it has waited. */
  readonly hour: bigint;
  readonly day: bigint;
  readonly week: bigint;
  readonly older: bigint;
  readonly exhausted: bigint;
  readonly failing: bigint;
  readonly due_since: Date | null;
  readonly unproven: bigint;
  readonly lines: bigint;
}

/** By the indexes of what waits, so it costs as much as there is to do; of what is due only the first is read. */
export async function countWaiting(db: Queryable, now: Date): Promise<Waiting> {
  const [row] = await db.query<Waiting>(
    `select suspense.*, (select count(*) from outbox where next_attempt_at is null) as exhausted,
            (select count(*) from failing_rows) as failing,
            (select min(next_due_at) from receivers) as due_since,
            (select count(*) from transfers
             where needs_proof
               and received_at < $1::timestamptz - interval '${UNPROVEN_DAYS} days') as unproven,
            (select count(*) from statement_lines where ${IS_OPEN}) as lines
     from (select count(*) filter (where age < interval '1 hour') as hour,
                  count(*) filter (where age >= interval '1 hour' and age < interval '1 day') as day,
                  count(*) filter (where age >= interval '1 day' and age < interval '7 days')
                    as week,
                  count(*) filter (where age >= interval '7 days') as older
           from (select $1::timestamptz - received_at as age from transfers
                 where state = 'suspense') waiting) suspense`,
    [now],
  );
  if (row === undefined) throw new Error("A count has no row.");
  return row;
}

export interface RequisiteCounts {
  readonly enabled: bigint;
  /** Of these, how many are full by each of their limits. */
  readonly live_payments: bigint;
  readonly day_payments: bigint;
  readonly day_sum: bigint;
}

/** They are thousands at most; on a day that none has counted for yet nobody has taken anything. */
export async function countRequisites(db: Queryable, day: string): Promise<RequisiteCounts> {
  const [row] = await db.query<RequisiteCounts>(
    `select count(*) as enabled,
            count(*) filter (where live_payments >= max_live_payments) as live_payments,
            count(*) filter (where max_day_payments = 0
              or day >= $1::date and day_payments >= max_day_payments) as day_payments,
            count(*) filter (where max_day_sum_minor = 0
              or day >= $1::date and day_sum_minor >= max_day_sum_minor) as day_sum
     from requisite_usage where enabled and resting_since is null`,
    [day],
  );
  if (row === undefined) throw new Error("A count has no row.");
  return row;
}

interface FreezeView {
  readonly payment_id: string;
  readonly amount_minor: bigint;
  readonly frozen_until: Date;
  readonly released_at: Date | null;
  /** Only what cannot be trusted alone has told of the money. */
  readonly needs_proof: boolean;
}

interface ToldView extends Removed {
  readonly event_id: string;
  readonly sequence: number;
  readonly status: string;
  readonly created_at: Date;
  readonly state: string;
  /** Who of the operator's or the merchant's people took the invoice back; nobody where its program did. */
  readonly canceled_by: string | null;
  /** The merchant whose member it was. */
  readonly canceled_for: string | null;
  readonly canceled_why: string | null;
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
    Transfers.all(db, { "row.invoice_id": id }),
    Refunds.all(db, { "payment.invoice_id": id }),
    db.query<FreezeView>(
      `select frozen.payment_id, frozen.amount_minor, frozen.frozen_until, frozen.released_at,
              frozen.needs_proof
       from payments payment join ledger_freezes frozen on frozen.payment_id = payment.id
       where payment.invoice_id = $1`,
      [id],
    ),
    db.query<ToldView>(
      `select event.id as event_id, sequence, coalesce(status, body::json ->> 'status') as status,
              event.created_at, told.state, body is null as body_removed, attempts_removed,
              canceled.operator_name as canceled_by, canceled.user_id as canceled_for,
              canceled.after ->> 'reason' as canceled_why
       from events event join event_states told on told.event_id = event.id
       left join audit_log canceled on canceled.subject = event.invoice_id::text
         and canceled.act = 'invoice.cancel'
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

export interface BookCounts {
  readonly invoices: bigint;
  readonly payments: bigint;
  readonly transfers: bigint;
  readonly postings: bigint;
  readonly events: bigint;
}

/** How much there is to be right or wrong. */
export async function countBooks(db: Queryable): Promise<BookCounts> {
  const [row] = await db.query<BookCounts>(
    `select (select count(*) from invoices) as invoices,
            (select count(*) from payments) as payments,
            (select count(*) from transfers) as transfers,
            (select count(*) from ledger_postings) as postings,
            (select count(*) from events) as events`,
    [],
  );
  return row ?? { invoices: 0n, payments: 0n, transfers: 0n, postings: 0n, events: 0n };
}
