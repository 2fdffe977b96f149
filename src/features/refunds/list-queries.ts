// Refunds for whoever manages the gateway.

import type { Queryable } from "../../platform/db.ts";
import { type Page, type PageWish, page } from "../../platform/db-page.ts";

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
