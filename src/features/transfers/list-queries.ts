// Transfers for whoever manages the gateway, by the index that leads to the fewest rows.

import type { SuspenseReason, TransferState } from "../../domain/transfer.ts";
import type { Queryable } from "../../platform/db.ts";
import { type Page, type PageWish, page } from "../../platform/db-page.ts";

export interface TransferView {
  readonly id: string;
  readonly requisite_id: string;
  readonly reference: string;
  readonly currency: string;
  readonly amount_minor: bigint;
  readonly payer: string | null;
  /** When it was paid, as it was told; null where nothing was, and received_at counts. */
  readonly made_at: string | null;
  /** The first and the last moment that this can be. */
  readonly made_from: Date | null;
  readonly made_to: Date | null;
  readonly state: TransferState;
  /** Why it waits, or waited, in suspense. */
  readonly suspense_reason: SuspenseReason | null;
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
  return page<TransferView>(db, wish, {
    ...TRANSFER_SOURCE,
    by: {
      "reference = ?": reference,
      // One look-up a requisite.
      "requisite_id in (select id from requisites)": reference === undefined ? undefined : true,
      // What waits is little, and has an index of its own.
      "state = 'suspense'": isWaiting ? true : undefined,
    },
    each: ids && { column: "requisite_id", ids },
    filters: { "state = ?": isWaiting ? undefined : state, "amount_minor = ?": amountMinor },
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
