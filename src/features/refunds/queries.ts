// Every statement about refunds.

import type { Tx } from "../../platform/db.ts";

export interface RefundWish {
  readonly invoiceId: string;
  readonly amountMinor: bigint;
  /** By which a repeated call is known. */
  readonly reference?: string | undefined;
  readonly reason: string;
  readonly author: string;
}

export interface NewRefund extends RefundWish {
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
