// Payments for whoever manages the gateway, by the index that leads to the fewest rows.

import type { PaymentState } from "../../domain/payment.ts";
import type { Queryable } from "../../platform/db.ts";
import { type Page, type PageWish, page } from "../../platform/db-page.ts";

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
  // An exact amount leads to fewer rows than a card, and both are what a bank's statement shows.
  const isAmount = toPayMinor !== undefined;
  return page<PaymentView>(db, wish, {
    columns: "row.*, invoice.order_id",
    from: "payments",
    join: "join invoices invoice on invoice.id = row.invoice_id",
    by: {
      "invoice_id = ?": invoiceId,
      [`invoice_id in (select invoice.id from shops shop join invoices invoice
          on invoice.shop_id = shop.id where invoice.order_id = ?)`]: orderId,
      // One look-up a requisite.
      "to_pay_minor = ?": toPayMinor,
      "requisite_id in (select id from requisites)": isAmount ? true : undefined,
    },
    each: isAmount || !ids ? undefined : { column: "requisite_id", ids },
    leads: { shop_id: shopId },
    filters: {
      "state = ?": state,
      "requisite_id = any(?::uuid[])": isAmount ? ids : undefined,
    },
  });
}
