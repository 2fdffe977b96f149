// Invoices for whoever manages the gateway, by the index that leads to the fewest rows; what else was
// asked for is checked row by row. And what waits for somebody.

import type { InvoiceState, InvoiceType } from "../../domain/invoice.ts";
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
    leads: { shop_id: shopId },
    filters: {
      "state = ?": state,
      "amount_minor = ?": amountMinor,
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

/** In the order of their latest payments there: an invoice that got details twice is told once. */
function invoicesOfRequisites(
  db: Queryable,
  wish: PageWish,
  ids: readonly string[],
  { shopId, state, amountMinor }: InvoiceFilter,
): Promise<Page<InvoiceView>> {
  return page<InvoiceView>(db, wish, {
    columns: "invoice.*",
    from: "payments",
    join: "join invoices invoice on invoice.id = row.invoice_id",
    each: { column: "requisite_id", ids },
    filters: {
      "shop_id = ?": shopId,
      "amount_minor = ?": amountMinor,
      "(select state from invoices where id = row.invoice_id) = ?": state,
      [`not exists (select from payments later where later.invoice_id = row.invoice_id
                      and later.number > row.number and later.requisite_id = any(?::uuid[]))`]: ids,
    },
  });
}

export interface Waiting {
  readonly suspense: bigint;
  readonly exhausted: bigint;
  readonly failing: bigint;
  readonly due_since: Date | null;
}

/** By the indexes of what waits, so it costs as much as there is to do; of what is due only the first is read. */
export async function countWaiting(db: Queryable): Promise<Waiting> {
  const [row] = await db.query<Waiting>(
    `select (select count(*) from transfers where state = 'suspense') as suspense,
            (select count(*) from outbox where next_attempt_at is null) as exhausted,
            (select count(*) from failing_rows) as failing,
            (select min(next_due_at) from receivers) as due_since`,
    [],
  );
  return row ?? { suspense: 0n, exhausted: 0n, failing: 0n, due_since: null };
}
