// Refunds: as they are stored and shown, and every statement about them.

import type { Tx } from "../../platform/db.ts";
import { column, noun } from "../operators/noun.ts";

export interface RefundWish {
  readonly invoiceId: string;
  readonly amountMinor: bigint;
  /** By which a repeated call is known. */
  readonly reference?: string | undefined;
  readonly reason: string;
  readonly author: string;
}

interface NewRefund extends RefundWish {
  readonly id: string;
  readonly paymentId: string;
  readonly shopId: string;
}

export async function addRefund(tx: Tx, refund: NewRefund, now: Date): Promise<void> {
  const { id, paymentId, shopId, amountMinor, reference = null, reason, author } = refund;
  await tx.query(
    `insert into refunds (id, payment_id, shop_id, amount_minor, reference, reason, author, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [id, paymentId, shopId, amountMinor, reference, reason, author, now],
  );
}

export type StoredRefund = Pick<NewRefund, "id" | "amountMinor" | "reason">;

export async function refundOfReference(
  tx: Tx,
  paymentId: string,
  reference: string,
): Promise<StoredRefund | undefined> {
  const [row] = await tx.query<StoredRefund>(
    `select id, amount_minor as "amountMinor", reason from refunds
     where payment_id = $1 and reference = $2`,
    [paymentId, reference],
  );
  return row;
}

export const Refunds = noun(
  {
    from: "refunds",
    join: "join payments payment on payment.id = row.payment_id",
    columns: "row.*, payment.invoice_id, payment.currency",
  },
  {
    refund_id: column.id("The refund."),
    invoice_id: column.uuid("The invoice."),
    payment_id: column.uuid("The payment that it goes back from."),
    shop_id: column.uuid("The shop."),
    amount: column.amount("amount_minor", "How much goes back.", 1000),
    currency: column.text("Currency code.", "RUB"),
    reference: column.textOrNull("By which a repeated call is known."),
    reason: column.text("Why.", "A broken cup"),
    author: column.text("Who decided it.", "Anna"),
    created_at: column.moment("When."),
  },
);
