// Transfers beside the payments that they may have been meant for, for whoever settles them by hand.

import { type NearMiss, nearMiss, type Off } from "../../domain/transfer.ts";
import type { Queryable } from "../../platform/db.ts";
import { type NearRow, paymentsNear } from "./near-queries.ts";
import { madeWithin, type TransferRow } from "./nouns.ts";

export type NearCandidate = NearRow & { readonly off: Off; readonly difference_minor: bigint };

/** By the transfer's id, the nearest first. */
export async function candidatesOf(
  db: Queryable,
  transfers: readonly TransferRow[],
  ways: { readonly onOtherCards: boolean },
): Promise<Map<string, NearCandidate[]>> {
  const rows = await paymentsNear(db, transfers, ways);
  const byTransfer = Map.groupBy(rows, (row) => row.transfer_id);
  const found = transfers.map((transfer): [string, NearCandidate[]] => {
    const misses = (byTransfer.get(transfer.id) ?? []).flatMap((row) => {
      const miss = missOf(transfer, row);
      return miss === undefined ? [] : [{ row, miss }];
    });
    const sorted = misses.toSorted((one, other) => one.miss.distance - other.miss.distance);
    return [
      transfer.id,
      sorted.map(({ row, miss: { off, differenceMinor: difference_minor } }) => ({
        ...row,
        off,
        difference_minor,
      })),
    ];
  });
  return new Map(found);
}

function missOf(transfer: TransferRow, row: NearRow): NearMiss | undefined {
  const money = {
    requisiteId: transfer.requisite_id,
    amountMinor: transfer.amount_minor,
    made: madeWithin(transfer),
  };
  return nearMiss(money, {
    requisiteId: row.requisite_id,
    toPayMinor: row.to_pay_minor,
    createdAt: row.issued_at,
    endsAt: row.ends_at,
    paymentState: row.state,
    invoiceState: row.invoice_state,
  });
}
