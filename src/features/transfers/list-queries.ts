// Transfers for whoever manages the gateway, by the index that leads to the fewest rows.

import type { TransferState } from "../../domain/transfer.ts";
import type { Queryable } from "../../platform/db.ts";
import { type Page, type PageWish, page } from "../../platform/db-page.ts";

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
