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
  if (requisiteIds !== undefined) return invoicesOfRequisites(db, wish, requisiteIds, filter);
  return page<InvoiceView>(db, wish, {
    columns: "row.*",
    from: "invoices",
    by: leadOfInvoices(filter),
    filters: {
      "shop_id = ?": shopId,
      "state = ?": state,
      "order_id = ?": orderId,
      "amount_minor = ?": amountMinor,
    },
  });
}

function leadOfInvoices({ shopId, state, orderId, amountMinor }: InvoiceFilter) {
  if (orderId !== undefined) {
    // One look-up a shop: an index of all order ids would cost every new invoice a write.
    const shops = { "shop_id in (select id from shops)": true, "shop_id = ?": shopId };
    return { "order_id = ?": orderId, ...shops };
  }
  if (amountMinor !== undefined) return { "amount_minor = ?": amountMinor };
  return shopId === undefined ? { "state = ?": state } : { "shop_id = ?": shopId };
}

/**
 * In the order of the payments to them. An invoice that got details twice is told once: its payments
 * are one place in the list, so no page ends between them.
 */
async function invoicesOfRequisites(
  db: Queryable,
  wish: PageWish,
  ids: readonly string[],
  { shopId, state, orderId, amountMinor }: InvoiceFilter,
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
      "(select order_id from invoices where id = row.invoice_id) = ?": orderId,
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
  { shopId, invoiceId, orderId, state, toPayMinor, requisiteIds }: PaymentFilter,
): Promise<Page<PaymentView>> {
  const leads = [
    {
      [`invoice_id in (select invoice.id from shops shop join invoices invoice
          on invoice.shop_id = shop.id where invoice.order_id = ?)`]: orderId,
    },
    { "invoice_id = ?": invoiceId },
    { "to_pay_minor = ?": toPayMinor },
    { "shop_id = ?": shopId },
  ];
  const isAsked = (lead: object) => Object.values(lead).some((value) => value !== undefined);
  const ids = requisiteIds;
  return page<PaymentView>(db, wish, {
    columns: "row.*, invoice.order_id",
    from: "payments",
    join: "join invoices invoice on invoice.id = row.invoice_id",
    key: ["invoice_id", "id"],
    each: ids && { column: "requisite_id", ids },
    by: ids === undefined ? (leads.find(isAsked) ?? {}) : {},
    filters: Object.assign({ "state = ?": state }, ...leads),
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
  const waiting = state === "suspense" ? { "state = 'suspense'": true } : {};
  const amount = amountMinor === undefined ? waiting : { "amount_minor = ?": amountMinor };
  const lead =
    reference === undefined
      ? amount
      : { "reference = ?": reference, "requisite_id in (select id from requisites)": true };
  return page<TransferView>(db, wish, {
    ...TRANSFER_SOURCE,
    each: ids && { column: "requisite_id", ids },
    by: ids === undefined ? lead : {},
    filters: { "state = ?": state, "reference = ?": reference, "amount_minor = ?": amountMinor },
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
    by: { "shop_id = ?": shopId },
  });
}

export interface Waiting {
  readonly suspense: bigint;
  readonly exhausted: bigint;
  readonly due_since: Date | null;
}

/** By the partial indexes of what waits, so it costs as much as there is to do. */
export async function countWaiting(db: Queryable): Promise<Waiting> {
  const [row] = await db.query<Waiting>(
    `select (select count(*) from transfers where state = 'suspense') as suspense,
            (select count(*) from events where state = 'exhausted') as exhausted,
            (select min(next_attempt_at) from events where state = 'waiting') as due_since`,
    [],
  );
  return row ?? { suspense: 0n, exhausted: 0n, due_since: null };
}
