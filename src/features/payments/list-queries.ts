// Lists of invoices, payments, transfers and refunds for whoever manages the gateway. Each list picks
// the index that leads to the fewest rows; what else was asked for is checked row by row.

import type { InvoiceState, InvoiceType } from "../../domain/invoice.ts";
import type { PaymentState } from "../../domain/payment.ts";
import type { TransferState } from "../../domain/transfer.ts";
import type { Queryable } from "../../platform/db.ts";
import { type Page, type PageWish, page } from "../../platform/db-page.ts";

export interface InvoiceView {
  readonly id: string;
  readonly shop_id: string;
  readonly order_id: string;
  readonly type: InvoiceType;
  readonly state: InvoiceState;
  readonly amount_minor: bigint;
  readonly currency: string;
  readonly services: readonly string[];
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly paid_at: Date | null;
}

export interface InvoiceFilter {
  readonly shopId: string | undefined;
  readonly state: InvoiceState | undefined;
  readonly orderId: string | undefined;
  readonly amountMinor: bigint | undefined;
  /** Only invoices that were to be paid to one of these. */
  readonly requisiteIds: readonly string[] | undefined;
}

export async function listInvoices(
  db: Queryable,
  wish: PageWish,
  filter: InvoiceFilter,
): Promise<Page<InvoiceView>> {
  const { shopId, state, orderId, amountMinor, requisiteIds } = filter;
  // An order is found sooner by itself than among what was paid to a requisite.
  if (requisiteIds !== undefined && orderId === undefined) {
    return invoicesOfRequisites(db, wish, requisiteIds, filter);
  }
  return page<InvoiceView>(db, wish, {
    columns: "row.*",
    from: "invoices",
    by: orderId === undefined ? {} : byOrder(orderId, shopId),
    leads: { amount_minor: amountMinor, shop_id: shopId, state },
    filters: {
      [`exists (select from payments where invoice_id = row.id
                  and requisite_id = any(?::uuid[]))`]: requisiteIds,
    },
  });
}

/** One look-up a shop: an index of all order ids would cost every new invoice a write. */
function byOrder(orderId: string, shopId: string | undefined) {
  const shops = { "shop_id in (select id from shops)": true, "shop_id = ?": shopId };
  return { "order_id = ?": orderId, ...shops };
}

/**
 * In the order of their payments. An invoice that got details twice is told once: the next page goes
 * on from the invoice, not from one of its payments, and a filter holds for all of these or for none.
 */
async function invoicesOfRequisites(
  db: Queryable,
  wish: PageWish,
  ids: readonly string[],
  { shopId, state, amountMinor }: InvoiceFilter,
): Promise<Page<InvoiceView>> {
  const { rows, next } = await page<InvoiceView>(db, wish, {
    columns: "invoice.*",
    from: "payments",
    join: "join invoices invoice on invoice.id = row.invoice_id",
    key: ["invoice_id"],
    each: { column: "requisite_id", ids },
    filters: {
      "shop_id = ?": shopId,
      "amount_minor = ?": amountMinor,
      "(select state from invoices where id = row.invoice_id) = ?": state,
    },
  });
  return { rows: rows.filter(({ id }, index) => id !== rows[index - 1]?.id), next };
}

export interface PaymentView {
  readonly id: string;
  readonly invoice_id: string;
  readonly order_id: string;
  readonly shop_id: string;
  readonly requisite_id: string;
  readonly service: string;
  readonly state: PaymentState;
  readonly currency: string;
  readonly to_pay_minor: bigint;
  readonly fee_minor: bigint;
  readonly created_at: Date;
  readonly ends_at: Date;
  readonly paid_at: Date | null;
  readonly late: boolean | null;
  readonly received_minor: bigint | null;
  readonly credited_minor: bigint | null;
  readonly refunded_minor: bigint;
}

export interface PaymentFilter {
  readonly shopId: string | undefined;
  readonly invoiceId: string | undefined;
  readonly orderId: string | undefined;
  readonly state: PaymentState | undefined;
  readonly toPayMinor: bigint | undefined;
  readonly requisiteIds: readonly string[] | undefined;
}

export function listPayments(
  db: Queryable,
  wish: PageWish,
  { shopId, invoiceId, orderId, state, toPayMinor, requisiteIds: ids }: PaymentFilter,
): Promise<Page<PaymentView>> {
  const isLive = state === "live";
  // An exact amount leads to fewer rows than a card, and both are what a bank's statement shows.
  const amountLeads = toPayMinor !== undefined;
  return page<PaymentView>(db, wish, {
    columns: "row.*, invoice.order_id",
    from: "payments",
    join: "join invoices invoice on invoice.id = row.invoice_id",
    key: ["invoice_id", "id"],
    by: {
      "invoice_id = ?": invoiceId,
      [`invoice_id in (select invoice.id from shops shop join invoices invoice
          on invoice.shop_id = shop.id where invoice.order_id = ?)`]: orderId,
      // What is live is little, and has an index of its own.
      "state = 'live'": isLive ? true : undefined,
    },
    each: amountLeads || !ids ? undefined : { column: "requisite_id", ids },
    leads: { to_pay_minor: toPayMinor, shop_id: shopId },
    filters: {
      "state = ?": isLive ? undefined : state,
      "requisite_id = any(?::uuid[])": amountLeads ? ids : undefined,
    },
  });
}

export interface TransferView {
  readonly id: string;
  readonly requisite_id: string;
  readonly reference: string;
  readonly currency: string;
  readonly amount_minor: bigint;
  readonly payer: string | null;
  readonly state: TransferState;
  readonly payment_id: string | null;
  readonly invoice_id: string | null;
  readonly received_at: Date;
  readonly settled_at: Date | null;
  readonly settled_by: string | null;
  readonly settled_reason: string | null;
}

export interface TransferFilter {
  readonly state: TransferState | undefined;
  readonly reference: string | undefined;
  readonly amountMinor: bigint | undefined;
  readonly requisiteIds: readonly string[] | undefined;
}

const TRANSFER_SOURCE = {
  columns: "row.*, payment.invoice_id",
  from: "transfers",
  join: "left join payments payment on payment.id = row.payment_id",
} as const;

export function listTransfers(
  db: Queryable,
  wish: PageWish,
  { state, reference, amountMinor, requisiteIds: ids }: TransferFilter,
): Promise<Page<TransferView>> {
  const isWaiting = state === "suspense";
  const amountLeads = amountMinor !== undefined;
  return page<TransferView>(db, wish, {
    ...TRANSFER_SOURCE,
    by: {
      "reference = ?": reference,
      // One look-up a requisite.
      "requisite_id in (select id from requisites)": reference === undefined ? undefined : true,
      // What waits is little, and has an index of its own.
      "state = 'suspense'": isWaiting ? true : undefined,
    },
    each: amountLeads || !ids ? undefined : { column: "requisite_id", ids },
    leads: { amount_minor: amountMinor },
    filters: {
      "state = ?": isWaiting ? undefined : state,
      "requisite_id = any(?::uuid[])": amountLeads ? ids : undefined,
    },
  });
}

export async function findTransfer(db: Queryable, id: string): Promise<TransferView | undefined> {
  const { rows } = await page<TransferView>(
    db,
    {},
    { ...TRANSFER_SOURCE, by: { "row.id = ?": id } },
  );
  return rows[0];
}

export interface RefundView {
  readonly id: string;
  readonly payment_id: string;
  readonly invoice_id: string;
  readonly shop_id: string;
  readonly currency: string;
  readonly amount_minor: bigint;
  readonly reference: string | null;
  readonly reason: string;
  readonly author: string;
  readonly created_at: Date;
}

export function listRefunds(
  db: Queryable,
  wish: PageWish,
  shopId: string | undefined,
): Promise<Page<RefundView>> {
  return page<RefundView>(db, wish, {
    columns: "row.*, payment.invoice_id, payment.currency",
    from: "refunds",
    join: "join payments payment on payment.id = row.payment_id",
    leads: { shop_id: shopId },
  });
}

export interface Waiting {
  readonly suspense: bigint;
  readonly exhausted: bigint;
  readonly failing: bigint;
  readonly due_since: Date | null;
}

/** By the partial indexes of what waits, so it costs as much as there is to do. */
export async function countWaiting(db: Queryable): Promise<Waiting> {
  const [row] = await db.query<Waiting>(
    `select (select count(*) from transfers where state = 'suspense') as suspense,
            (select count(*) from events where state = 'exhausted') as exhausted,
            (select count(*) from failing_rows) as failing,
            (select min(next_attempt_at) from events where state = 'waiting') as due_since`,
    [],
  );
  return row ?? { suspense: 0n, exhausted: 0n, failing: 0n, due_since: null };
}
